"""What keeps a yes from being leave: it is said under a condition, for later, or with a question.

Nothing here gives leave. It only tells the person why theirs did not count.
"""

from __future__ import annotations

from enum import StrEnum

from sayso.reading.clauses import Clause, clauses_in
from sayso.reading.closed_forms import closed_forms
from sayso.reading.forms import HEADS, Form
from sayso.reading.lexicon import Lexicon, lexicon_for
from sayso.reading.moods import Mood
from sayso.reading.normalize import LONGEST_READ, plain
from sayso.reading.sentences import QUESTION_MARKS

#: Beside a clause of these moods nobody says yes to the gate; in one of those, nobody says yes.
_NOT_TO_IT = (Mood.QUOTED, Mood.TO_ANOTHER)
_NO_YES = (Mood.NEGATED, Mood.HYPOTHETICAL, Mood.OF_ANOTHER)
_OPENS = frozenset({*HEADS, Form.OK})


class Hedge(StrEnum):
    """What a yes is hedged by."""

    CONDITION = "condition"
    LATER = "later"
    QUESTION = "question"


def hedge_of(message: str, language: str) -> Hedge | None:
    """Return what hedges the yes that a message says; None where it says none, or a plain one."""
    if len(message) > LONGEST_READ:
        return None
    lex = lexicon_for(plain(message), language)
    clauses = clauses_in(message, lex)
    yes = next(filter(None, (_yes_in(one, message, lex) for one in clauses)), None)
    moods = frozenset[Mood]().union(*(clause.moods for clause in clauses))
    if yes is None or not moods.isdisjoint(_NOT_TO_IT):
        return None
    asks = message.rstrip().endswith(QUESTION_MARKS)
    if not asks and Mood.CONDITIONAL in moods:
        return Hedge.CONDITION
    if Mood.PAST in moods:
        return None  # "yes, when it came it was broken"
    if not asks and Mood.LATER in moods:
        return Hedge.LATER
    return Hedge.QUESTION if (asks or Mood.ASKED in moods) and yes in HEADS else None


def asks(message: str, language: str) -> bool:
    """Return whether a message asks something."""
    lex = lexicon_for(plain(message), language)
    return any(clause.is_any(Mood.ASKED) for clause in clauses_in(message, lex))


def _yes_in(clause: Clause, message: str, lex: Lexicon) -> Form | None:
    """Return the yes that a clause begins with, if it does."""
    words = clause.words(message).strip()
    if words.endswith(QUESTION_MARKS) or clause.is_any(*_NO_YES):
        return None
    closed = closed_forms(words, lex)
    if not closed.forms or closed.forms[0] not in _OPENS:
        return None
    # "si je disais oui": a condition may be spelled as a yes is.
    supposes = lex.any_of("clauses.conditions").match(words.casefold())
    if supposes is not None and not closed.is_whole and lex.spaced:
        return None
    # "would you do it", "do it" after it, is no yes.
    asks = clause.is_any(Mood.ASKED, Mood.REQUESTED)
    return None if asks and closed.forms[0] is not Form.YES else closed.forms[0]
