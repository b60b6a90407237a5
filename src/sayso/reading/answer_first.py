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
    for cut in _cuts(text, clauses):
        if _QUOTES.search(cut.answer) or _puts_in_doubt(cut, lex):
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
    #: The clauses of the talk.
    clauses: Sequence[Clause]


def _closing_question(clauses: Sequence[Clause]) -> int:
    """Return where the questions at the end begin."""
    at = len(clauses)
    while at > 1 and _only_asks(clauses[at - 1]):
        at -= 1
    return at


def _only_asks(one: Clause) -> bool:
    return one.is_any(Mood.ASKED) and not one.is_any(Mood.REQUESTED, Mood.ORDER)


def _cuts(text: str, clauses: Sequence[Clause]) -> Iterator[_Cut]:
    """Yield the message cut before its closing question, and at the first place where what follows
    stands apart: "on the terrace may one smoke?" only asks."""
    closing = _closing_question(clauses)
    apart = [
        at
        for at in range(1, len(clauses))
        if _APART.search(text[clauses[at - 1].end - 1 : clauses[at].start + 1])
    ]
    asks_at = clauses[closing - 1].end
    for first in dict.fromkeys(at for at in (closing, *apart[:1]) if at in apart and at <= closing):
        end = clauses[first - 1].end
        talk, question = text[end:asks_at], text[asks_at:]
        yield _Cut(text[:end].rstrip(_MARKS), talk, question, clauses[first:closing])


def _puts_in_doubt(cut: _Cut, lex: Lexicon) -> bool:
    """Return whether what follows an answer takes it back, is a tag of it, or doubts it."""
    rest = cut.talk + cut.question
    turns = lex.form(r"\W*<orders.amending|orders.anew|yes.no|values.either|clauses.saying>").match(
        rest
    ) or lex.form(r"\W*<clauses.turns>").match(cut.talk)
    if turns or _TAG.fullmatch(rest) or any(_doubts(one) for one in cut.clauses):
        return True
    doubts = lex.any_of("doubts.unsure", "doubts.hoping", "doubts.other_times", "orders.amending")
    return doubts.search(cut.talk) is not None


def _doubts(clause: Clause) -> bool:
    """Return whether a clause puts in doubt what was said before it. One that asks for something
    more does not: "3, can we get a cot?"."""
    asks_for = clause.is_any(Mood.REQUESTED)
    return clause.is_any(*(mood for mood in _DOUBTING if not (asks_for and mood is Mood.ASKED)))


def _is_for(name: str, cut: _Cut, reading: Reading, lex: Lexicon) -> bool:
    """Return whether what follows an answer could be meant for the field as well. A number that is
    asked about is none: "4, will we all fit in one car?"."""
    shape = shape_of(reading.slots[name])
    today = reading.today.date() if reading.today else None
    is_name = shape.type in IN_WORDS or shape.type is SlotType.CHOICE
    words = cut.talk + cut.question if is_name else cut.talk
    found = [one.span for one in candidates_in(words, shape, lex, today=today)]
    # As a number "not" may be none and "a" one, which no talk means.
    if any(one.value not in (0, 1) or re.search(r"\d", one.words(words)) for one in found):
        return True
    return is_name and _is_about_it(cut.question, lex)


def _is_about_it(question: str, lex: Lexicon) -> bool:
    """Return whether it asks about what was just named: "Lisbon, is it warm?"."""
    it = {*lex.words("yes", "objects")} - {*lex.words("orders", "the")}
    # As it is written: "Sie" is no "sie".
    is_named = not it.isdisjoint(_WORD.findall(question))
    return is_named or lex.form(r"\W*<yes.subjects>").match(question) is not None
