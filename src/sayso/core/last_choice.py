"""What a person chose last, where the same is asked again: a fold over their own answers, and kept
nowhere else.

It is a suggestion on an open card. It answers nothing, and there is none on an approval.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from pydantic import JsonValue

from sayso.core.cards import FormCard, OptionsCard
from sayso.core.digest import JsonObject, object_in
from sayso.core.interactions import Interaction, InteractionState, InteractionType

#: The preference that says since when choices count: older ones are forgotten.
FORGOTTEN_AT = "choices_forgotten_at"
#: How many answers are looked at.
MOST_ANSWERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class LastChoice:
    """The newest answer to one question, in words."""

    interaction_id: str
    chat_id: str
    agent_name: str
    question: str
    chosen: str
    at: datetime | None


def last_choice(it: Interaction, answered: Iterable[Interaction]) -> JsonObject:
    """Return what was chosen last for this question, of what it offers now: `selected_option`, or
    fields of the form. `answered` are one person's answers, newest first."""
    question = _question(it)
    if question is None or it.state is not InteractionState.PENDING:
        return {}
    before = next((other for other in answered if _question(other) == question), None)
    return {} if before is None else _offered_of(_given(before), it.card)


def last_choices(answered: Iterable[Interaction]) -> list[LastChoice]:
    """Return what counts for each question, newest first."""
    newest: dict[tuple[str, ...], Interaction] = {}
    for it in answered:
        if (question := _question(it)) is not None:
            newest.setdefault(question, it)
    listed = (_listed(it, _offered_of(_given(it), it.card)) for it in newest.values())
    return [choice for choice in listed if choice is not None]


def forgotten_at(preferences: JsonObject) -> datetime | None:
    """Read the preference; what a client has put there that is no time counts as nothing."""
    value = preferences.get(FORGOTTEN_AT)
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return at if at is not None and at.tzinfo is not None else None


def _question(it: Interaction) -> tuple[str, ...] | None:
    """Return what makes two questions the same: who asks, with which tool, and its words. None for
    what offers no choice, and for the gate's own form, which takes only what is said now."""
    if it.type is not InteractionType.USER_INPUT:
        return None
    client = it.asker.client if it.asker is not None else ""
    asker = (it.agent_name, client, it.ui_tool_id)
    match it.card:
        case OptionsCard(options=[_, *_], is_notice=None) as card:
            return ("options", *asker, card.question)
        case FormCard(for_gate=None) as card:
            return ("form", *asker, card.title)
        case _:
            return None


def _given(it: Interaction) -> JsonObject:
    if it.response is None or not it.response.approved:
        return {}
    data = it.response.response_data
    chosen = data.selected_option
    if isinstance(it.card, OptionsCard):
        return {"selected_option": chosen} if chosen is not None else {}
    return data.values


def _offered_of(values: JsonObject, card: object) -> JsonObject:
    """Return of these values what the card offers as a choice."""
    offered = _labels(card)
    return {
        name: value
        for name, value in values.items()
        if any(_is_same(value, other) for other, _ in offered.get(name, ()))
    }


def _labels(card: object) -> dict[str, list[tuple[JsonValue, str]]]:
    """Return the choices that a card offers, by field: each value with its label."""
    match card:
        case OptionsCard():
            return {"selected_option": [(option.id, option.label) for option in card.options]}
        case FormCard(response_schema={"properties": dict() as properties}):
            root = card.response_schema
            return {
                name: _choices(field, root)
                for name, field in properties.items()
                if isinstance(field, dict) and field.get("writeOnly") is not True
            }
        case _:
            return {}


def _choices(schema: Mapping[str, JsonValue], root: JsonObject) -> list[tuple[JsonValue, str]]:
    """Return what an `enum`, or a `oneOf` of constants, lets one choose."""
    match _resolved(schema, root):
        case {"enum": [*values]}:
            return [(value, str(value)) for value in values if value is not None]
        case {"oneOf": [*branches]} | {"anyOf": [*branches]}:
            constants = [one for one in branches if isinstance(one, dict) and "const" in one]
            found = [(one["const"], str(one.get("title", one["const"]))) for one in constants]
            return found if len(found) == len(branches) else []
        case _:
            return []


def _resolved(schema: Mapping[str, JsonValue], root: JsonObject) -> Mapping[str, JsonValue]:
    """Follow a reference to a definition, and "this or null"."""
    match schema:
        case {"$ref": str(ref)} if ref.startswith("#/$defs/"):
            definitions = object_in(schema.get("$defs", root.get("$defs")))
            return object_in(definitions.get(ref.removeprefix("#/$defs/")))
        case {"anyOf": [dict() as one, {"type": "null"}]}:
            return _resolved(one, root)
        case _:
            return schema


def _is_same(value: JsonValue, other: JsonValue) -> bool:
    """Return whether they are the same in JSON, where 1 is not true."""
    return isinstance(value, bool) == isinstance(other, bool) and value == other


def _listed(it: Interaction, chosen: JsonObject) -> LastChoice | None:
    labels = _labels(it.card)
    words = [
        next(label for other, label in labels[name] if _is_same(value, other))
        for name, value in chosen.items()
    ]
    if not words:
        return None
    return LastChoice(
        interaction_id=it.id,
        chat_id=it.chat_id,
        agent_name=it.agent_name,
        question=it.card.question if isinstance(it.card, OptionsCard) else it.title,
        chosen=", ".join(words),
        at=it.settled_at,
    )
