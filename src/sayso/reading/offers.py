"""Which offered values a message accepts: "that sounds great", "the second one"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from sayso.reading.clauses import clauses_in
from sayso.reading.lexicon import Lexicon
from sayso.reading.moods import Mood
from sayso.reading.normalize import even, plain
from sayso.reading.parsers.choices import named_in, place_in_row
from sayso.reading.sentences import sentences_of
from sayso.reading.span import Span
from sayso.reading.yes_no import is_plain_yes, is_yes_anywhere

#: So many words at most speak of nothing but what was offered.
_SHORT = 4


@dataclass(frozen=True, slots=True)
class TakenUp:
    slot: str
    value: JsonValue
    words: Span


def taken_up(
    text: str, offered: Mapping[str, Sequence[JsonValue]], lex: Lexicon
) -> Iterator[TakenUp]:
    """Yield the offered values that a message accepts, each with the words that do so."""
    words = even(text)
    taking = taking_words(words, lex)
    several = any(len(values) > 1 for values in offered.values())
    in_row = (
        place_in_row(words, lex, max(map(len, offered.values()), default=0)) if several else None
    )
    for slot, values in offered.items():
        named = named_in(words, [str(value) for value in values], lex)
        if named and (len(values) > 1 or taking or not _is_unsure_of(named[0], words, lex)):
            value = next(v for v in values if str(v) == named[0].value)
            yield TakenUp(slot, value, named[0])
        elif len(values) > 1 and in_row is not None:
            yield TakenUp(slot, values[min(in_row[0], len(values) - 1)], in_row[1])
        elif len(values) == 1 and taking is not None:
            yield TakenUp(slot, values[0], taking)


def taking_words(text: str, lex: Lexicon) -> Span | None:
    """Return the sentence that accepts whatever was offered, if there is one."""
    at = 0
    for sentence in sentences_of(text):
        start = text.find(sentence, at)
        at = start + len(sentence)
        stripped = sentence.strip()
        small = plain(stripped)
        taken = is_plain_yes(small, lex) or is_yes_anywhere(small)
        # "Okay, and what does it cost?" says yes to nothing yet.
        asking = clauses_in(small, lex) if taken else ()
        taken = taken and not any(one.is_any(Mood.ASKED, Mood.REQUESTED) for one in asking)
        if not taken and not small.endswith(("?", "？")) and not _is_unsure(small, lex):
            first, _, more = small.partition(",")
            taken = lex.any_of("values.taking").search(small) is not None
            taken = taken or (more != "" and is_plain_yes(first, lex))
        if taken:
            return Span(value=None, start=start, end=start + len(sentence.rstrip()))
    return None


def _is_unsure_of(named: Span, text: str, lex: Lexicon) -> bool:
    """Return whether a name may be no acceptance. A denial in another, longer clause is of
    something else: "Dumbo is fine, and I have to see it with no subtitles"."""
    denial = lex.any_of("clauses.negation")
    elsewhere = [
        clause
        for clause in clauses_in(text, lex)
        if not (clause.start < named.end and named.start < clause.end)
        and len(text[clause.start : clause.end].split()) > _SHORT
    ]
    return any(
        denial.fullmatch(sign[0]) is None
        or not any(one.start <= sign.start() < one.end for one in elsewhere)
        for sign in lex.any_of("values.unsure").finditer(text)
    )


def _is_unsure(text: str, lex: Lexicon) -> bool:
    return lex.any_of("values.unsure").search(text) is not None
