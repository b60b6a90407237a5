"""Whether a person's words say a value: the check that no extractor gets around."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from pydantic import JsonValue

from sayso.core.requirements import Slot
from sayso.gate.kinds import Kind, shape_of
from sayso.gate.lexicon import lexicon_for
from sayso.gate.offers import taken_up
from sayso.gate.readings import typed_in
from sayso.gate.text import LONGEST_READ, even, plain

#: Who quotes more than this points at nothing.
LONGEST_QUOTE = 500
#: A letter or digit of a script that puts spaces between words.
_LETTER = re.compile(r"[^\W\u3040-\u30ff\u4e00-\u9fff]")


def occurs(quote: str, text: str) -> bool:
    """Whether these very words stand in the text; case and spacing do not matter."""
    return _stands_in(quote, text)


def supports(
    quote: str,
    value: JsonValue,
    slot: Slot,
    *,
    today: date | None = None,
    language: str = "",
    asked: bool = False,
) -> bool:
    """Whether the words say this value of this slot: read by the rules' own parsers they give it,
    or they hold it word for word. `asked`: it was just asked for, so that "yes" says True."""
    if isinstance(value, list):
        return all(
            supports(quote, one, slot, today=today, language=language, asked=asked) for one in value
        )
    if len(quote) > LONGEST_QUOTE:
        return False
    shape, words = shape_of(slot), even(quote)
    lex = lexicon_for(words, language)
    lenient = asked or shape.kind is not Kind.BOOLEAN
    found = typed_in(words, shape, lex, today=today, asked=lenient)
    if any(_same(value, one.value) for one in found):
        return True
    if isinstance(value, str) and not shape.has_format:
        return _stands_in(value, quote)
    return False


def takes_up(
    text: str,
    quote: str,
    value: JsonValue,
    slot: str,
    *,
    offered: Sequence[JsonValue],
    language: str,
) -> bool:
    """Whether the message takes up this value, which the agent had offered, with these words."""
    text = text[:LONGEST_READ]
    lex = lexicon_for(even(text), language)
    return any(
        one.value == value and _stands_in(quote, text)
        for one in taken_up(text, {slot: offered}, lex)
    )


def _stands_in(words: str, text: str) -> bool:
    """As whole words: "art" does not stand in "party"."""
    wanted, said = plain(words), plain(text)
    at = said.find(wanted) if wanted else -1
    while at >= 0:
        end = at + len(wanted)
        if not _LETTER.match(said[at - 1 : at]) and not _LETTER.match(said[end : end + 1]):
            return True
        at = said.find(wanted, at + 1)
    return False


def _same(one: JsonValue, other: JsonValue) -> bool:
    """Equal as JSON; a decimal written as text is the number it says."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return all(
            _same(one[key], other[key]) for key in one if key in other and one[key] is not None
        )
    if isinstance(one, str) and isinstance(other, int | float):
        return re.fullmatch(r"-?\d+(?:\.\d+)?", one) is not None and float(one) == other
    return one == other
