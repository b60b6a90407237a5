"""What the gate says and shows: values in words, the follow-up, the offer, the panel."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from pydantic import JsonValue, TypeAdapter, ValidationError

from sayso.core.cards import KnownValue
from sayso.core.digest import JsonObject
from sayso.core.requirements import (
    ActionSpec,
    RequirementState,
    Slot,
    Source,
    Trigger,
    is_known,
    next_questions,
    status_of,
    values_for,
)
from sayso.gate.actions import Actions
from sayso.gate.outcome import Outcome

_DURATION = TypeAdapter(timedelta)
_ORIGIN = {
    Source.SAID: "from your message",
    Source.CLICKED: "chosen by you",
    Source.FORM: "entered by you",
    Source.CONTEXT: "from where you are",
    Source.DEFAULT: "assumed",
}


def in_words(value: JsonValue, slot: Slot) -> str:
    """A value as a person would say it: "10 days", "Rome, Florence", "yes"."""
    if isinstance(value, list):
        return ", ".join(in_words(entry, slot) for entry in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) and slot.schema.get("format") == "duration":
        return _duration(value)
    if isinstance(value, dict):
        return " ".join(str(part) for part in value.values() if part is not None)
    if isinstance(value, float):
        return f"{value:.15g}"  # 900, where str() says 900.0
    return "none" if value is None else str(value)


def known_values(action: ActionSpec, state: RequirementState) -> list[KnownValue]:
    """Every value of an action about to run, with where it came from."""
    values = values_for(action, state)
    found = []
    for need in action.needs:
        if need.field not in values:
            continue
        given = state.values.get(need.slot.name)
        found.append(
            KnownValue(
                field=need.field,
                label=need.slot.label,
                text=in_words(values[need.field], need.slot),
                source=_ORIGIN[given.source if given is not None else Source.DEFAULT],
                quote=given.quote if given is not None else "",
                offered=given.offered if given is not None else "",
                assumed=given is None,
            )
        )
    return found


def reply(concerned: Sequence[ActionSpec], state: RequirementState) -> str:
    """What is said when no agent says it: the next questions, or that all is known."""
    questions = next_questions(concerned, state)
    if questions:
        asked = " ".join(slot.question for slot in questions)
        wanted = [a.title.lower() for a in concerned if a.name in state.requested]
        return f"I need a few more details: {asked}" if wanted else asked
    ready = [spec for spec in concerned if status_of(spec, state).ready]
    if not ready:
        return ""
    names = " and ".join(f"your {spec.title.lower()}" for spec in ready)
    phrases = [s.phrases[0] if s.phrases else f"create the {s.title.lower()}" for s in ready]
    if len(ready) > 1:
        phrases.append("create both" if len(ready) == 2 else "create all")
    told = " or ".join(f"'{phrase}'" for phrase in phrases)
    offer = f"I have all the information needed for {names}. Just say {told} when you are ready."
    return "\n\n".join([offer, *_made_from(ready, state)])


def _made_from(ready: Sequence[ActionSpec], state: RequirementState) -> list[str]:
    """What would run at once at a yes is said before it: no card will show it."""
    lines = [
        f"{row.label}: {row.text}" + (" (assumed)" if row.assumed else "")
        for spec in ready
        if spec.trigger is Trigger.EXPLICIT
        for row in known_values(spec, state)
        if not (row.assumed and row.text == "none")
    ]
    return [f"It would be made from {'; '.join(dict.fromkeys(lines))}."] if lines else []


def guidance(concerned: Sequence[ActionSpec], state: RequirementState) -> str:
    """What an agent is told before it answers: what is known, and what to ask."""
    known = [f"{row.label}: {row.text}" for spec in concerned for row in known_values(spec, state)]
    lines = [f"Known of the person's request: {'; '.join(dict.fromkeys(known)) or 'nothing yet'}."]
    questions = next_questions(concerned, state)
    if questions:
        lines.append(f"Ask, in your own words: {' '.join(slot.question for slot in questions)}")
    elif concerned:
        lines.append(f"Tell them: {reply(concerned, state)}")
    lines.append("You cannot fill in a value or start the action yourself.")
    return " ".join(lines)


def result_words(outcome: Outcome) -> str:
    """What came of an action, for people."""
    title = outcome.action.spec.title.lower()
    if outcome.status == "rejected":
        return f"All right, I have not created the {title}."
    if outcome.status == "granted":
        return f"The {title} may go ahead."
    result = outcome.result
    if isinstance(result, str):
        return result
    said = result.get("message") or result.get("follow_up") if isinstance(result, dict) else None
    return str(said) if said else f"Here is your {title}."


def panel(actions: Actions, state: RequirementState) -> JsonObject:
    """What the chat's row keeps: the state, seed 3's status, and what a panel shows of it."""
    status = {
        spec.name: status_of(spec, state).model_dump(mode="json", exclude={"follow_up"})
        for spec in actions.specs
    }
    detail = {spec.name: _detail(spec, state) for spec in actions.specs}
    body: JsonObject = {
        "version": state.version,
        "requirements_status": status,  # type: ignore[dict-item]  # dumped models are JSON
        "requirements_detail": detail,  # type: ignore[dict-item]
        "state": state.model_dump(mode="json"),
    }
    return body


def _detail(spec: ActionSpec, state: RequirementState) -> JsonObject:
    required = [need for need in spec.needs if not need.optional]
    known = [n for n in required if is_known(n.slot, state) or n.slot.has_default]
    return {
        "title": spec.title,
        "trigger": spec.trigger.value,
        "follow_up": status_of(spec, state).follow_up,
        "known": len(known),
        "of": len(required),
        "requested": spec.name in state.requested,
        "line": _last_line(spec, state),
        "fields": [_field(spec, need.field, state) for need in spec.needs],
    }


def _field(spec: ActionSpec, field: str, state: RequirementState) -> JsonObject:
    need = next(need for need in spec.needs if need.field == field)
    slot, given = need.slot, state.values.get(need.slot.name)
    suggested = state.suggested.get(slot.name)
    values = values_for(spec, state)
    value = values.get(field)
    return {
        "field": field,
        "slot": slot.name,
        "label": slot.label,
        "question": slot.question,
        "why": slot.why,
        "optional": need.optional,
        "known": is_known(slot, state),
        "assumed": given is None and field in values,
        "value": value,
        "text": in_words(value, slot) if field in values else "",
        "source": _ORIGIN[given.source] if given is not None else "",
        "quote": given.quote if given is not None else "",
        "offered": given.offered if given is not None else "",
        "offered_in": given.offered_in if given is not None else None,
        "message_id": given.message_id if given is not None else None,
        "suggested": in_words(suggested.value, slot) if suggested is not None else None,
        "suggested_value": suggested.value if suggested is not None else None,
        "asked": slot.name in state.asked,
        "schema": dict(slot.schema),
        "choices": list(slot.choices),
    }


def _last_line(spec: ActionSpec, state: RequirementState) -> str:
    """Seed 3's line under the list: ready to create, or what to add."""
    missing = [
        need.slot.label.lower()
        for need in spec.needs
        if not need.optional and not need.slot.has_default and not is_known(need.slot, state)
    ]
    title = spec.title.lower()
    if not missing:
        return f"Ready to create the {title}"
    return f"Ready to create {title}? Add {' and '.join(missing)}"


def _duration(value: str) -> str:
    try:
        seconds = _DURATION.validate_python(value).total_seconds()
    except ValidationError:
        return value
    for unit, length in (("week", 604800), ("day", 86400), ("hour", 3600), ("minute", 60)):
        count = seconds / length
        if count >= 1 and count == int(count):
            return f"{int(count)} {unit}" + ("" if count == 1 else "s")
    return f"{seconds:g} seconds"
