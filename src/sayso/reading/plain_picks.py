"""A plain pick of one of the options shown: by its place ("the last one"), by the prices or sizes
in their names ("the cheapest"), or any ("whoever")."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sayso.reading.hedges import is_hedged
from sayso.reading.lexicon import Lexicon
from sayso.reading.normalize import even, plain
from sayso.reading.parsers.choices import place_in_row
from sayso.reading.parsers.numbers import in_digits, money_in, numbers_in
from sayso.reading.span import outside, without_spans

_WORD, _DIGIT = re.compile(r"\w+"), re.compile(r"\d")
#: Which of the numbers in the names of the options is meant, and whether they are prices.
_RANKS = {
    "cheapest": (min, True),
    "dearest": (max, True),
    "smallest": (min, False),
    "largest": (max, False),
}
#: So many words at most stand beside a degree: "gleich die größte", "cheapest you've got".
_MOST_BESIDE = 3
_ASKS = re.compile(r"[?？\"“”„«»{}\[\]]")


def plain_pick(text: str, options: Sequence[str], lex: Lexicon) -> str | None:
    """Return the option that a message picks which says nothing else."""
    said = plain(even(text)).strip(" .,!。！，")
    if not said or len(options) < 2 or _ASKS.search(said):
        return None
    return (
        _by_place(said, options, lex)
        or _by_rank(said, options, lex)
        or _whichever(said, options, lex)
    )


def ranked(said: str, options: Sequence[str], lex: Lexicon) -> str | None:
    """Return the option that is the cheapest, dearest, smallest or largest, where these words say
    so and the names of all options tell their price or size."""
    for rank, (pick, in_money) in _RANKS.items():
        if lex.any_of(f"values.{rank}").search(said) is None:
            continue
        each = [_number_in(one, lex, in_money=in_money) for one in options]
        told = [number for number in each if number is not None]
        if len(told) == len(options) and told.count(best := pick(told)) == 1:
            return options[told.index(best)]
    return None


def _number_in(option: str, lex: Lexicon, *, in_money: bool) -> float | None:
    """Return the one price in the name of an option, or the one number that is no price."""
    prices = [one for one in money_in(option, lex) if one.unit]
    found = prices if in_money else outside(numbers_in(option, lex), prices)
    return float(str(found[0].value)) if len(found) == 1 else None


def _by_rank(said: str, options: Sequence[str], lex: Lexicon) -> str | None:
    degree = lex.form(f"<{'|'.join(f'values.{rank}' for rank in _RANKS)}>")
    rest = degree.sub(" ", said, count=1)
    says_more = lex.form("<clauses.negation|values.first|values.second|values.third|yes.no>")
    if len(_WORD.findall(rest)) > _MOST_BESIDE or says_more.search(rest):
        return None
    return None if is_hedged(said, language=lex.code) else ranked(said, options, lex)


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
    names_a_place = lex.any_of("values.option").search(said) is not None
    if not names_a_place and any(place_in_row(plain(one), lex, len(options)) for one in options):
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
