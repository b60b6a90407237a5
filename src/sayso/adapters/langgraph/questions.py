"""LangGraph's interrupts as cards, and the answers to the cards as what `interrupt()` returns.

Both are pure functions of the interrupt, so nothing of them is stored: whatever process goes on
reads the interrupt from the checkpoint again. A card's call key holds the digest of what was shown,
so an answer never fits an interrupt that has the same id and asks something else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langgraph.types import Interrupt
from pydantic import JsonValue
from pydantic_core import to_jsonable_python

from sayso.adapters.langgraph.replies import Read, needed, one_value_of, values_of, words_of
from sayso.adapters.langgraph.reviews import reviews_in
from sayso.core.cards import Card, ConfirmationCard
from sayso.core.children import Request
from sayso.core.detect import Asks, detect, question_card
from sayso.core.digest import JsonObject, digest
from sayso.core.interactions import (
    CardRequest,
    Interaction,
    Proposal,
)
from sayso.tools.outcomes import outcome_of, tool_response
from sayso.tools.questions import confirmation, form, question, ui_tool

#: JSON Schema of a tool's arguments, by its name, for the edits on its card.
SchemaOf = Callable[[str], JsonObject | None]
Answers = Mapping[str, Interaction]


@dataclass(frozen=True)
class Asked:
    """One interrupt: its cards, and how their answers are put together for it."""

    interrupt_id: str
    requests: tuple[Request, ...]
    reads: tuple[Read, ...]
    join: Callable[[list[object]], object] = field(default=lambda values: values[0])

    def resume(self, answers: Answers) -> tuple[object] | None:
        """What the interrupt returns, in a tuple; None while a card of it has no answer."""
        settled = [answers.get(request.call_key) for request in self.requests]
        if any(it is None for it in settled):
            return None
        pairs = zip(self.reads, settled, strict=True)
        return (self.join([read(it) for read, it in pairs if it is not None]),)


def asked_by(
    interrupt: Interrupt[Any],
    *,
    schema_of: SchemaOf,
    agent_name: str = "",
    tool_call_id: str | None = None,
) -> Asked:
    value: JsonValue = to_jsonable_python(interrupt.value, fallback=str)
    schema = interrupt.response_schema
    schema = dict(schema) if isinstance(schema, Mapping) else None
    key = f"interrupt:{interrupt.id}:{digest([value, schema]).removeprefix('sha256:')[:16]}"

    def request(card: Card, *, part: str = "", proposal: Proposal | None = None) -> CardRequest:
        return CardRequest(
            call_key=key + part,
            card=card,
            ui_tool_id=_ui_tool_id(value, card),
            agent_name=agent_name,
            tool_call_id=tool_call_id,
            proposal=proposal,
        )

    actions = reviews_in(value, schema)
    if actions is not None:
        parts = [action.card(schema_of(action.name)) for action in actions]
        made = [
            request(card, part=f"#{n}" if len(parts) > 1 else "", proposal=proposal)
            for n, (card, proposal) in enumerate(parts, 1)
        ]
        reads: list[Read] = [action.decision for action in actions]
        if isinstance(value, dict) and "action_requests" in value:
            return Asked(interrupt.id, tuple(made), tuple(reads), lambda v: {"decisions": v})
        return Asked(interrupt.id, tuple(made), tuple(reads))
    card, read = _by_schema(value, schema) if schema is not None else _by_shape(value)
    return Asked(interrupt.id, (request(card),), (read,))


# ── any other value ──


def _by_shape(value: JsonValue) -> tuple[Card, Read]:
    """A string is a free question, seed 1's shapes are their cards, all else is a card as it is."""
    if isinstance(value, str):
        return question(value, (), True, {}), words_of
    found = detect("interrupt", value)
    if isinstance(found, Asks):
        return found.card, lambda it: tool_response(it, "interrupt")
    if isinstance(value, dict) and isinstance(value.get("question"), str):
        return question_card(value), words_of
    payload = dict(value) if isinstance(value, dict) else {"value": value}
    return ui_tool({"title": _title(value), **payload}, None), values_of


def _by_schema(value: JsonValue, schema: JsonObject) -> tuple[Card, Read]:
    """The card that a `response_schema` describes; LangGraph checks the answer against it again."""
    title = _title(value)
    context = dict(value) if isinstance(value, dict) else {}
    if schema.get("type") == "boolean":
        card = confirmation(
            title,
            message=None,
            details=None,
            impact=None,
            context=context,
            options=("approve", "reject"),
        )
        return card, lambda it: outcome_of(it).approved
    options = schema.get("enum")
    if isinstance(options, list) and all(isinstance(one, str) for one in options):
        return question(title, [str(one) for one in options], False, context), needed(words_of)
    if schema.get("type") == "object" or "properties" in schema:
        return _form(title, schema, context), needed(values_of)
    inner = {name: part for name, part in schema.items() if name != "$defs"}
    rest = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    wrapped: JsonObject = {
        "type": "object",
        "properties": {"value": inner},
        "required": ["value"],
        **rest,
    }
    return _form(title, wrapped, context), needed(one_value_of)


def _form(title: str, schema: JsonObject, context: JsonObject) -> Card:
    return form(schema, title=title, message=None, values={}, context=context, submit_label=None)


def breakpoint_card(nodes: Sequence[str]) -> ConfirmationCard:
    """A graph compiled with `interrupt_before` or `interrupt_after` stops, and asks nothing."""
    named = " and ".join(nodes)
    return confirmation(
        f"Go on with {named}?",
        message=f"The agent stops before {named}.",
        details=None,
        impact=None,
        context={},
        options=("approve", "reject"),
    )


def _title(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        for name in ("title", "question", "message", "description", "agent_message"):
            if isinstance(value.get(name), str):
                return str(value[name])
    return "The agent needs an answer"


def _ui_tool_id(value: JsonValue, card: Card) -> str:
    named = value.get("ui_tool_id") if isinstance(value, dict) else None
    return named if isinstance(named, str) and named else card.card.value
