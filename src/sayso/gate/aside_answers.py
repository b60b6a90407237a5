"""What the gate answers when it is itself asked something: why it asks, what it needs, what it
has."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue

from sayso.core.messages import Message, message
from sayso.core.requirements import is_known, next_questions, status_of
from sayso.gate.messages import said_to, thing_of
from sayso.gate.offer import phrases_for
from sayso.gate.talk import Talk
from sayso.reading.asides import Aside


def answers_to(aside: Aside, talk: Talk) -> Iterator[str]:
    match aside:
        case Aside.WHY:
            yield from _reasons(talk)
        case Aside.NEEDS:
            yield _needs(talk)
        case Aside.KNOWN:
            yield _has(talk)
            yield _needs(talk)
        case Aside.START_OVER:
            yield _started_over(talk)
            yield what_it_can_do(talk)


def what_it_can_do(talk: Talk) -> Message:
    """Return what invites the person to say what they want; the second time, with all there is."""
    can: list[JsonValue] = [thing_of(spec) for spec in talk.actions.specs]
    return talk.worded(message("gate.tell_me_more"), message("gate.can_do", what=can))


def _reasons(talk: Talk) -> Iterator[str]:
    asked = [talk.slots[name] for name in talk.before.asked if name in talk.slots]
    needing = [
        spec
        for spec in talk.concerned
        if not asked or any(slot.name in spec.slots for slot in asked)
    ]
    if not needing:
        yield what_it_can_do(talk)
        return
    what: list[JsonValue] = [thing_of(spec) for spec in needing]
    reasons = [
        message("gate.because", label=slot.label, why=slot.why) for slot in asked if slot.why
    ]
    told = talk.worded(
        *reasons[:1],
        message("gate.needed_for", what=what),
        message("gate.not_without", what=what),
    )
    yield from reasons if told in reasons else [told]


def _needs(talk: Talk) -> Message:
    missing: list[JsonValue] = list(
        dict.fromkeys(
            need.slot.label
            for spec in talk.concerned
            for need in spec.needs
            if not (need.optional or need.slot.has_default or is_known(need.slot, talk.after))
        )
    )
    if missing:
        questions = next_questions(talk.concerned, talk.after)
        asked: list[JsonValue] = [talk.question(slot) for slot in questions]
        return talk.worded(
            message("gate.needs", labels=missing), message("gate.needs_asked", questions=asked)
        )
    ready = [spec for spec in talk.concerned if status_of(spec, talk.after).ready]
    begins = [message("gate.ready_when", phrases=phrases_for(ready))] if ready else []
    return talk.worded(message("gate.needs_nothing"), *begins)


def _has(talk: Talk) -> Message:
    rows: list[JsonValue] = [
        message("gate.value", label=slot.label, value=said_to(talk.language, one.value, slot))
        for name, one in talk.after.values.items()
        if (slot := talk.slots.get(name)) is not None
    ]
    rows += [
        message("gate.value", label=talk.slots[name].label, value=talk.day_begun(name))
        for name in talk.after.begun
    ]
    if not rows:
        return talk.worded(message("gate.has_nothing"), message("gate.at_the_start"))
    return talk.worded(message("gate.has", values=rows), message("gate.has_again", values=rows))


def _started_over(talk: Talk) -> Message:
    if talk.before.values or talk.before.requested:
        return message("gate.started_over")
    return talk.worded(message("gate.at_the_start"), message("gate.has_nothing"))
