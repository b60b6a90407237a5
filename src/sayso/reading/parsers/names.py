"""Names of places, people and things, found by how they are introduced and written; there is no
list of them."""

from __future__ import annotations

import re
from functools import cache

from sayso.reading.lexicon import Lexicon
from sayso.reading.span import Span, read_once

_UPPER = "A-ZÀ-ÖØ-ÞŠŽĀ-Ž"
_CAPITAL = rf"(?<![\w'])(?:[{_UPPER}](?:[\w&]|['.-](?=\w))*\.?(?=\W|$))"
_SMALL = (
    r"(?:of|the|de|la|las|los|le|les|del|della|di|da|do|dos|du|van|von|den|der|and|&|@|at|by|y|e|et"
    r"|und|im|in|am)"
)
#: Capitals in a row, with small words between, a number before ("544 Central Avenue"), a state
#: behind ("Vancouver, BC").
_RUN = re.compile(
    rf"(?:(?<!\d)\d+\s+)?(?:(?<!\d)\d+(?:st|nd|rd|th)\s+)?{_CAPITAL}(?:(?:\s+{_SMALL}){{0,2}}\s+(?:{_CAPITAL}|\d+(?!\s*(?:am|pm|:)))"
    rf"|\s+{_CAPITAL}|,\s[A-Z]{{2}}(?!\w)|\s+#\s?\d+)*"
)
#: A stop after a word too long to be cut short ("St.") ends a sentence, and a name with it.
_STOP = re.compile(r"(?<=\w{4})\.\s+")
_HAN_NAME = r"[\u4e00-\u9fff\u30a0-\u30ffA-Za-z]{2,12}?"


@read_once
def names_in(text: str, lex: Lexicon) -> list[Span]:
    """Find runs of capitalised words, without days and words that are capitalised only because they
    begin a sentence."""
    found = []
    if not lex.spaced:
        return []
    shouted = text.isupper() and len(text) > 12
    for match in _RUN.finditer(text):
        if shouted:
            break
        at = match.start()
        for stop in [*_STOP.finditer(text, at, match.end()), None]:
            start, end = _trimmed(text, at, stop.start() if stop else match.end(), lex)
            if end > start:
                found.append(Span(value=text[start:end], start=start, end=end))
            at = stop.end() if stop else at
    return found


def names_after(text: str, lex: Lexicon, *lists: str) -> list[Span]:
    """Find names that a word of these lists introduces ("roles.origin"); they may be lower case
    where the whole message is."""
    if not lex.spaced:
        return []
    words = lex.any_of(*lists)
    names = names_in(text, lex)
    found = []
    for match in words.finditer(text):
        at = _after(text, match.end(), lex)
        if lex.any_of("units.one").search(text, match.end(), at):
            continue  # "to a Concert" names none
        # "Siam Palace in Hayward": what introduces it may stand within a run of names.
        name = next((one for one in names if one.start <= at < one.end), None)
        if name is not None:
            found.append(Span(value=text[at : name.end], start=at, end=name.end))
        elif not names and _writes_small(text) and not text[match.end() : at].strip():
            # "to a restaurant" names no place.
            small = _small_name(text, at, lex)
            found += [small] if small is not None else []
    return found


def names_between(text: str, lex: Lexicon) -> tuple[Span | None, Span | None]:
    """Find origin and goal in languages without spaces: 从A到B, AからBまで."""
    patterns = {
        "zh": (
            rf"(?:从|自)({_HAN_NAME})(?:出发|到|去|飞|前往|$|[,，。])",
            rf"(?:到|去|飞往|飞|前往|游览)({_HAN_NAME})(?:去|玩|旅|的|待|住|$|[\d,，。!！])",
        ),
        "ja": (
            rf"({_HAN_NAME})(?:から|発)",
            rf"(?:から|、|^)?({_HAN_NAME})(?:まで|へ|に(?:行|旅|滞)|を(?:訪|旅))",
        ),
    }
    found: list[Span | None] = []
    for pattern in patterns.get(lex.code, ()):
        match = re.search(pattern, text)
        end = match.end(1) if match else 0
        while match and (tail := _frame(lex)[1].search(text, match.start(1), end)):
            end = tail.start()
        found.append(
            Span(value=text[match.start(1) : end], start=match.start(1), end=end) if match else None
        )
    return (found[0], found[1]) if found else (None, None)


def entries_in(text: str, lex: Lexicon) -> list[Span]:
    """Split a list at commas, "and" and "or"."""
    found, at = [], 0
    for match in [*_parting(lex).finditer(text), None]:
        end = match.start() if match else len(text)
        piece = text[at:end]
        start = at + len(piece) - len(piece.lstrip(" .!;\t\n"))
        words = text[start:end].rstrip(" .!;\t\n")
        if words:
            found.append(Span(value=words, start=start, end=start + len(words)))
        at = match.end() if match else end
    return found


def bare_answer(text: str, lex: Lexicon) -> Span | None:
    """Strip the polite frame from an answer: "it's Rome, please" is Rome."""
    leads, tails = _frame(lex)
    start, end = 0, len(text)
    while lex.spaced and (match := leads.match(text, start)) and match.end() > start:
        start = match.end()
    while (match := tails.search(text, start, end)) and match.start() < end:
        end = match.start()
    words = text[start:end]
    start += len(words) - len(words.lstrip(" .,!?;:\"'。，！"))
    words = words.strip(" .,!?;:\"'。，！\n\t")
    return Span(value=words, start=start, end=start + len(words)) if words else None


@cache
def _frame(lex: Lexicon) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return (
        lex.form(r"\s*<values.leads|clauses.leads|yes.yes|yes.chatter>[\s,.:!]*"),
        lex.form(r"(?<![\s,.])[\s,.]*<values.tails|yes.tails>[\s,.!]*$"),
    )


def called_in(text: str, lex: Lexicon) -> Span | None:
    """Find what something is called: "called Music practice for 3 pm" is Music practice."""
    match = lex.any_of("values.called").search(text)
    if match is None:
        return None
    rest = re.compile(r"\s*[\"“'«]?([^\"”»,.!?;\n]+)").match(text, match.end())
    if rest is None:
        return None
    words = re.split(_STOPS, rest[1], maxsplit=1, flags=re.IGNORECASE)[0].strip()
    if not lex.spaced:
        words = _SAID_TO_BE.sub("", words)
    return Span(value=words, start=rest.start(1), end=rest.start(1) + len(words)) if words else None


#: What follows a name in Japanese: "ハナで", "佐藤と申します".
_SAID_TO_BE = re.compile(r"(?:で|です|だよ?|と(?:いい|言い|申し)ます)$")


def people_named(text: str, lex: Lexicon) -> list[Span]:
    """Find people in languages without spaces, by what stands beside their names: 给王芳."""
    beside = _PEOPLE.get(lex.code)
    found = beside.finditer(text) if beside is not None else ()
    return [Span(value=one[1], start=one.start(1), end=one.end(1)) for one in found]


_PEOPLE = {
    "zh": re.compile(r"(?:给|为|叫)([\u4e00-\u9fff]{1,3}?[^\W看听说打想])(?=$|的|[,，。!！、])"),
    "ja": re.compile(
        r"([\u4e00-\u9fff\u30a0-\u30ff]{2,10}|[A-Za-z]+(?: [A-Za-z]+)*)"
        r"(?:さん|様|さま|氏|ちゃん|くん)"
    ),
}
#: Where such a name ends: at a time or a day, or at another request.
_STOPS = (
    r"\s+(?:(?:for|at|on|from|to|by|in|um|für|am|pour|à|le|para|a las|el|alle|il|voor|om|op)"
    r"(?=\s+(?:\d|the\b|next\b|today|tomorrow|noon|midnight|half\b|quarter\b|mon|tues|wed|thu|fri|sat"
    r"|sun))|and|und|et|y|e|ed|en|please|with)(?!\w)"
)


def _after(text: str, at: int, lex: Lexicon) -> int:
    match = re.compile(rf"\s*(?:{lex.any_of('orders.the').pattern}\s+)?", re.IGNORECASE).match(
        text, at
    )
    return match.end() if match else at


def _writes_small(text: str) -> bool:
    """Return whether the text has no capitals at all, so that "rome" may be a name."""
    return re.search(rf"[{_UPPER}]", text) is None


def _small_name(text: str, at: int, lex: Lexicon) -> Span | None:
    stops = _small_stops(lex)
    words: list[re.Match[str]] = []
    for match in re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*").finditer(text, at):
        gap = text[words[-1].end() if words else at : match.start()]
        if gap.strip() or match[0].casefold() in stops or len(words) == 2:
            break
        words.append(match)
    if not words:
        return None
    start, end = words[0].start(), words[-1].end()
    return Span(value=text[start:end], start=start, end=end)


def _trimmed(text: str, start: int, end: int, lex: Lexicon) -> tuple[int, int]:
    """Trim habitual first words of a sentence, days, and the numbers before them."""
    common = common_words(lex)
    opens = not text[:start].strip() or text[:start].rstrip()[-1] in ".!?;:"
    openers = frozenset(lex.words("values", "openers")) if opens else frozenset()
    while start < end:
        word = re.compile(r"\S+").match(text, start)
        if word is None or word.end() > end:
            break
        plain = word[0].strip(".,'").casefold()
        if not (
            plain in openers
            or plain in common
            or (plain.isdigit() and _next_is_common(text, word.end(), common))
        ):
            break
        start = word.end()
        while start < end and text[start].isspace():
            start += 1
    piece = text[start:end].rstrip(" ,")
    while piece and (last := piece.split()[-1]).strip(".,").casefold() in common and " " in piece:
        piece = piece[: -len(last)].rstrip(" ,")
    if piece.endswith(".") and not re.search(r"\b[A-Z]\.$", piece):
        piece = piece[:-1]
    alone = piece.isdigit() or piece.casefold() in common
    return (start, start) if alone else (start, start + len(piece))


def _next_is_common(text: str, at: int, common: frozenset[str]) -> bool:
    word = re.compile(r"\s*(\S+)").match(text, at)
    return word is None or word[1].strip(".,").casefold() in common


@cache
def common_words(lex: Lexicon) -> frozenset[str]:
    """Return the words that are no name by themselves, however they are written."""
    lists = (("values", "common"), ("clauses", "leads"), ("clauses", "subjects"))
    said = (word for each in lists for word in lex.words(*each))
    return frozenset([*said, *lex.months, *lex.weekdays, *lex.numbers])


@cache
def closed_words(lex: Lexicon) -> frozenset[str]:
    """Return the words of which no name is made; an article may begin one."""
    lists = (
        *lex.lists("clauses"),
        *(("roles", name) for name in ("origin", "goal", "place", "start", "end", "near")),
        *(("values", name) for name in ("nowhere", "not_places", "unsure", "chatter", "nearly")),
        ("orders", "polite"),
        ("yes", "no"),
    )
    words = frozenset(word for each in lists for word in lex.words(*each))
    return words - set(lex.words("orders", "the"))


@cache
def _small_stops(lex: Lexicon) -> frozenset[str]:
    words = [*closed_words(lex), *common_words(lex), *lex.words("orders", "the")]
    for name in ("origin", "goal", "place"):
        words += lex.words("roles", name)
    return frozenset(words)


@cache
def _parting(lex: Lexicon) -> re.Pattern[str]:
    words = lex.alternatives(lex.words("values", "and"))
    space = r"\s*" if not lex.spaced else r"\s+"
    return re.compile(
        rf"(?<!\s)(?:\s*[,;、，\n]\s*(?:{words}\s+)?|{space}{words}{space})", re.IGNORECASE
    )
