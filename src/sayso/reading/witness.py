"""The network decides what is stated: of what the rules have read, and of what it alone hears.

The rules and the network were made apart, and the network is told what the rules have read. Where
it does not hear what they took for an answer, that is only offered; where both hear a name, it is
the network that knows where its words begin and end; and what it hears and they did not is taken,
unless they know something against it. A yes is not its to give; it may doubt one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import JsonValue

from sayso.core.extraction_ops import (
    Clear,
    Confirm,
    Correct,
    Doubt,
    Lean,
    Operation,
    Reading,
    RequestAction,
    Set,
    Suggest,
)
from sayso.core.requirements import Pending
from sayso.reading.clauses import Mood, clauses_in
from sayso.reading.doubts import doubt_of, is_about_past
from sayso.reading.lexicon import lexicon_for
from sayso.reading.normalize import LONGEST_READ, even, plain, same_value
from sayso.reading.parsers.dates import dates_in
from sayso.reading.parsers.names import entries_in
from sayso.reading.parsers.non_places import names_no_place
from sayso.reading.short_answers import only_greets
from sayso.reading.slot_types import SlotType, shape_of
from sayso.reading.slot_values import slot_values_in
from sayso.reading.tokens import is_sign

if TYPE_CHECKING:
    from sayso.reading.hearing import HeardValue, Hearing

#: So likely a value has to be that the rules have read: an answer, and what nobody asked for.
BORNE_OUT, BORNE_OUT_UNASKED = 0.4, 0.2
#: And that the network alone hears: an answer, or a change at the open card; what nobody asked for;
#: an answer in whose clause the rules know a doubt; and one that is asked there, or that two
#: questions could take.
STATED, UNASKED, DOUBTED, AGAINST_DOUBT = 0.68, 0.85, 0.93, 0.975
#: Words that one field hears are another's too where that hears them as surely as this.
_AS_SURE = 0.75
_NEVER = 2.0
#: A yes is asked for once more where it is this likely to be none.
WITHHELD = 0.95
#: What joins the words on both sides of it to one name.
_JOINING = re.compile(r"[\w/\\@#:&+=-]")
_BEFORE = re.compile(rf"{_JOINING.pattern}\Z|:\s+\Z")
_TEXT = (SlotType.TEXT, SlotType.NAME, SlotType.PLACE)


def witnessed(operations: Sequence[Operation], reading: Reading) -> list[Operation]:
    """Return the values that are stated, and those that are only to be offered."""
    hearing = _hearing_of(reading, operations)
    if hearing is None:
        return [*operations]
    read = [op for op in operations if not _is_of_another(op, operations, hearing, reading)]
    found = [_borne_out(_in_its_words(op, hearing, reading), hearing, reading) for op in read]
    stated = {op.slot for op in found if isinstance(op, Set | Correct | Clear)}
    alone = [
        op
        for name, one in hearing.values().items()
        if name not in stated and (op := _alone(name, one, found, reading)) is not None
    ]
    sure = {op.slot for op in alone}
    return [*(op for op in found if not (isinstance(op, Suggest) and op.slot in sure)), *alone]


def doubted(intents: Sequence[Operation], reading: Reading) -> list[Operation]:
    """Return what a reply to the open card asks for. A yes, or the card's own order, that the
    network hears as neither only leans to it."""
    pending = reading.pending
    told = [op for op in intents if pending is not None and _grants(op, pending)]
    hearing = _hearing_of(reading) if told else None
    if hearing is None or hearing.shares.withheld < WITHHELD:
        return [*intents]
    wishes = [op.model_copy(update={"runs": False}) for op in told if isinstance(op, RequestAction)]
    return [*(op for op in intents if op not in told), *wishes, Lean()]


def _grants(op: Operation, pending: Pending) -> bool:
    orders = isinstance(op, RequestAction) and op.runs and op.action in pending.hashes
    return orders or isinstance(op, Confirm)


def is_heard(op: Set | Correct | Suggest, reading: Reading) -> bool:
    """Return whether the network, too, hears this value in the message, in these words."""
    hearing = _hearing_of(reading)
    start = hearing.inputs.text.find(even(op.quote)) if hearing is not None else -1
    if hearing is None or start < 0:
        return False
    one = hearing.values().get(op.slot)
    likeliest = one is not None and same_value(one.value, op.value)
    share = one.share if one and likeliest else hearing.share_of(op.slot, op.value)
    return share >= _least(op.slot, (start, start + len(op.quote)), reading)


def _hearing_of(reading: Reading, rules: Sequence[Operation] = ()) -> Hearing | None:
    # numpy takes a tenth of a second to load: a process that reads no message does not.
    from sayso.reading.hearing import heard_in

    return heard_in(reading, rules) if len(reading.message) <= LONGEST_READ else None


def _is_of_another(
    op: Operation, operations: Sequence[Operation], hearing: Hearing, reading: Reading
) -> bool:
    """Return whether the network hears in the same words what the rules read there of another
    field, and not this: "return is 21 June", where the day of departure was asked for."""
    if not isinstance(op, Set | Correct) or op.value in reading.offered.get(op.slot, ()):
        return False  # one yes takes several offers
    heard = hearing.values()
    if op.slot in heard:
        return False
    others = [one for one in operations if isinstance(one, Set | Correct) and one.span == op.span]
    surer = max((heard[one.slot].share for one in others if one.slot in heard), default=0.0)
    return _share(op, hearing, reading) < _AS_SURE * surer


def _in_its_words(op: Operation, hearing: Hearing, reading: Reading) -> Operation:
    """Return a name that both hear in the words that the network hears: "Osteria Nove" where the
    rules took "the Osteria Nove please". A code is known by its form, and free words are no one
    value."""
    if not isinstance(op, Set | Correct) or op.span is None:
        return op
    heard, shape = hearing.values().get(op.slot), shape_of(reading.slots[op.slot])
    if heard is None or heard.share < STATED or shape.type not in _TEXT:
        return op
    if shape.is_free or shape.is_list or shape.is_code or shape.is_email:
        return op
    words, touches = reading.message[slice(*op.span)], _overlap(op.span, (heard.start, heard.end))
    if not touches or op.value != words or words in reading.offered.get(op.slot, ()):
        return op
    span = (heard.start, heard.end)
    left_out = reading.message[op.span[0] : heard.start]
    if shape.type is SlotType.PLACE and _is_article(left_out, reading):
        return op  # "die Schweiz"
    if _parts_a_name(reading.message, *span):
        return op
    return op.model_copy(
        update={"value": heard.value, "quote": reading.message[slice(*span)], "span": span}
    )


def _is_article(words: str, reading: Reading) -> bool:
    lex = lexicon_for(even(reading.message), reading.language)
    return lex.any_of("orders.the").fullmatch(plain(words)) is not None


def _parts_a_name(text: str, start: int, end: int) -> bool:
    """Return whether these words are cut out of what is written as one: "login-page" of
    "feature/login-page", "Q3 Report" of "Q3 Report: Final"."""
    before, after = _BEFORE.search(text, 0, start), _JOINING.match(text, end)
    return any(sign is not None and not is_sign(sign[0]) for sign in (before, after))


def _borne_out(op: Operation, hearing: Hearing, reading: Reading) -> Operation:
    """Return what the rules have read as an offer, where the network does not hear it."""
    if not isinstance(op, Set | Correct) or shape_of(reading.slots[op.slot]).is_free:
        return op  # free words are no one value
    is_answer = op.slot in reading.asked
    if op.slot in reading.known and not is_answer:
        return op  # "two days less"
    if is_answer and _proposes(reading):
        return op  # "how about Rome?" asks for it
    least = BORNE_OUT if is_answer else BORNE_OUT_UNASKED
    if _share(op, hearing, reading) >= least or op.value in reading.offered.get(op.slot, ()):
        return op
    return Suggest(
        slot=op.slot, value=op.value, quote=op.quote, span=op.span, doubt=Doubt.AMBIGUOUS
    )


def _share(op: Set | Correct, hearing: Hearing, reading: Reading) -> float:
    """Return how surely the network hears the value, or where only words are wanted, the words:
    "six people" where it hears "six"."""
    each = op.value if isinstance(op.value, list) else [op.value]
    found = max(hearing.share_of(op.slot, one) for one in each)
    shape, heard = shape_of(reading.slots[op.slot]), hearing.values().get(op.slot)
    if shape.json_type != "string" or shape.has_format or heard is None or op.span is None:
        return found
    touches = _overlap(op.span, (heard.start, heard.end))
    return max(found, heard.share) if touches else found


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _proposes(reading: Reading) -> bool:
    lex = lexicon_for(even(reading.message), reading.language)
    clauses = clauses_in(reading.message, lex)
    proposals = lex.any_of("doubts.proposals", "doubts.agreeing")
    return (
        any(clause.is_any(Mood.REQUESTED) for clause in clauses)
        or proposals.search(plain(reading.message)) is not None
    )


def _alone(
    name: str, one: HeardValue, found: Sequence[Operation], reading: Reading
) -> Set | Correct | None:
    """Return a value that the network hears, in words that state nothing else."""
    if one.share < STATED:  # the least of all: most fields are not even looked at
        return None
    span = (one.start, one.end)
    if one.share < _least(name, span, reading) or same_value(reading.known.get(name), one.value):
        return None
    said = [op.span for op in found if isinstance(op, Set | Correct) and op.span is not None]
    if any(_overlap(span, each) for each in said):
        return None
    if not _may_be(name, one, found, reading):
        return None
    kind, quote = Correct if name in reading.known else Set, reading.message[slice(*span)]
    value: JsonValue = one.value
    if shape_of(reading.slots[name]).is_list:
        lex = lexicon_for(even(reading.message), reading.language)
        value = [entry.words(quote) for entry in entries_in(quote, lex)]
    return kind(slot=name, value=value, quote=quote, span=span)


def _least(name: str, span: tuple[int, int], reading: Reading) -> float:
    """Return how likely a value has to be: more where nobody asked for it, or where the rules know
    a doubt in its clause. What is quoted, or doubted and of nothing that was asked, is never
    stated."""
    lex, past = lexicon_for(even(reading.message), reading.language), is_about_past(reading.slots)
    doubt = doubt_of(reading.message, *span, reading.slots[name], lex, about_past=past)
    hot = name in reading.asked or reading.pending is not None
    if doubt is None:
        return STATED if hot else UNASKED
    if doubt is Doubt.QUOTED or not hot:
        return _NEVER
    asks = doubt is Doubt.ASKED and not (name in reading.asked and _proposes(reading))
    return AGAINST_DOUBT if asks else DOUBTED


def _may_be(name: str, one: HeardValue, found: Sequence[Operation], reading: Reading) -> bool:
    """Return whether the rules know nothing against it: a row of values that adds to what is known,
    or is no row of words; a word that two questions could take; a yes where more was asked; the
    name of an action; and what no value of its kind can be."""
    shape = shape_of(reading.slots[name])
    if shape.is_list and (name in reading.known or shape.type not in _TEXT):
        return False
    if len(reading.asked) > 1 and one.share < AGAINST_DOUBT and _is_ambiguous(one, found):
        return False
    offered = any(isinstance(op, Suggest) and op.slot == name for op in found)
    if offered and name in reading.known and name not in reading.asked:
        return False  # an answer to a question of the agent's own
    said = plain(reading.message[one.start : one.end])
    lex = lexicon_for(even(reading.message), reading.language)
    if shape.type in _TEXT and _is_of_an_action(said, reading):
        return False
    if shape.is_email and "@" not in said:
        return False
    match shape.type:
        case SlotType.BOOLEAN:
            if name in reading.asked and one.value is False and one.share < DOUBTED:
                return _says_no(name, reading)  # "no worries, take your time" is none
            # What nobody asked for is a yes or a no in no words of its own.
            is_hot = name in reading.asked or reading.pending is not None
            return (is_hot or one.share >= DOUBTED) and list(reading.asked) in ([], [name])
        case SlotType.PLACE:
            return not names_no_place(said, lex)
        case SlotType.NAME:
            is_courtesy = lex.any_of("yes.thanks", "clauses.greetings").match(said) is not None
            return not is_courtesy and not only_greets(even(reading.message), lex)
        case SlotType.DATE if reading.today is not None:
            today = reading.today.date()
            if shape.tense == "past" and str(one.value) > today.isoformat():
                return False
            days = dates_in(even(reading.message), lex, today, shape.tense)
            return all(day.value for day in days)  # "Tuesday the 5th", and the 5th is a Friday
        case _:
            return True


def _says_no(name: str, reading: Reading) -> bool:
    """Return whether the parsers read a "no" to this one question, too."""
    text, shape = even(reading.message), shape_of(reading.slots[name])
    lex = lexicon_for(text, reading.language)
    found = slot_values_in(text, shape, lex, today=None, asked=True)
    return list(reading.asked) == [name] and any(one.value is False for one in found)


def _is_ambiguous(one: HeardValue, found: Sequence[Operation]) -> bool:
    return any(
        isinstance(op, Suggest)
        and op.doubt is Doubt.AMBIGUOUS
        and (op.span is None or _overlap(op.span, (one.start, one.end)))
        for op in found
    )


def _is_of_an_action(said: str, reading: Reading) -> bool:
    """Return whether an action is called so: "checklist" of "create the checklist" is no place."""
    return any(
        said in plain(" ".join((one.name.replace("_", " "), one.title, one.verb, *one.phrases)))
        for one in reading.actions
    )
