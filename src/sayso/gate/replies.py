"""Whether a reply says yes, no or not yet; by word lists alone.

A yes is a closed thing: every word of it is known to be one. A question that only asks for
information may stand beside it in its own sentence; a "but", a "not", an "if" or a value makes it
none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from sayso.gate.lexicon import LANGUAGES, Lexicon, base, lexicon
from sayso.gate.parsers.numbers import numbers_in

#: Nobody leads up to a question with more of these words ("and also, by the way"). Without an end a
#: long row of them would be read from each of its words anew.
_MOST_ASIDES = 8
#: So many of its words may begin the question that follows a yes; a later one answers nothing.
_MOST_ASKING = 12
#: A number that says when something was made: "Is that song from 2015?".
_YEARS = range(1900, 2100)
_SENTENCE = re.compile(r"[^.!?。！？;\n]+[.!?。！？;\n]*")


def is_yes_in(words: str, tag: str) -> bool:
    """In the reader's language, or wholly in the words of another that we know."""
    codes = dict.fromkeys([*([base(tag)] if tag else []), *LANGUAGES])
    return any(is_plain_yes(words, lexicon(code)) for code in codes)


def is_plain_yes(words: str, lex: Lexicon) -> bool:
    """Whether these plain words say yes and nothing that takes it back."""
    if not lex.any_of("orders.yes").search(words):
        return False
    said = False
    for sentence in sentences_of(words, lex):
        if _is_yes(sentence, lex) or _is_yes_and_asks(sentence, lex):
            said = True
        elif not (_is_filler(sentence, lex) or _only_asks(sentence, lex)):
            return False
    return said


def is_no(words: str, lex: Lexicon) -> bool:
    """A no at the beginning."""
    match = lex.any_of("orders.no").match(after_polite(words, lex))
    return match is not None


def is_later(words: str, lex: Lexicon) -> bool:
    """Not yet. "Don't create it yet" too: a negation and a "yet" in one sentence."""
    words = lex.any_of("dates.today").sub(" ", words)  # "later today" is a day
    if lex.any_of("orders.later").search(words):
        return True
    yet = lex.any_of("orders.yet")
    return any(
        yet.search(s) and lex.any_of("orders.negation").search(s) for s in sentences_of(words, lex)
    )


def sentences_of(words: str, lex: Lexicon) -> Iterator[str]:
    """Sentences; a question that is hung on with "and" is one of its own."""
    hung_on = _hung_on(lex)
    for match in _SENTENCE.finditer(words):
        part = match[0].strip()
        while (hung := hung_on.search(part)) is not None and hung.start() > 0:
            yield part[: hung.start()]
            part = part[hung.end() :]
        if re.search(r"\w", part):
            yield part


@cache
def _hung_on(lex: Lexicon) -> re.Pattern[str]:
    """ ", and what", " and do they": where a question begins that is hung on."""
    asking, also = lex.any_of("orders.asking").pattern, lex.any_of("orders.aside").pattern
    inquiring, few = lex.any_of("orders.inquiring").pattern, f"{{1,{_MOST_ASIDES}}}"
    joined = rf"\s(?:{also}\s+){few}(?={inquiring})"
    return re.compile(
        rf"(?:,\s*(?:(?:{also}\s+){few})?|\s(?:{also}\s+){few})(?={asking})|{joined}",
        re.IGNORECASE,
    )


def after_polite(clause: str, lex: Lexicon) -> str:
    polite = re.compile(rf"[\s,]*{lex.any_of('orders.polite').pattern}[\s,]*", re.IGNORECASE)
    at = 0
    while (match := polite.match(clause, at)) and match.end() > at:
        at = match.end()
    return clause[at:].strip(" ,")


def without(words: re.Pattern[str], text: str) -> tuple[str, bool]:
    rest, count = words.subn(" ", text)
    return rest, count > 0


def bare(sentence: str) -> str:
    return sentence.strip(" .!?。！？;\n,，")


def _is_yes(sentence: str, lex: Lexicon) -> bool:
    return lex.any_of("orders.yes").search(sentence) is not None and _is_filler(sentence, lex)


def _is_filler(sentence: str, lex: Lexicon) -> bool:
    if sentence.endswith(("?", "？")):
        return False
    rest = _without_the_thing(bare(sentence), lex)
    rest, _ = without(lex.any_of("orders.yes", "orders.filler"), rest)
    return not re.search(r"\w", rest)


def _without_the_thing(sentence: str, lex: Lexicon) -> str:
    """ "Yes, book the room" names the thing at hand; "a room" and "the large room" may be new."""
    return without(_the_thing(lex), sentence)[0]


@cache
def _the_thing(lex: Lexicon) -> re.Pattern[str]:
    definite, things = lex.any_of("orders.definite").pattern, lex.any_of("orders.things").pattern
    return re.compile(rf"{definite}\s*{things}(?:'s)?", re.IGNORECASE)


def _is_yes_and_asks(sentence: str, lex: Lexicon) -> bool:
    """ "Yes what is the address?", "great, do they take cards?": without a stop between the two."""
    asking = lex.any_of("orders.asking", "orders.checking", "orders.asking_for")
    return any(
        _is_yes(sentence[: match.start()], lex) and _only_asks(sentence[match.start() :], lex)
        for match in islice(asking.finditer(sentence), _MOST_ASKING)
        if match.start() > 0
    )


def _only_asks(sentence: str, lex: Lexicon) -> bool:
    """A question for information, which changes nothing and doubts nothing."""
    rest = _after_asides(bare(sentence), lex)
    if _names_facts(rest, lex):
        return True
    asking = lex.any_of("orders.asking").match(rest)
    known = asking or lex.any_of("orders.knowing").match(rest)
    asks_whether = False
    if known is not None:
        rest_of_it, asks_whether = _without_whether(rest[known.end() :], lex)
        if asking is not None or asks_whether:
            asking, rest = known, rest_of_it
    if lex.any_of("orders.contrast", "orders.negation", "orders.doubting").search(rest):
        return False
    would_be, _ = without(lex.any_of("orders.being"), rest)
    changes = lex.any_of("orders.changing").search(would_be) is not None
    if asking is not None:
        return not (asks_whether and changes)
    # Any other question, if it asks for nothing to be done and holds no number.
    # Without its sign, "are they open" asks and "have it sent" does not.
    begins = "orders.inquiring" if lex.words("orders", "inquiring") else "orders.checking"
    asks = sentence.endswith(("?", "？")) or bool(lex.any_of(begins).match(rest))
    asks = asks and not changes and len(rest.split()) > 2
    return asks and not lex.any_of("orders.wanting").match(rest) and not _holds_a_value(rest, lex)


def _holds_a_value(question: str, lex: Lexicon) -> bool:
    """A number that could be meant for the card: not a year, and not "4 stars" or "1 stop"."""
    for number in numbers_in(question, lex):
        since = _since(lex).search(question, max(0, number.start - 12), number.start)
        is_year = isinstance(number.value, int) and number.value in _YEARS and since is not None
        if not is_year and not _rated(lex).match(question, number.end):
            return True
    return False


@cache
def _since(lex: Lexicon) -> re.Pattern[str]:
    return re.compile(rf"{lex.any_of('orders.since').pattern}\s*$", re.IGNORECASE)


@cache
def _rated(lex: Lexicon) -> re.Pattern[str]:
    return re.compile(rf"[\s-]*{lex.any_of('orders.rated').pattern}", re.IGNORECASE)


def _names_facts(sentence: str, lex: Lexicon) -> bool:
    """ "I need their phone number", "the address of the hotel": facts, perhaps of one thing, and no
    word beside them that is not known."""
    facts, mine = lex.any_of("orders.facts"), lex.any_of("orders.mine").pattern
    rest, found = without(facts, _without_the_thing(sentence, lex))
    if not found or re.search(rf"{mine}\s+(?:\w+\s+)?{facts.pattern}", sentence):
        return False  # "to my address" asks for none
    of, the = lex.any_of("orders.before_value").pattern, lex.any_of("orders.the").pattern
    rest = re.sub(rf"{of}\s+{the}\s+\w+|(?<!\w)\w+'s(?!\w)", " ", rest, count=1)
    rest, _ = without(lex.any_of("orders.yes", "orders.filler", "orders.asking_for"), rest)
    return not re.search(r"\w", rest)


def _after_asides(sentence: str, lex: Lexicon) -> str:
    aside = re.compile(rf"(?:{lex.any_of('orders.aside').pattern}[\s,]*)*")
    start = aside.match(sentence)
    return sentence[start.end() :] if start is not None else sentence


def _without_whether(question: str, lex: Lexicon) -> tuple[str, bool]:
    """ "Tell me if pets are allowed" sets no condition, nor does "and if they serve wine"."""
    joint = lex.any_of("orders.aside", "orders.knowing").pattern
    whether = lex.any_of("orders.whether").pattern
    return without(re.compile(rf"(?:^|{joint})[\s,]*{whether}", re.IGNORECASE), question)
