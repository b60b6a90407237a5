"""The values of a field's type that some words say, whoever reads them: the check of a quote, of an
offer and of what is said again."""

from __future__ import annotations

import re
from datetime import date

from sayso.reading.candidate import Found
from sayso.reading.candidates import candidates_in
from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.choices import told_about, told_of, yes_or_no
from sayso.reading.parsers.dates import dates_in
from sayso.reading.parsers.durations import durations_in
from sayso.reading.parsers.numbers import money_in
from sayso.reading.parsers.times import times_in
from sayso.reading.plain_truths import plain_truth, says_neither
from sayso.reading.question_words import nouns_said
from sayso.reading.slot_types import SlotShape, SlotType
from sayso.reading.span import Span, apart, outside


def values_said(
    text: str, shape: SlotShape, lex: Lexicon, *, today: date | None, asked: bool = False
) -> list[Span]:
    """Find values of a type that has a form of its own; none for places, names and free text.

    `asked`: the person was just asked for it, so that a bare "7" may be one.
    """
    if shape.type is SlotType.BOOLEAN:
        told = _told(text, shape, lex, asked=asked)
        return [told] if told is not None else []
    found = candidates_in(text, shape, lex, today=today, asked=asked)
    sure = apart([one.span for one in found if one.how is Found.BY_FORM])
    if sure or not asked:
        return sure
    bare = [one.span for one in found if one.how is Found.BARE]
    return outside(bare, _of_another_form(text, shape, lex, today))


def _of_another_form(text: str, shape: SlotShape, lex: Lexicon, today: date | None) -> list[Span]:
    """Return the words that say what this is not: the 10 of "10 days" is no number of rooms."""
    found = [*dates_in(text, lex, today), *(one for one in money_in(text, lex) if one.unit)]
    if shape.type is not SlotType.TIME:
        found += times_in(text, lex)
    if shape.type is not SlotType.DURATION:
        lengths = durations_in(text, lex)
        found += [
            one for one in lengths if not {*one.words(text).casefold().split()} & {*shape.nouns}
        ]
    return found


def _told(text: str, shape: SlotShape, lex: Lexicon, *, asked: bool) -> Span | None:
    if asked and (truth := plain_truth(text, lex)) is not None:
        return Span(value=truth, start=0, end=len(text))
    if asked and says_neither(text, lex):
        return None
    # Each word is followed by its other form, so every second one is a word of its own.
    words = shape.about[::2]
    all_said = bool(words) and all(
        re.search(lex.alternatives([w, w + "s", w.removesuffix("s")]), text, re.IGNORECASE)
        for w in words
    )
    if all_said and (told := told_about(text, shape.about, lex)) is not None:
        return told
    things = nouns_said(text, shape.question, lex)
    if asked:
        things += lex.words("yes", "objects")  # "add it"
    if (told := told_of(text, things, lex)) is not None:
        return told
    return yes_or_no(text, lex) if asked else None
