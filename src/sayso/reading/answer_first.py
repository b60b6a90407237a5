"""An answer, and talk behind it: "4 people, do you have high chairs?", "the 9th, I'm away before".
The network hears an answer best alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sayso.core.extraction_ops import Reading
from sayso.reading.candidates import candidates_in
from sayso.reading.clauses import Clause, clauses_in
from sayso.reading.lexicon import Lexicon, lexicon_for
from sayso.reading.moods import Mood
from sayso.reading.normalize import even
from sayso.reading.slot_types import IN_WORDS, SlotType, shape_of

_MARKS = " ,;:、，—–-"
_QUOTES = re.compile(r"[\"“”„«»{}\[\]【】]|(?<!\w)['‘]")
#: A question of fewer words may be a tag: "4, is it?".
_TAG = re.compile(r"\W*(?:[a-zÀ-ɏ']+\W+)?[a-zÀ-ɏ']+\W*|\W*[\u3040-\u9fff]{1,3}\W*", re.IGNORECASE)
#: Talk stands apart from the answer: "on the terrace may one smoke?" asks.
_APART = re.compile(r"[,.;:!…、，。！；()\n–—-]")
_WORD = re.compile(r"[\w'’]+")
#: What puts in doubt what was said before it. Somebody else and the past do not: "just me, my wife
#: is afraid of flying".
_DOUBTING = (Mood.ASKED, Mood.CONDITIONAL, Mood.HYPOTHETICAL, Mood.QUOTED, Mood.TO_ANOTHER)


def answers_alone(reading: Reading) -> Iterator[tuple[str, Reading]]:
    """Yield each field that was just asked for, with the reading of what may be its answer: what
    stands before the closing question, or the first clause, where nothing behind it could be meant
    for the field or puts the answer in doubt."""
    if reading.pending is not None:
        return
    text = even(reading.message)
    lex = lexicon_for(text, reading.language)
    clauses = clauses_in(text, lex)
    if len(clauses) < 2 or clauses[0].is_any(*_DOUBTING):
        return
    closing = _closing_question(clauses)
    for first in dict.fromkeys((closing, 1)):
        cut = _cut(text, clauses, first, closing)
        if (
            cut is None
            or _QUOTES.search(cut.answer)
            or _puts_in_doubt(cut, clauses[first:closing], lex)
        ):
            continue
        alone = replace(reading, message=reading.message[: len(cut.answer)], language=lex.code)
        for name in reading.asked:
            if name in reading.slots and not _is_for(name, cut, reading, lex):
                yield name, alone


@dataclass(frozen=True, slots=True)
class _Cut:
    """A message in three parts, of which the second or the third may be empty."""

    answer: str
    talk: str
    question: str


def _closing_question(clauses: Sequence[Clause]) -> int:
    """Return where the questions at the end begin."""
    at = len(clauses)
    while at > 1 and _only_asks(clauses[at - 1]):
        at -= 1
    return at


def _only_asks(one: Clause) -> bool:
    return one.is_any(Mood.ASKED) and not one.is_any(Mood.REQUESTED, Mood.ORDER)


def _cut(text: str, clauses: Sequence[Clause], first: int, closing: int) -> _Cut | None:
    """Return the message cut before its clause `first`, if that stands apart from what is before:
    "on the terrace may one smoke?" only asks."""
    if first == len(clauses):
        return None
    end = clauses[first - 1].end
    if _APART.search(text[end - 1 : clauses[first].start + 1]) is None:
        return None
    asks_at = clauses[closing - 1].end
    return _Cut(text[:end].rstrip(_MARKS), text[end:asks_at], text[asks_at:])


def _puts_in_doubt(cut: _Cut, talk: Sequence[Clause], lex: Lexicon) -> bool:
    """Return whether what follows an answer takes it back, is a tag of it, or doubts it."""
    rest = cut.talk + cut.question
    turns = lex.form(r"\W*<orders.amending|orders.anew|yes.no|values.either|clauses.saying>").match(
        rest
    ) or lex.form(r"\W*<clauses.turns>").match(cut.talk)
    if turns or _TAG.fullmatch(rest) or any(one.is_any(*_DOUBTING) for one in talk):
        return True
    doubts = lex.any_of("doubts.unsure", "doubts.hoping", "doubts.other_times", "orders.amending")
    return doubts.search(cut.talk) is not None


def _is_for(name: str, cut: _Cut, reading: Reading, lex: Lexicon) -> bool:
    """Return whether what follows an answer could be meant for the field as well. A number that is
    asked about is none: "4, will we all fit in one car?"."""
    shape = shape_of(reading.slots[name])
    today = reading.today.date() if reading.today else None
    is_name = shape.type in IN_WORDS or shape.type is SlotType.CHOICE
    words = cut.talk + cut.question if is_name else cut.talk
    found = [one.span for one in candidates_in(words, shape, lex, today=today)]
    # Of a number "not" may be none, which no talk means.
    if any(one.value != 0 or "0" in one.words(words) for one in found):
        return True
    return is_name and _is_about_it(cut.question, lex)


def _is_about_it(question: str, lex: Lexicon) -> bool:
    """Return whether it asks about what was just named: "Lisbon, is it warm?"."""
    it = {*lex.words("yes", "objects")} - {*lex.words("orders", "the")}
    # As it is written: "Sie" is no "sie".
    is_named = not it.isdisjoint(_WORD.findall(question))
    return is_named or lex.form(r"\W*<yes.subjects>").match(question) is not None
