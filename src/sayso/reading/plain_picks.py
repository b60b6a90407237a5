"""A plain pick of one of the options shown: by its place ("the last one"), or any ("whoever")."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sayso.reading.lexicon import Lexicon
from sayso.reading.normalize import even, plain
from sayso.reading.parsers.choices import place_in_row
from sayso.reading.parsers.numbers import in_digits
from sayso.reading.span import without_spans

_WORD, _DIGIT = re.compile(r"\w+"), re.compile(r"\d")
_ASKS = re.compile(r"[?？\"“”„«»{}\[\]]")


def plain_pick(text: str, options: Sequence[str], lex: Lexicon) -> str | None:
    """Return the option that a message picks which says nothing else."""
    said = plain(even(text)).strip(" .,!。！，")
    if not said or len(options) < 2 or _ASKS.search(said):
        return None
    return _by_place(said, options, lex) or _whichever(said, options, lex)


def _by_place(said: str, options: Sequence[str], lex: Lexicon) -> str | None:
    numbered = lex.form(r"(?:<dates.the>\s+)?<values.numbered>\W*(\d)\s*").fullmatch(
        in_digits(said, lex).strip()
    )
    if numbered is not None:
        at, has_numbers = int(numbered[1]), any(map(_DIGIT.search, options))
        return options[at - 1] if 0 < at <= len(options) and not has_numbers else None
    place = place_in_row(said, lex, len(options))
    if place is None:
        return None
    index, span = place
    if any(place_in_row(plain(one), lex, len(options)) for one in options):
        return None  # of "Second class" and "First class" the first is no other
    rest = without_spans(said, [(span.start, span.end)])
    beside = lex.form("<orders.the|dates.the|values.of_row|yes.tails|yes.thanks>")
    left = beside.sub(" ", rest)
    return options[index] if _WORD.search(left) is None else None


def _whichever(said: str, options: Sequence[str], lex: Lexicon) -> str | None:
    """Return the one option that stands for any, where the person does not mind."""
    unsaid = lex.form("<values.unsaid|values.whoever>")
    mild = lex.form("<yes.tails|yes.thanks|values.to_me>")
    if _WORD.search(mild.sub(" ", unsaid.sub(" ", said, count=1))) or not unsaid.search(said):
        return None
    any_of = [one for one in options if unsaid.fullmatch(plain(one))]
    return any_of[0] if len(any_of) == 1 else None
