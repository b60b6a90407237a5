"""A message cut into clauses, each with its mood: said, asked, denied, supposed, of somebody else.

Whoever reads a yes or a value asks here first in what mood its words stand. Only closed classes of
words decide (`grammar/<language>.toml`: pronouns, verbs that turn round in a question, negators,
conjunctions), never the things that people talk about. Where nothing tells, a clause has no mood:
it is a plain statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache

from sayso.reading.lexicon import Lexicon
from sayso.reading.normalize import LONGEST_READ, even
from sayso.reading.parsers.numbers import in_digits
from sayso.reading.pasted import pasted_spans

#: How many clauses of one message are told apart; what follows belongs to the last.
_MOST_CLAUSES = 80
#: How far behind "can you" its verb stands at most, in characters: "please also".
_VERB_WITHIN = 24
_HARD_END = re.compile(
    r"(?:[!?。！？;；…\n]|(?<!\d)(?<!\b\w)(?<!\b[DHJMS]r)(?<!\bFr)(?<!\bMrs)(?<!\bSra)\.(?=[\s)\"'”]|$)|(?<=\d)\.(?=\s*$))+"
)
_SOFT_END = re.compile(r"[,，、()（）—]+(?!\d)|\s-+\s|\.\.+|:(?=\s)")
_QUESTION = re.compile(r"[?？]")
_PRONOUN_AFTER = re.compile(
    r"(?<!\w)\w+-(?:t-)?(?:je|tu|il|elle|on|nous|vous|ils|elles|ce)(?!\w)|(?<!\w)\w{2,}st du(?!\w)",
    re.IGNORECASE,
)


class Mood(StrEnum):
    """How a clause is meant, where it is not simply said."""

    ASKED = "asked"
    #: A question that asks for something to be done: "could you book a table?".
    REQUESTED = "requested"
    NEGATED = "negated"
    CONDITIONAL = "conditional"
    #: It holds from some later time on: "when I'm back".
    LATER = "later"
    HYPOTHETICAL = "hypothetical"
    PAST = "past"
    OF_ANOTHER = "of_another"
    TO_ANOTHER = "to_another"
    QUOTED = "quoted"
    ORDER = "order"


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
    subject or verb; and
    before an "if" or a "can you"."""
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


#: A number that is only named to be ruled out: "100 | not 120", "three | and not two".
_RULED_OUT = r"\s+(?:<clauses.joints>\s+)?<values.not_this>(?=\s+(?:<yes.glue>\s+)?\d)"


def _ruled_out(lex: Lexicon) -> re.Pattern[str]:
    return lex.form(_RULED_OUT)


def _clauses_of(
    text: str, start: int, end: int, quoted: list[tuple[int, int]], lex: Lexicon
) -> Iterator[Clause]:
    is_question = bool(_QUESTION.search(text[start:end].rstrip()[-3:]))
    pieces = list(_pieces(text, start, end, lex))
    to_another = _has_addressee(text[start:end], lex)
    before: frozenset[Mood] = frozenset()
    for at, (left, right, turned) in enumerate(pieces):
        words = text[left:right]
        moods = _own_moods(words, lex)
        if at == 0 and len(pieces) > 1 and not is_question and _supposes_by_order(words, lex):
            moods = moods - {Mood.ASKED} | {Mood.CONDITIONAL}
        if at == 1 and not is_question and _answers(text[pieces[0][0] : left], words, lex):
            moods -= {Mood.ASKED}
        asks = at == len(pieces) - 1 or (at == len(pieces) - 2 and _is_tag(text, pieces[-1], lex))
        if is_question and asks and Mood.REQUESTED not in moods:
            moods |= {Mood.ASKED}
        if not turned and not has_subject(words, lex) and Mood.ORDER not in moods:
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
            moods |= _own_moods(text[follows[0][0] : follows[0][1]], lex) & {Mood.NEGATED}
        yield Clause(left, right, frozenset(moods))


def _is_tag(text: str, piece: tuple[int, int, bool], lex: Lexicon) -> bool:
    """Return whether one word asks for a clause before it to be so: "that is 8, right?"."""
    said = text[piece[0] : piece[1]].strip(" ?？").casefold()
    begs = lex.form("<values.tails|orders.polite|yes.lets|doubts.proposals>").fullmatch(said)
    return lex.spaced and said.isalpha() and begs is None


def _answers(lead: str, words: str, lex: Lexicon) -> bool:
    """Return whether it follows a yes with its verb first, as statements may in languages that need
    no pronoun: "sì, serve un seggiolone"."""
    said = words.strip().casefold()
    if lex.code not in ("es", "it", "pt") or not _inverted(lex).match(after_lead(said, lex)):
        return False
    return lex.any_of("yes.yes").fullmatch(lead.strip(" ,.!").casefold()) is not None


def _contrasts(text: str, at: int, lex: Lexicon) -> bool:
    """Return whether what follows is only named to be ruled out: "Naples | instead of Rome"."""
    rules_out = lex.any_of("clauses.contrast").match(text, at) or _ruled_out(lex).match(
        in_digits(text, lex), at
    )
    return not lex.spaced or rules_out is not None


# ── moods ──


def _supposes_by_order(words: str, lex: Lexicon) -> bool:
    """Return whether its verb comes first in place of an "if": "should it rain, …"."""
    verb = lex.any_of("clauses.supposing_verbs").match(words.strip())
    return verb is not None and len(words.split()) > 2


def _own_moods(words: str, lex: Lexicon) -> frozenset[Mood]:
    said = words.strip().casefold().replace("\n", " ")
    asked = _asked(said, lex)
    moods = {asked} if asked is not None else set()
    if _holds(said, "negation", lex, but_not="clauses.not_negating") and not _limits(said, lex):
        moods.add(Mood.NEGATED)
    if _holds(said, "conditions", lex):
        moods.add(Mood.CONDITIONAL)
    if _opens_with(said, lex.any_of("clauses.whens"), lex):
        moods.add(Mood.LATER)
    if asked is not Mood.REQUESTED and _holds(said, "wishing", lex, but_not="clauses.not_wishing"):
        moods.add(Mood.HYPOTHETICAL)
    if _holds(said, "past", lex, but_not="clauses.not_past"):
        moods.add(Mood.PAST)
    if _is_of_another(said, lex):
        moods.add(Mood.OF_ANOTHER)
    if asked is None and _orders(said, lex):
        moods.add(Mood.ORDER)
    return frozenset(moods)


def _limits(said: str, lex: Lexicon) -> bool:
    """Return whether it says how much it may be: "mehr als 400 habe ich nicht"."""
    more = lex.form(r"<relative.more>\s+(?:als|than|dan|de|di|que|do que)\s+\d+\D*$")
    return lex.spaced and more.search(in_digits(said, lex)) is not None


def _holds(said: str, words: str, lex: Lexicon, *, but_not: str = "") -> bool:
    """Return whether such a word stands in it, outside the sayings that use it otherwise."""
    if but_not:
        said = lex.any_of(but_not, "yes.yes").sub(" ", said)
    return lex.any_of(f"clauses.{words}").search(said) is not None


def _asked(said: str, lex: Lexicon) -> Mood | None:
    """Return how the clause asks, if it does: by a question word, by its verb coming first, by its
    last syllable. No mark is needed."""
    rest = after_lead(lex.any_of("clauses.not_asking").sub(" ", said), lex)
    request = lex.any_of("clauses.requests")
    asks_for = request.match(rest) if lex.spaced else request.search(rest)
    if asks_for is not None:
        return Mood.ASKED if _tells(rest[asks_for.end() :], lex) else Mood.REQUESTED
    asking = lex.any_of("clauses.asking")
    if asking.match(rest) if lex.spaced else asking.search(rest):
        return Mood.ASKED
    if _inverted(lex).match(rest) or _PRONOUN_AFTER.match(rest) or rest.startswith("¿"):
        return Mood.ASKED
    ends = lex.words("clauses", "asking_last")
    # "吧？" asks, and "吧" proposes: an ending may have its mark.
    said_so, marked = said.rstrip(" .。!！?？~～"), said.rstrip(" .。!！~～").replace("?", "？")
    if any(marked.endswith(end) if "？" in end else said_so.endswith(end) for end in ends):
        return Mood.ASKED
    return None


def _tells(rest: str, lex: Lexicon) -> bool:
    """Return whether the verb of a request is one of telling: "can you speak German"."""
    match = lex.any_of("clauses.telling").search(rest)
    return match is not None and match.start() < _VERB_WITHIN


def _inverted(lex: Lexicon) -> re.Pattern[str]:
    """A clause whose verb comes before its subject: "is it", "do I", "muss ich", "es seguro"."""
    # "is auth in production", where no pronoun follows; not "is fine", "was thinking".
    return lex.form(
        r"(?:<clauses.inverting>\s+<clauses.subjects>|<clauses.inverting_pronoun>\s+<clauses.pronouns>"
        r"|<clauses.loose>\s+(?!<clauses.states>|\w+ing\b)\w)"
    )


def _is_of_another(said: str, lex: Lexicon) -> bool:
    """Return whether somebody else is its subject: "my boss flies", "she wants"."""
    if lex.any_of("clauses.with_me", "clauses.impersonal").search(said):
        return False
    rest = after_lead(said, lex)
    if lex.any_of("clauses.others").match(rest):
        return True
    mine, gap = r"<clauses.possessives>\s+", r"\s+"
    if not lex.spaced:
        mine, gap = "(?:<clauses.possessives>)?", r"\s*"
    somebody = lex.form(rf"{mine}<clauses.kin|values.partner>{gap}(?!<values.and>)\w")
    return somebody.match(rest) is not None


def _orders(said: str, lex: Lexicon) -> bool:
    verbs = lex.any_of("orders.make", "orders.acting")
    return bool(verbs.match(after_lead(said, lex)) if lex.spaced else verbs.search(said))


def has_subject(words: str, lex: Lexicon) -> bool:
    """Return whether the piece is a clause of its own, and not a rest of the one before it."""
    rest = after_lead(words.casefold(), lex)
    personal = lex.any_of("clauses.subjects", "clauses.others").match(rest)
    return personal is not None and len(rest.split()) > 2


def _opens_with(said: str, words: re.Pattern[str], lex: Lexicon) -> bool:
    """Return whether such a word opens the clause and a clause follows it: "when I'm back", but
    not "after 5 pm"."""
    rest = after_lead(said, lex)
    match = words.match(rest) if lex.spaced else words.search(rest)
    if match is None:
        return False
    if not lex.spaced:
        return True
    follows = rest[match.end() :].strip()
    return (
        not re.match(r"\d", follows) and lex.any_of("clauses.subjects").match(follows) is not None
    )


def after_lead(said: str, lex: Lexicon) -> str:
    """Return the clause without the small words that may stand before it."""
    rest = said.lstrip(" ,.!¡\"'“”(:-")
    lead = lex.any_of("clauses.leads", "clauses.joints", "clauses.turns")
    for _ in range(4):
        match = lead.match(rest)
        if match is None or match.end() == 0:
            break
        rest = rest[match.end() :].lstrip(" ,.!")
    return rest


def _has_addressee(sentence: str, lex: Lexicon) -> bool:
    """Return whether it speaks to somebody else by name: "Tom, can you …", "@bob yes"."""
    if re.search(r"(?<!\w)@\w+", sentence):
        return True
    greeted = lex.form(r"\s*(?:<clauses.greetings>\s+)?(\w[\w'-]+),\s*((?s:.)+)").match(sentence)
    if greeted is None or not greeted[1][0].isupper():
        return False
    name, rest = greeted[1].casefold(), greeted[2].casefold()
    if lex.any_of("yes.yes", "yes.ok", "yes.praise", "yes.no", "clauses.leads").fullmatch(name):
        return False
    return lex.any_of("clauses.requests").match(rest) is not None or bool(
        # "Paris, please" speaks to nobody.
        lex.form(r"<clauses.second_person>\s+\w").match(rest)
    )
