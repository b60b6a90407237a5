"""Whether a person's words state a value: the check that every extractor's finding must pass."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from pydantic import JsonValue

from sayso.core.requirements import Begun, Slot
from sayso.reading.bare_changes import bare_change
from sayso.reading.candidate import Found
from sayso.reading.candidates import candidates_in
from sayso.reading.differences import difference_at
from sayso.reading.doubts import doubt_of
from sayso.reading.in_its_place import in_place_of_the_denied
from sayso.reading.lexicon import lexicon_for
from sayso.reading.normalize import LONGEST_READ, even, plain, same_value
from sayso.reading.offers import taken_up
from sayso.reading.plain_answers import plain_answer
from sayso.reading.said_values import values_said
from sayso.reading.self_correction import Asked, amended, is_taken_back
from sayso.reading.slot_types import SlotType, shape_of

#: A longer quote points at nothing in particular.
LONGEST_QUOTE = 500
#: A letter or digit of a script that puts spaces between words.
_LETTER = re.compile(r"[^\W\u3040-\u30ff\u4e00-\u9fff]")


def supports(
    quote: str,
    value: JsonValue,
    slot: Slot,
    *,
    today: date | None = None,
    language: str = "",
    asked: bool = False,
    known: JsonValue | Begun = None,
) -> bool:
    """Return whether the quote says this value of this slot: the rules' parsers read it there,
    or it is there word for word. `asked`: it was just asked for, so that "yes" says True. `known`:
    the value that it changes ("one day longer"), or the day whose time it tells."""
    if isinstance(value, list):
        return all(
            supports(quote, one, slot, today=today, language=language, asked=asked) for one in value
        )
    if len(quote) > LONGEST_QUOTE:
        return False
    shape, words = shape_of(slot), even(quote)
    if isinstance(value, str) and not shape.has_format and occurs(value, quote):
        return True
    lex = lexicon_for(words, language)
    lenient = asked or shape.type is not SlotType.BOOLEAN
    found = values_said(words, shape, lex, today=today, asked=lenient)
    if known is not None:  # what these words make of it
        of_it = candidates_in(words, shape, lex, today=today, asked=True, known=known)
        begun = isinstance(known, Begun)
        found += [one.span for one in of_it if begun or one.how is Found.OF_KNOWN]
    return any(same_value(value, one.value) for one in found)


def is_stated(
    quote: str,
    value: JsonValue,
    slot: Slot,
    message: str,
    *,
    today: date | None = None,
    language: str = "",
    asked: bool = False,
    known: JsonValue | Begun = None,
    about_past: bool = False,
) -> bool:
    """Return whether a message states this value of this slot, of this request and now, with these
    words: it holds them, they say the value, and they are not asked, supposed, denied, past, quoted
    or of somebody else."""
    text = even(message)
    lex = lexicon_for(text, language)  # the message tells more of its language than the quote
    if not occurs(quote, message):
        return False
    if asked and value is not None and plain_answer(text, shape_of(slot), lex, today) == value:
        return True
    if known is not None and not isinstance(known, Begun):
        other = in_place_of_the_denied(text, known, slot, lex, today)
        if other is not None and (other.words(text), other.value) == (quote, value):
            return True
        bare = bare_change(text, lex)
        if bare is not None and bare.words(text) == quote and _is_number(value, bare.value):
            return True
    asked_for = Asked({slot.name: slot}, [slot.name] if asked else [], today=today)
    meant = amended(message, asked_for, lex.code)
    places = [one for one in _places_of(quote, text) if not is_taken_back(*one, meant)]
    if known is not None:  # "shorten it by a day" leaves no single day
        found = candidates_in(text, shape_of(slot), lex, today=today, asked=True, known=known)
        makes = [one.span for one in found if same_value(value, one.value)]
        for place in places:
            is_change = difference_at(*place, text, shape_of(slot), lex) is not None
            if is_change and not any(one.start < place[1] and place[0] < one.end for one in makes):
                return False
    return any(
        doubt_of(meant, *span, slot, lex, about_past=about_past) is None
        and supports(
            meant[slice(*span)].strip(),
            value,
            slot,
            today=today,
            language=lex.code,
            asked=asked,
            known=known,
        )
        for span in places
    )


def _is_number(value: JsonValue, said: JsonValue) -> bool:
    """Return whether both are one number: money is kept as text."""
    try:
        return float(str(value)) == float(str(said))
    except ValueError:
        return False


def _places_of(quote: str, text: str) -> Iterator[tuple[int, int]]:
    words = even(quote).strip()
    if words and words in text:
        at = text.find(words)
        while at >= 0:
            yield at, at + len(words)
            at = text.find(words, at + 1)
        return
    for match in re.finditer(r"\s+".join(map(re.escape, words.split())), text, re.IGNORECASE):
        yield match.span()


def takes_up(
    text: str,
    quote: str,
    value: JsonValue,
    slot: str,
    *,
    offered: Sequence[JsonValue],
    language: str,
) -> bool:
    """Return whether the message accepts this value, which the agent had offered, with these
    words."""
    text = text[:LONGEST_READ]
    lex = lexicon_for(even(text), language)
    return any(
        one.value == value and occurs(quote, text) for one in taken_up(text, {slot: offered}, lex)
    )


def occurs(quote: str, text: str) -> bool:
    """Return whether exactly these words occur in the text, as whole words: "art" is not in
    "party". Case and spacing do not matter."""
    wanted, said = plain(quote), plain(text)
    at = said.find(wanted) if wanted else -1
    while at >= 0:
        end = at + len(wanted)
        if not _LETTER.match(said[at - 1 : at]) and not _LETTER.match(said[end : end + 1]):
            return True
        at = said.find(wanted, at + 1)
    return False
