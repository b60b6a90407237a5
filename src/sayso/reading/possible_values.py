"""Whether a value of the field's kind can be what was heard."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sayso.reading.heard_message import HeardMessage
from sayso.reading.no_answer import names_nothing
from sayso.reading.normalize import plain
from sayso.reading.parsers.dates import dates_in
from sayso.reading.parsers.numbers import in_digits
from sayso.reading.parsers.times import times_in
from sayso.reading.slot_types import IN_WORDS, SlotShape, SlotType

if TYPE_CHECKING:
    from sayso.reading.hearing import HeardValue

_LETTER = re.compile(r"[^\W\d_]")


def may_be(one: HeardValue, shape: SlotShape, message: HeardMessage) -> bool:
    """Return whether it can be stated: an address of mail, or a day that is one."""
    if shape.is_email:
        return "@" in message.text[one.start : one.end]
    if shape.type is not SlotType.DATE or message.reading.today is None:
        return True
    today = message.reading.today.date()
    if shape.tense == "past" and str(one.value) > today.isoformat():
        return False
    days = dates_in(message.text, message.lex, today, shape.tense)
    return all(day.value for day in days)  # "Tuesday the 5th", and the 5th is a Friday


def could_be(one: HeardValue, shape: SlotShape, message: HeardMessage) -> bool:
    """Return whether anyone could mean this by a value of its kind: an address of mail has its
    sign, and nobody travels to 42."""
    said = message.text[one.start : one.end]
    if shape.is_email:
        return "@" in said
    is_place = shape.type is SlotType.PLACE and not shape.is_address
    is_called = shape.type is SlotType.NAME or is_place
    return not is_called or _LETTER.search(in_digits(said, message.lex)) is not None


def says_no_value(one: HeardValue, shape: SlotShape, message: HeardMessage) -> bool:
    """Return whether its words only say that the person does not know, or does not mind."""
    if not one.in_words or plain(str(one.value)) in map(plain, shape.choices):
        return False
    return names_nothing(message.text, one.start, one.end, message.lex)


def is_no_name(name: str, one: HeardValue, shape: SlotShape, message: HeardMessage) -> bool:
    """Return whether the words greet, thank, say a time of day, or call an action by its name:
    "checklist" of "create the checklist", and the "hotel" of a booking is no Hyatt Hotel."""
    said = plain(message.text[one.start : one.end])
    if shape.choices and one.in_words:
        is_whole = said == plain(str(one.value))
        return not is_whole and not message.asks_for(name) and _calls_an_action(said, message)
    if shape.type not in IN_WORDS:
        return False
    if _LETTER.search(said) and _is_a_time(said, message):
        return True
    courtesy = message.lex.any_of("yes.thanks", "clauses.greetings").match(said)
    return courtesy is not None or _calls_an_action(said, message)


def _is_a_time(said: str, message: HeardMessage) -> bool:
    return any(one.words(said) == said for one in times_in(said, message.lex))


def _calls_an_action(said: str, message: HeardMessage) -> bool:
    return any(
        said in plain(" ".join((one.name.replace("_", " "), one.title, one.verb, *one.phrases)))
        for one in message.reading.actions
    )
