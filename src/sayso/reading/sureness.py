"""How surely a value has to be heard to be stated, and to be offered."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sayso.core.extraction_ops import Doubt
from sayso.reading.doubts import follows_a_denial
from sayso.reading.heard_message import HeardMessage
from sayso.reading.normalize import plain
from sayso.reading.said_values import values_said
from sayso.reading.slot_types import SlotType

if TYPE_CHECKING:
    from sayso.reading.hearing import HeardValue

#: How likely a value has to be: an answer, anything else; an answer or a change in whose clause
#: there is a doubt; and what is asked, or in doubt without being asked for.
ANSWERED, STATED, DOUBTED, IN_QUESTION = 0.6, 0.5, 0.85, 0.95
#: What is only supposed, where nobody asked: "maybe to Rome".
SUPPOSED = 0.995
#: The name of a person that takes the place of a known one, where nobody asked for it.
RENAMED = 0.97
#: An answer that is heard without the talk behind it, and not with it.
ALONE = 0.9
#: The answer to the last of several questions, where the same message answers the others.
LEFT_OVER = 0.12
#: What puts a known value in question.
IN_QUESTION_FROM = 0.57
#: What is as likely as this is offered; where one of several questions may be answered, or a doubt
#: says why it is only named; and of what is known, so that it stops a yes.
OFFERED, OFFERED_IF_NAMED, HALF_HEARD = 0.1, 0.0001, 0.4
_NEVER = 2.0
_DIGIT = re.compile(r"\d")
#: Letters and digits in one word.
_CODE = re.compile(r"(?=\S*\d)(?=\S*[A-Z])[A-Z\d][A-Z\d/-]{3,}")


def least_of(name: str, one: HeardValue, message: HeardMessage) -> float:
    """Return how likely the value has to be: more where nobody asked and no words name it."""
    least = least_in(name, one.start, one.end, message)
    if renames(name, message):
        return max(least, RENAMED)
    if not isinstance(one.value, bool):
        is_said = one.in_words and not _may_count_nothing(one, message)
        is_sure = is_said or message.asks_for(name) or message.at_card
    elif one.value and message.asks_for(name):
        is_sure = True
    else:
        said = values_said(message.text, message.shape(name), message.lex, today=None, asked=True)
        is_sure = any(each.value is one.value for each in said)
    return least if is_sure else max(least, DOUBTED)


def least_in(name: str, start: int, end: int, message: HeardMessage) -> float:
    """Return how likely a value has to be in these words: more if their clause is in doubt."""
    doubt = message.doubt(name, start, end)
    asked = message.asks_for(name)
    if doubt is Doubt.QUOTED:
        return _NEVER
    if doubt is Doubt.NEGATED and asked and _is_denied_itself(start, message):
        return _NEVER
    if doubt is Doubt.NEGATED and not (asked or message.at_card):
        is_denied = follows_a_denial(message.reading.message, start, message.lex)
        return _NEVER if is_denied else IN_QUESTION
    if doubt is None:
        return ANSWERED if asked else STATED
    if doubt in (Doubt.NEGATED, Doubt.PAST) and _is_code(name, start, end, message):
        return ANSWERED
    if (asked or message.at_card) and doubt is not Doubt.ASKED:
        return DOUBTED
    return SUPPOSED if doubt is Doubt.SUPPOSED else IN_QUESTION


def least_offered(name: str, one: HeardValue, message: HeardMessage) -> float:
    if name in message.known:
        return HALF_HEARD
    if message.asks_for(name) and len(message.reading.asked) > 1:
        return OFFERED_IF_NAMED
    is_free = message.shape(name).is_free  # any words could be a wish
    is_named = not is_free and message.doubt(name, one.start, one.end) is not None
    return OFFERED_IF_NAMED if is_named else OFFERED


def renames(name: str, message: HeardMessage) -> bool:
    """Return whether it would take the place of a known person, whom nobody asked for: most of
    whom people speak is somebody else."""
    is_person = message.shape(name).type is SlotType.NAME
    return is_person and name in message.known and not message.asks_for(name)


def _may_count_nothing(one: HeardValue, message: HeardMessage) -> bool:
    """Return whether a number is an article ("un hôtel", "一家酒店"), or all that the message
    says: a PIN, if nobody asked how many."""
    if not isinstance(one.value, int | float):
        return False
    text, lex = message.text, message.lex
    if re.search(r"\w", text[: one.start] + text[one.end :]) is None:
        return True
    said = plain(text[one.start : one.end])
    is_word = not lex.spaced or lex.any_of("orders.the").match(said) is not None
    return one.value == 1 and is_word and _DIGIT.search(said) is None


def _is_denied_itself(start: int, message: HeardMessage) -> bool:
    """Return whether "not" stands right before it: "four people, not five"."""
    before = message.lex.form(r"<clauses.negation>\s+$").search(message.text[:start])
    return before is not None and message.lex.spaced


def _is_code(name: str, start: int, end: int, message: HeardMessage) -> bool:
    """Return whether a code tells itself, whatever came of it: "parcel RX4471 never turned up"; or
    a number stands for a known one in words: "it was actually 146"."""
    said = message.text[start:end]
    if message.shape(name).type is not SlotType.TEXT or _is_denied_itself(start, message):
        return False
    known = str(message.known.get(name))
    return _CODE.fullmatch(said) is not None or all(map(_DIGIT.search, (known, said)))
