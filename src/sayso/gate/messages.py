"""What the gate says and shows: values in words, the follow-up, the offer, the panel."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from pydantic import JsonValue, TypeAdapter, ValidationError

from sayso.core.cards import KnownValue
from sayso.core.digest import JsonObject
from sayso.core.messages import SOURCE, Message, Parts, coded, message, parts_of, spoken
from sayso.core.requirements import (
    ActionSpec,
    RequirementState,
    Slot,
    Source,
    is_known,
    status_of,
    values_for,
)
from sayso.gate.actions import ActionResult, Actions
from sayso.reading.lexicon import LANGUAGES
from sayso.reading.slot_types import SlotType, shape_of

_DURATION = TypeAdapter(timedelta)
_PARAGRAPH = "\n\n"


def card_texts(wanted: Sequence[ActionSpec], language: str = "") -> Parts:
    """Return what the card of these actions says: their own question or verbs, else their
    titles."""
    return parts_of("gate.confirm", language, ask=_question(wanted), do=_button(wanted))


def card_in_words(wanted: Sequence[ActionSpec], state: RequirementState, language: str) -> str:
    """Return the card as one who cannot see it hears it: the question, after every value."""
    values = values_said(wanted, state, language)
    asks = _question(wanted)
    said = message("gate.confirm_values", ask=asks, values=values) if values else asks
    return spoken(said, language)


def values_said(
    wanted: Sequence[ActionSpec], state: RequirementState, language: str
) -> list[JsonValue]:
    """Return every value that these actions would run with, but for those that nobody gave."""
    rows = {row.label: row for spec in wanted for row in known_values(spec, state, language)}
    nothing = spoken(message("value.none"), language)
    return [
        message("gate.value_assumed" if row.assumed else "gate.value", label=label, value=row.text)
        for label, row in rows.items()
        if not (row.assumed and row.text == nothing)
    ]


def _question(wanted: Sequence[ActionSpec]) -> str:
    if len(wanted) == 1 and wanted[0].ask:
        return wanted[0].ask
    if all(spec.verb for spec in wanted):
        return message("gate.ask_verb", verbs=[spec.verb for spec in wanted])
    return message("gate.ask_title", titles=[thing_of(spec) for spec in wanted])


def _button(wanted: Sequence[ActionSpec]) -> str:
    if all(spec.verb for spec in wanted):
        return message("gate.do_verb", verbs=[spec.verb for spec in wanted])
    return message("gate.go_ahead")


def thing_of(spec: ActionSpec) -> str:
    """Return what an action is called within a sentence."""
    return spec.verb or spec.title.lower()


def said_to(language: str, value: JsonValue, slot: Slot) -> str:
    """Return a value as it is said to a person of this language: "10 Tage", and days by their
    names."""
    if isinstance(value, list) and value:
        return ", ".join(said_to(language, entry, slot) for entry in value)
    shape = shape_of(slot)
    is_day = shape.has_format and shape.type in (SlotType.DATE, SlotType.MOMENT)
    if not isinstance(value, str) or not is_day:
        return spoken(in_words(value, slot), language)
    from babel.dates import format_date  # only where a day is said

    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return value
    locale = language if language in LANGUAGES else "en"
    day = format_date(at, "medium", locale=locale)
    return day if shape.type is SlotType.DATE else f"{day} {at:%H:%M}"


def in_words(value: JsonValue, slot: Slot) -> str:
    """Return a value as a person would say it: "10 days", "Rome, Florence", "yes"."""
    if isinstance(value, list):
        return ", ".join(in_words(entry, slot) for entry in value) or message("value.none")
    if isinstance(value, bool):
        return message("value.yes" if value else "value.no")
    type_ = shape_of(slot).type if shape_of(slot).has_format else None
    if isinstance(value, str) and type_ is SlotType.DURATION:
        return _duration(value)
    if isinstance(value, str) and type_ is SlotType.TIME:
        return value.removesuffix(":00") if value.count(":") > 1 else value
    if isinstance(value, dict):
        return " ".join(str(part) for part in value.values() if part is not None)
    if isinstance(value, float):
        return f"{value:.15g}"  # 900, where str() says 900.0
    return message("value.none") if value is None else str(value)


def known_values(action: ActionSpec, state: RequirementState, language: str) -> list[KnownValue]:
    """Return every value of an action about to run, in the words of this language, with where it
    came from."""
    values = values_for(action, state)
    found = []
    for need in action.needs:
        if need.field not in values:
            continue
        given = state.values.get(need.slot.name)
        source = _origin(given.source if given is not None else Source.DEFAULT)
        found.append(
            KnownValue(
                field=need.field,
                label=need.slot.label,
                text=said_to(language, values[need.field], need.slot),
                source=source,
                source_code=source.code,
                quote=given.quote if given is not None else "",
                offered=given.offered if given is not None else "",
                assumed=given is None,
            )
        )
    return found


def guidance(concerned: Sequence[ActionSpec], state: RequirementState) -> str:
    """Return what an agent is told before it answers: what is known, and what to say and ask."""
    rows = (row for spec in concerned for row in known_values(spec, state, SOURCE))
    known = [f"{row.label}: {row.text}" for row in rows]
    lines = [f"Known of the person's request: {'; '.join(dict.fromkeys(known)) or 'nothing yet'}."]
    turn = state.turn
    if turn is not None and turn.form:
        slots = {slot.name: slot for spec in concerned for slot in spec.slots.values()}
        form = [slots[name].label for name in turn.form if name in slots]
        lines.append(f"Do not ask again in words; they can fill in the form: {', '.join(form)}.")
    if turn is not None and turn.says and not turn.agent_first:
        said = _PARAGRAPH.join(str(one["text"]) for one in turn.says)
        lines.append(f"Say this, in your own words and in their language: {said}")
    if turn is not None and turn.agent_first:
        lines.append(
            f"Their card comes again beneath your answer: {_question(concerned)} It waits for a "
            "click or a yes. Answer what they say, and ask them nothing yourself."
        )
    lines.append("You cannot fill in a value or start the action yourself.")
    return " ".join(lines)


def guidance_after(done: str, question: str) -> str:
    """Return what an agent is told that answers once an action has run."""
    return (
        f"They agreed, it has run, and they were told: {done or 'it is done.'} With their yes they "
        f"asked: {question} Answer that alone."
    )


def result_words(outcome: ActionResult) -> str:
    """Return what came of an action, for people: in its body's own words where it has any."""
    what = thing_of(outcome.action.spec)
    if outcome.status == "rejected":
        return message("gate.not_done", what=what)
    if outcome.status == "granted":
        return message("gate.granted", what=what)
    result = outcome.result
    if isinstance(result, str):
        return result
    said = result.get("message") or result.get("follow_up") if isinstance(result, dict) else None
    return str(said) if said else message("gate.done", what=what)


def panel(actions: Actions, state: RequirementState) -> JsonObject:
    """Return what the chat's row keeps: the state, the requirements status, what a panel shows."""
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
    line = _last_line(spec, state)
    required = [need for need in spec.needs if not need.optional]
    known = [n for n in required if is_known(n.slot, state) or n.slot.has_default]
    return {
        "title": spec.title,
        "trigger": spec.trigger.value,
        "follow_up": status_of(spec, state).follow_up,
        "known": len(known),
        "of": len(required),
        "requested": spec.name in state.requested,
        "line": str(line),
        **coded(line),
        "fields": [_field(spec, need.field, state) for need in spec.needs],
    }


def _field(spec: ActionSpec, field: str, state: RequirementState) -> JsonObject:
    need = next(need for need in spec.needs if need.field == field)
    slot, given = need.slot, state.values.get(need.slot.name)
    suggested = state.suggested.get(slot.name)
    values = values_for(spec, state)
    value = values.get(field)
    text = _shown(value, slot, state) if field in values else ""
    source = _origin(given.source) if given is not None else ""
    perhaps = _shown(suggested.value, slot, state) if suggested is not None else None
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
        "text": str(text),
        **coded(text),
        "source": str(source),
        "source_code": source.code if isinstance(source, Message) else None,
        "quote": given.quote if given is not None else "",
        "offered": given.offered if given is not None else "",
        "offered_in": given.offered_in if given is not None else None,
        "message_id": given.message_id if given is not None else None,
        "suggested": str(perhaps) if perhaps is not None else None,
        "suggested_said": perhaps.as_json() if isinstance(perhaps, Message) else None,
        "suggested_value": suggested.value if suggested is not None else None,
        "asked": slot.name in state.asked,
        "schema": dict(slot.schema),
        "choices": list(slot.choices),
    }


def _shown(value: JsonValue, slot: Slot, state: RequirementState) -> str:
    """Return a value for the list of what is known: a day as the chat's language writes it, all
    else in words that the page can say in its own."""
    shape = shape_of(slot)
    if not (shape.has_format and shape.type in (SlotType.DATE, SlotType.MOMENT)):
        return in_words(value, slot)
    return said_to(state.turn.language if state.turn is not None else "", value, slot)


def _last_line(spec: ActionSpec, state: RequirementState) -> Message:
    """Return the line under the list: ready, or what to add."""
    missing: list[JsonValue] = [
        need.slot.label.lower()
        for need in spec.needs
        if not need.optional and not need.slot.has_default and not is_known(need.slot, state)
    ]
    code = "gate.missing" if missing else "gate.ready"
    params: dict[str, JsonValue] = {"missing": missing} if missing else {}
    return message(f"{code}_to_do" if spec.verb else code, what=thing_of(spec), **params)


def _origin(source: Source) -> Message:
    return message(f"source.{source.value}")


def _duration(value: str) -> str:
    """In the largest unit that counts it whole."""
    try:
        seconds = _DURATION.validate_python(value).total_seconds()
    except ValidationError:
        return value
    for unit, length in (("weeks", 604800), ("days", 86400), ("hours", 3600), ("minutes", 60)):
        count = seconds / length
        if count >= 1 and count == int(count):
            return message(f"value.{unit}", n=int(count))
    return message("value.seconds", n=f"{seconds:g}")
