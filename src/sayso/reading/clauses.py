"""A message cut into clauses, each with its mood: said, asked, denied, supposed, of somebody else.

Whoever reads a yes or a value asks here first in what mood its words stand: their own (`moods.py`),
that of the pieces before them in the sentence, and that of the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from sayso.reading.lexicon import Lexicon
from sayso.reading.moods import Mood, has_addressee, inverted, own_moods, supposes_by_order
from sayso.reading.normalize import LONGEST_READ, even
from sayso.reading.parsers.numbers import in_digits
from sayso.reading.pasted import pasted_spans
from sayso.reading.sentences import after_lead

#: How many clauses of one message are told apart; what follows belongs to the last.
_MOST_CLAUSES = 80
_HARD_END = re.compile(
    r"(?:[!?。！？;；…\n]|(?<!\d)(?<!\b\w)(?<!\b[DHJMS]r)(?<!\bFr)(?<!\bMrs)(?<!\bSra)\.(?=[\s)\"'”]|$)|(?<=\d)\.(?=\s*$))+"
)
_SOFT_END = re.compile(r"[,，、()（）—]+(?!\d)|\s-+\s|\.\.+|:(?=\s)")
#: A number that is only named to be ruled out: "100 | not 120", "three | and not two".
_RULED_OUT = r"\s+(?:<clauses.joints>\s+)?<values.not_this>(?=\s+(?:<yes.glue>\s+)?\d)"
_QUESTION = re.compile(r"[?？]")
#: What does not end with its clause: the pieces after it that have no subject share it.
_LASTING = frozenset(
    {Mood.ASKED, Mood.CONDITIONAL, Mood.HYPOTHETICAL, Mood.PAST, Mood.OF_ANOTHER, Mood.LATER}
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of a message, by positions in it."""

    start: int
    end: int
    moods: frozenset[Mood]

    def words(self, text: str) -> str:
        return text[self.start : self.end]

    def is_any(self, *moods: Mood) -> bool:
        return not self.moods.isdisjoint(moods)


@lru_cache(maxsize=16)
def clauses_in(message: str, lex: Lexicon) -> tuple[Clause, ...]:
    """Return the clauses of a message in order, none empty."""
    text = even(message)[:LONGEST_READ]
    quoted = pasted_spans(message[:LONGEST_READ], lex)
    found: list[Clause] = []
    for start, end in _sentences(text):
        found += _clauses_of(text, start, end, quoted, lex)
    return tuple(found)


def _clauses_of(
    text: str, start: int, end: int, quoted: list[tuple[int, int]], lex: Lexicon
) -> Iterator[Clause]:
    is_question = bool(_QUESTION.search(text[start:end].rstrip()[-3:]))
    pieces = list(_pieces(text, start, end, lex))
    to_another = has_addressee(text[start:end], lex)
    before: frozenset[Mood] = frozenset()
    for at, (left, right, turned) in enumerate(pieces):
        words = text[left:right]
        moods = own_moods(words, lex)
        if at == 0 and len(pieces) > 1 and not is_question and supposes_by_order(words, lex):
            moods = moods - {Mood.ASKED} | {Mood.CONDITIONAL}
        if at == 1 and not is_question and _answers(text[pieces[0][0] : left], words, lex):
            moods -= {Mood.ASKED}
        asks = at == len(pieces) - 1 or (at == len(pieces) - 2 and _is_tag(text, pieces[-1], lex))
        if is_question and asks and Mood.REQUESTED not in moods:
            moods |= {Mood.ASKED}
        if not turned and not _has_subject(words, lex) and Mood.ORDER not in moods:
            moods |= before & _LASTING
        elif Mood.CONDITIONAL in before and not turned:
            moods |= {Mood.CONDITIONAL}
        before = moods
        if to_another:
            moods |= {Mood.TO_ANOTHER}
        if any(a < right and left < b for a, b in quoted):
            moods |= {Mood.QUOTED}
        follows = pieces[at + 1 : at + 2]
        if follows and follows[0][0] == right and not moods and not _contrasts(text, right, lex):
            # "jeudi on peut pas": they share their "not".
            moods |= own_moods(text[follows[0][0] : follows[0][1]], lex) & {Mood.NEGATED}
        yield Clause(left, right, frozenset(moods))


def _has_subject(words: str, lex: Lexicon) -> bool:
    """Return whether the piece is a clause of its own, and not a rest of the one before it."""
    rest = after_lead(words.casefold(), lex)
    personal = lex.any_of("clauses.subjects", "clauses.others").match(rest)
    return personal is not None and len(rest.split()) > 2


def _is_tag(text: str, piece: tuple[int, int, bool], lex: Lexicon) -> bool:
    """Return whether one word asks for a clause before it to be so: "that is 8, right?"."""
    said = text[piece[0] : piece[1]].strip(" ?？").casefold()
    begs = lex.form("<values.tails|orders.polite|yes.lets|doubts.proposals>").fullmatch(said)
    return lex.spaced and said.isalpha() and begs is None


def _answers(lead: str, words: str, lex: Lexicon) -> bool:
    """Return whether it follows a yes with its verb first, as statements may in languages that need
    no pronoun: "sì, serve un seggiolone"."""
    said = words.strip().casefold()
    if lex.code not in ("es", "it", "pt") or not inverted(lex).match(after_lead(said, lex)):
        return False
    return lex.any_of("yes.yes").fullmatch(lead.strip(" ,.!").casefold()) is not None


def _contrasts(text: str, at: int, lex: Lexicon) -> bool:
    """Return whether what follows is only named to be ruled out: "Naples | instead of Rome"."""
    if not lex.spaced or lex.any_of("clauses.contrast").match(text, at):
        return True
    return lex.form(_RULED_OUT).match(in_digits(text, lex), at) is not None


# ── cutting ──


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for match in _HARD_END.finditer(text):
        yield at, match.end()
        at = match.end()
    yield at, len(text)


def _pieces(text: str, start: int, end: int, lex: Lexicon) -> Iterator[tuple[int, int, bool]]:
    """Yield the pieces of a sentence; the third tells that a "but" stands before it."""
    at, turned = start, False
    for count, match in enumerate(_joint(lex).finditer(in_digits(text, lex), start, end)):
        if count == _MOST_CLAUSES:
            break
        if match["keep"] and _asks_on(text[at : match.start()], lex):
            continue
        upto = match.start()
        while (
            match["keep"] and lex.spaced and text[upto - 1 : upto + 1].isalpha() and upto > at + 1
        ):
            upto += 1  # digits are shorter than the words they stand for
        if re.search(r"\w", text[at:upto]):
            yield at, upto, turned
            turned = False
        # "if only I could" turns nothing round.
        opens = re.fullmatch(r"\W*\w+\W*", text[at : match.start()]) is not None
        at = upto if match["keep"] else match.end()
        turned = turned or (match["turn"] is not None and not (lex.spaced and opens))
    if re.search(r"\w", text[at:end]):
        yield at, end, turned


def _asks_on(lead: str, lex: Lexicon) -> bool:
    """Return whether the words before belong to the same question: "how" before "can you"."""
    return lex.any_of("clauses.asking").match(after_lead(lead.casefold(), lex)) is not None


@cache
def _joint(lex: Lexicon) -> re.Pattern[str]:
    """Where a clause ends within a sentence: at a comma, at a "but", at an "and" before a new
    subject or verb; and before an "if" or a "can you"."""
    if not lex.spaced:
        # "ローマじゃなくてナポリ": what is denied ends with its denial.
        denied = "|".join(rf"(?<={word})" for word in lex.words("clauses", "contrast_after"))
        return lex.form(
            rf"{_SOFT_END.pattern}|(?P<turn><clauses.turns>)|(?P<keep>(?:{denied or '(?!)'})(?!て))"
        )
    begins = "clauses.subjects|clauses.inverting|clauses.asking|clauses.requests"
    opens = "<clauses.conditions|clauses.whens|clauses.requests|clauses.contrast>"
    return lex.form(
        rf"{_SOFT_END.pattern}|(?P<turn><clauses.turns>)|<clauses.joints>(?=\s+<{begins}|orders.make|orders.acting>)"
        rf"|(?P<keep>{opens}|(?<=\d){_RULED_OUT})"
    )
