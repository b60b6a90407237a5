"""Choices: one of several given words, a yes or no about something, which of several offers."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile

from sayso.reading.clauses import clauses_in
from sayso.reading.frame_words import common_words
from sayso.reading.lexicon import Lexicon, is_in_any, lexicon
from sayso.reading.moods import Mood
from sayso.reading.parsers.numbers import numbers_in
from sayso.reading.span import Span, apart

#: A mark joins an ending to its word ("men's"), and no word to what it is about ("dell'IPCC").
_WORD = re.compile(r"\w+(?:\.\w+|'\w{1,2}(?!\w))*")
#: So many letters make a stem, and at most as many an ending.
_STEM = 5
_NONE = ("clauses.negation", "yes.no", "values.none")


def choices_in(
    text: str, choices: Sequence[str], lex: Lexicon, about: Sequence[str] = ()
) -> list[Span]:
    """Find the choices that are said: in full; by a word that only one of them has; as "no <slot>"
    where one is "none"; and, where none of it is there, with a typing error."""
    found: list[Span] = []
    for choice in choices:
        for match in _in_full(choice, lex.spaced).finditer(text):
            found.append(Span(value=choice, start=match.start(), end=match.end()))
    if all(choice.isdigit() for choice in choices):
        for number in numbers_in(text, lex):
            if str(number.value) in choices:
                found.append(Span(value=str(number.value), start=number.start, end=number.end))
    found += _by_size(text, choices, lex) or _by_one_word(text, choices, lex, about)
    if none := next((one for one in choices if is_in_any(one.casefold(), *_NONE)), None):
        words = lex.alternatives(about)
        for match in lex.form(rf"<clauses.negation>\s*(?:\w+\s+)?{words}").finditer(text):
            found.append(Span(value=none, start=match.start(), end=match.end()))
    return apart(found or _nearly(text, choices))


@lru_cache(maxsize=1024)
def _in_full(choice: str, spaced: bool) -> re.Pattern[str]:
    plural = "(?:e?s)?" if spaced else ""
    gap = rf"{plural}[\s-]*"
    words = gap.join(re.escape(part) for part in re.split(r"[\s-]+", choice) if part)
    edges = (r"(?<!\w)", rf"{plural}(?!\w)") if spaced else ("", "")
    return re.compile(f"{edges[0]}{words}{edges[1]}", re.IGNORECASE)


def yes_or_no(text: str, lex: Lexicon) -> Span | None:
    """Find the yes or the no of a reply, in the first clause that has one; where it has both
    ("yes no", "not sure"), there is none."""
    said = _blanked(lex.any_of("clauses.not_negating"), text)
    agrees = lex.any_of("yes.yes", "yes.ok", "values.true")
    refuses = lex.any_of("yes.no", "clauses.negation", "values.false")
    for clause in re.finditer(r"[^,.;!?\n。，！？]+", said):
        yes = agrees.search(said, clause.start(), clause.end())
        no = refuses.search(_blanked(agrees, said), clause.start(), clause.end())
        if yes and no:
            return None
        if found := yes or no:
            return Span(value=found is yes, start=found.start(), end=found.end())
    return None


def _blanked(words: re.Pattern[str], text: str) -> str:
    """Return the text without these words, of the same length."""
    return words.sub(lambda match: " " * len(match[0]), text)


def told_about(text: str, about: Sequence[str], lex: Lexicon) -> Span | None:
    """Find whether a thing is wanted or not: "a shared ride is fine", "no breakfast"."""
    match = re.search(lex.alternatives(about), text, re.IGNORECASE)
    if match is None:
        return None
    start = max(text.rfind(sign, 0, match.start()) for sign in ".!?;,\n") + 1
    ends = [at for sign in ".!?;,\n" if (at := text.find(sign, match.end())) >= 0]
    end = min(ends, default=len(text))
    clause = text[start:end]
    begs = lex.any_of("orders.polite", "clauses.leads", "clauses.requests").match(clause.strip())
    asks = text[end : end + 1] == "?" and not begs
    if asks or any(one.is_any(Mood.ASKED) for one in clauses_in(clause, lex)):
        return None
    row = rf"{lex.alternatives(about)}(?:[\s-]+{lex.alternatives(about)})*"
    spoken = max(re.finditer(row, clause, re.IGNORECASE), key=lambda m: len(m[0]))
    first, last = start + spoken.start(), start + spoken.end()
    # "no problem with a shared ride" refuses nothing; the same length keeps all places true.
    unopposed = _blanked(lex.any_of("values.no_objection"), clause)
    refused = lex.any_of("clauses.negation").search(unopposed)
    if refused is None:
        return Span(value=True, start=first, end=last)
    first, last = min(first, start + refused.start()), max(last, start + refused.end())
    return Span(value=False, start=first, end=last)


def told_of(text: str, nouns: Sequence[str], lex: Lexicon) -> Span | None:
    """Find whether one of these things is to be there, by the word right beside it: "without
    insurance", "add a high chair"."""
    if not nouns:
        return None
    thing = lex.alternatives(nouns)
    refusing = "<clauses.negation|orders.clearing>"
    for value, beside in ((False, refusing), (True, "<values.adding>")):
        gap = r"\s+(?:[^\W\d_]+(?:'\s*|\s+)){0,2}?" if lex.spaced else "[要用买带了]?"
        match = lex.form(rf"{beside}{gap}{thing}").search(text)
        if match is None and not lex.spaced:
            match = lex.form(rf"{thing}[はをがも]?{beside}").search(text)
        if match is not None:
            return Span(value=value, start=match.start(), end=match.end())
    return None


def named_in(text: str, offered: Sequence[str], lex: Lexicon) -> list[Span]:
    """Return which of these names a text speaks of, whole or by words that only one of them has."""
    found = []
    words = [(match[0].casefold(), match.start(), match.end()) for match in _WORD.finditer(text)]
    plain = "".join(word for word, *_ in words)
    own = [set(_words_of(name)) for name in offered]
    common = common_words(lex)
    for name, parts in zip(offered, own, strict=True):
        others = (
            set().union(*(other for other in own if other is not parts)) if len(own) > 1 else set()
        )
        hits = [w for w in words if w[0] in parts - others - common and len(w[0]) > 2]
        joined = "".join(_words_of(name))
        if len(joined) > 3 and joined in plain:
            hits = hits or [w for w in words if w[0] in joined and len(w[0]) > 2]
        enough = len(hits) * 2 >= len(parts) or (len(offered) > 1 and hits)
        if hits and enough:
            found.append(Span(value=name, start=hits[0][1], end=hits[-1][2]))
    return found


def place_in_row(text: str, lex: Lexicon, of: int) -> tuple[int, Span] | None:
    """ "the second one", "the middle one": which of so many, from 0."""
    for index, name in enumerate(("first", "second", "third")):
        match = lex.any_of(f"values.{name}").search(text)
        if match is not None and index < of:
            return index, Span(value=index, start=match.start(), end=match.end())
    middle = {"middle": of // 2} if of % 2 else {}
    for name, index in {**middle, "last": of - 1}.items():
        if match := lex.any_of(f"values.{name}").search(text):
            return index, Span(value=index, start=match.start(), end=match.end())
    return None


def _by_one_word(
    text: str, choices: Sequence[str], lex: Lexicon, about: Sequence[str]
) -> list[Span]:
    own = {choice: set(_words_of(choice)) for choice in choices}
    # "the ticket class" names the slot, not "First Class".
    common = {*lex.words("values", "generic"), *common_words(lex), *about}
    found = []
    for match in _WORD.finditer(text):
        word = match[0].casefold()
        having = [choice for choice, words in own.items() if word in words]
        tells = len(word) > 2 or (len(word) == 2 and match[0].isupper())
        if len(having) == 1 and tells and word not in common:
            found.append(Span(value=having[0], start=match.start(), end=match.end()))
    return found


def _by_size(text: str, choices: Sequence[str], lex: Lexicon) -> list[Span]:
    """Find a choice by its size: "a small car" is the compact one, if only one choice fits."""
    if not (sizes := lex.words("values", "sizes")):
        return []
    known = [lexicon(code).words("values", "sizes") for code in dict.fromkeys((lex.code, "en"))]
    found = []
    for index, words in enumerate(sizes):
        names = {w for each in known for w in each[index].split("|")}
        fitting = [choice for choice in choices if choice.casefold() in names]
        if len(fitting) == 1:
            for match in re.finditer(lex.alternatives(words.split("|")), text, re.IGNORECASE):
                found.append(Span(value=fitting[0], start=match.start(), end=match.end()))
    return found


def _nearly(text: str, choices: Sequence[str]) -> list[Span]:
    by_word = {word: choice for choice in choices for word in _words_of(choice) if len(word) > 3}
    for match in _WORD.finditer(text):
        near = _near(match[0], tuple(by_word))
        if len(near) == 1:
            return [Span(value=by_word[near[0]], start=match.start(), end=match.end())]
    return []


@lru_cache(maxsize=4096)
def _near(said: str, known: tuple[str, ...]) -> list[str]:
    """Return the known words that one may stand for: the likest, those that it begins, or those of
    its stem. A conversation compares the same small words with the same options all along."""
    word = said.casefold()
    return (
        difflib.get_close_matches(word, known, 1, cutoff=0.8)
        or [w for w in known if len(said) > 2 and w.startswith(word)]
        or [w for w in known if _is_of_one_stem(word, w)]
    )


def _is_of_one_stem(one: str, other: str) -> bool:
    """Return whether two words differ in their endings alone: "telefonisch" and "Telefoon"."""
    pairs = zip(one, other, strict=False)
    shared = len([*takewhile(lambda pair: pair[0] == pair[1], pairs)])
    return shared >= _STEM and max(len(one), len(other)) - shared <= _STEM


def _words_of(name: str) -> list[str]:
    return [match[0].casefold() for match in _WORD.finditer(name)]
