"""In what mood some words are said, by themselves: asked, denied, supposed, of somebody else.

Only closed classes of words decide (`grammar/<language>.toml`: pronouns, verbs that turn round in a
question, negators, conjunctions), never the things that people talk about. Where nothing tells,
there is no mood: it is a plain statement.
"""

from __future__ import annotations

import re
from enum import StrEnum

from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.numbers import in_digits
from sayso.reading.sentences import after_lead

#: How far behind "can you" its verb stands at most, in characters: "please also".
_VERB_WITHIN = 24
_PRONOUN_AFTER = re.compile(
    r"(?<!\w)\w+-(?:t-)?(?:je|tu|il|elle|on|nous|vous|ils|elles|ce)(?!\w)|(?<!\w)\w{2,}st du(?!\w)",
    re.IGNORECASE,
)


#: Who is spoken to in a room, in every language.
_ASSISTANT = re.compile(
    r"(?<![A-Za-z])(?:siri|alexa|cortana|bixby|(?:hey|ok|okay|hallo)[ ,]+google)(?![A-Za-z])"
    r"|小爱同学|小度小度|天猫精灵",
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


def own_moods(words: str, lex: Lexicon) -> frozenset[Mood]:
    said = words.strip().casefold().replace("\n", " ")
    asked = _asked(said, lex)
    moods = {asked} if asked is not None else set()
    if _holds(said, "negation", lex, but_not="clauses.not_negating") and not _limits(said, lex):
        moods.add(Mood.NEGATED)
    if _holds(said, "conditions", lex):
        moods.add(Mood.CONDITIONAL)
    if _begins_later(said, lex):
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


def supposes_by_order(words: str, lex: Lexicon) -> bool:
    """Return whether its verb comes first in place of an "if": "should it rain, …", and not "had a
    word with him"."""
    verb = lex.form(r"<clauses.supposing_verbs>(?!\s+<units.one>)").match(words.strip())
    return verb is not None and len(words.split()) > 2


def has_addressee(sentence: str, lex: Lexicon) -> bool:
    """Return whether it speaks to somebody else: "Tom, can you …", "@bob yes", "hey siri"."""
    if re.search(r"(?<!\w)@\w+", sentence) or _ASSISTANT.search(sentence):
        return True
    greeted = lex.form(r"\s*(?:<clauses.greetings>\s+)?(\w[\w'-]+),\s*((?s:.)+)").match(sentence)
    if greeted is None or not greeted[1][0].isupper():
        return False
    name, rest = greeted[1].casefold(), greeted[2].casefold()
    if lex.any_of("yes.yes", "yes.ok", "yes.praise", "yes.no", "clauses.leads").fullmatch(name):
        return False
    # "Paris, please" speaks to nobody.
    return lex.form(r"<clauses.requests>|<clauses.second_person>\s+\w").match(rest) is not None


def inverted(lex: Lexicon) -> re.Pattern[str]:
    """A clause whose verb comes before its subject: "is it", "do I", "muss ich", "es seguro"."""
    # "is auth in production", where no pronoun follows; not "is fine", "was thinking".
    return lex.form(
        r"(?:<clauses.inverting>\s+<clauses.subjects>|<clauses.inverting_pronoun>\s+<clauses.pronouns>"
        r"|<clauses.loose>\s+(?!<clauses.states>|\w+ing\b)\w)"
    )


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
    if inverted(lex).match(rest) or _PRONOUN_AFTER.match(rest) or rest.startswith("¿"):
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


def _begins_later(said: str, lex: Lexicon) -> bool:
    """Return whether a "when" opens the clause and a clause follows it: "when I'm back", but not
    "after 5 pm"."""
    rest, whens = after_lead(said, lex), lex.any_of("clauses.whens")
    if not lex.spaced:
        return whens.search(rest) is not None
    when = whens.match(rest)
    follows = rest[when.end() :].strip() if when is not None else ""
    is_clause = lex.any_of("clauses.subjects").match(follows) is not None
    return is_clause and re.match(r"\d", follows) is None


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
