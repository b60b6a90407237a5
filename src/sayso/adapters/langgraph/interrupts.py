"""LangGraph's interrupts as cards, and the answers to the cards as what `interrupt()` returns.

Both are pure functions of the interrupt, so nothing of them is stored: the process that goes on
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

from sayso.adapters.langgraph.interrupt_answers import (
    ReadAnswer,
    fields_of,
    needed,
    number_of,
    one_value_of,
    values_of,
    words_of,
)
from sayso.adapters.langgraph.interrupt_shapes import Shape, ShapeKind
from sayso.adapters.langgraph.reviews import APPROVED, reviews_in
from sayso.adapters.native import yes_or_no
from sayso.core.cards import Card, ConfirmationCard
from sayso.core.children import Request
from sayso.core.digest import JsonObject, digest
from sayso.core.interactions import (
    CardRequest,
    Interaction,
    Proposal,
)
from sayso.core.tool_result_cards import Asks, approval_card, detect, question_card
from sayso.tools.answer_messages import approval_answer, approval_decision, tool_response
from sayso.tools.questions import form, question, ui_tool

#: JSON Schema of a tool's arguments, by its name, for the edits on its card.
SchemaOf = Callable[[str], JsonObject | None]
#: What the code that interrupted with this value wants back.
ShapeOf = Callable[[JsonValue], Shape | None]
#: Whether the policy asks about a call of this tool with these arguments.
PolicyAsks = Callable[[str, JsonObject], bool]
Answers = Mapping[str, Interaction]
#: An approval payload without its marker, as agents interrupt with it.
_APPROVAL = {"entity_type", "entity_summary", "entity_details", "action"}


@dataclass(frozen=True)
class InterruptCards:
    """One interrupt: its cards, and how their answers are put together for it."""

    interrupt_id: str
    requests: tuple[Request, ...]
    reads: tuple[ReadAnswer, ...]
    join: Callable[[list[object]], object] = field(default=lambda values: values[0])

    def resume(self, answers: Answers) -> tuple[object] | None:
        """Return what the interrupt returns, in a tuple; None while a card of it has no answer."""
        settled = [answers.get(request.call_key) for request in self.requests]
        if any(it is None for it in settled):
            return None
        pairs = zip(self.reads, settled, strict=True)
        return (self.join([read(it) for read, it in pairs if it is not None]),)


def interrupt_cards(
    interrupt: Interrupt[Any],
    *,
    schema_of: SchemaOf,
    shape_of: ShapeOf = lambda _: None,
    policy_asks: PolicyAsks = lambda *_: False,
    agent_name: str = "",
    tool_call_id: str | None = None,
) -> InterruptCards:
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
        # What the policy asks about is asked once: right before it runs, on the policy's own card.
        held = [not (a.may_be_approved and policy_asks(a.name, a.arguments)) for a in actions]
        made, reads = list[Request](), list[ReadAnswer]()
        for n, action in enumerate(actions, 1):
            if held[n - 1]:
                card, proposal = action.card(schema_of(action.name))
                part = f"#{n}" if len(actions) > 1 else ""
                made.append(request(card, part=part, proposal=proposal))
                reads.append(action.decision)
        is_batch = isinstance(value, dict) and "action_requests" in value

        def join(values: list[object]) -> object:
            given = iter(values)
            decisions = [next(given) if is_held else dict(APPROVED) for is_held in held]
            return {"decisions": decisions} if is_batch else decisions[0]

        return InterruptCards(interrupt.id, tuple(made), tuple(reads), join)
    if schema is not None:
        card, read = _by_schema(value, schema)
    else:
        card, read = _by_payload(value) or _by_shape(value, shape_of(value)) or _by_value(value)
    return InterruptCards(interrupt.id, (request(card),), (read,))


# ── any other value ──


def _by_payload(value: JsonValue) -> tuple[Card, ReadAnswer] | None:
    """Return the card that the value itself is: an approval payload, or a question."""
    if isinstance(value, dict) and set(value) >= _APPROVAL:
        return approval_card("interrupt", value), approval_decision
    found = detect("interrupt", value)
    if isinstance(found, Asks):
        return found.card, lambda it: tool_response(it, "interrupt")
    return None


def _by_shape(value: JsonValue, shape: Shape | None) -> tuple[Card, ReadAnswer] | None:
    """Return the card for what the code wants back."""
    context = dict(value) if isinstance(value, dict) else {}
    if shape is None:
        return None
    match shape.kind:
        case ShapeKind.OBJECT:
            untyped = [n for n, words in shape.fields.items() if not words and n not in context]
            read = fields_of(shape.flags, untyped)
            return _object_form(shape, value, context), needed(read) if shape.needed else read
        case ShapeKind.YES_OR_NO:
            return _yes_or_no(_title(value), context)
        case ShapeKind.NUMBER:
            return question(_title(value), (), True, context), number_of
        case ShapeKind.CHOICE:
            return question(_title(value), shape.words, True, context), words_of


def _object_form(shape: Shape, value: JsonValue, shown: JsonObject) -> Card:
    """Return the form of an object: a field that is shown as well is proposed with its value, and
    one that is compared with words is a choice of them."""
    proposed = {name: shown[name] for name in shape.fields if name in shown}
    properties: JsonObject = {}
    for name, words in shape.fields.items():
        if words:
            proposed.pop(name, None)
        choices = [*words, *(["reject"] if len(words) == 1 and words[0] in _YES else [])]
        kind: JsonObject = {"enum": list(choices)} if len(choices) > 1 else {}
        is_flag = name in shape.flags and name not in proposed
        type_ = "boolean" if is_flag else _json_type(proposed.get(name))
        properties[name] = {"type": type_, **kind}
    schema: JsonObject = {
        "type": "object",
        "properties": properties,
        "required": list(shape.needed),
    }
    return _form(_title(value), schema, shown, proposed)


#: What stands for a yes, where code compares with one word alone; the other word is a no.
_YES = {"approve", "approved", "accept", "accepted", "yes", "y", "ok", "continue", "confirm"}


def _json_type(value: JsonValue) -> str:
    match value:
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case list():
            return "array"
        case dict():
            return "object"
        case _:
            return "string"


def _by_value(value: JsonValue) -> tuple[Card, ReadAnswer]:
    """Read a string as a free question, and show all else as it is."""
    if isinstance(value, str):
        return question(value, (), True, {}), words_of
    if isinstance(value, dict) and isinstance(value.get("question"), str):
        return question_card(value), words_of
    payload = dict(value) if isinstance(value, dict) else {"value": value}
    return ui_tool({"title": _title(value), **payload}, None), values_of


def _yes_or_no(title: str, context: JsonObject) -> tuple[Card, ReadAnswer]:
    return yes_or_no(title, context), lambda it: approval_answer(it).approved


def _by_schema(value: JsonValue, schema: JsonObject) -> tuple[Card, ReadAnswer]:
    """Return the card that a `response_schema` describes; LangGraph checks the answer against it
    again."""
    title = _title(value)
    context = dict(value) if isinstance(value, dict) else {}
    if schema.get("type") == "boolean":
        return _yes_or_no(title, context)
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


def _form(
    title: str, schema: JsonObject, context: JsonObject, values: JsonObject | None = None
) -> Card:
    return form(
        schema,
        title=title,
        message=None,
        values=values or {},
        context=context,
        submit_label=None,
    )


def breakpoint_card(nodes: Sequence[str]) -> ConfirmationCard:
    """Return the card of a graph compiled with `interrupt_before` or `interrupt_after`: it stops,
    and asks nothing itself."""
    named = " and ".join(nodes)
    return yes_or_no(f"Go on with {named}?", {}, f"The agent stops before {named}.")


def _title(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        for name in _TITLES:
            if isinstance(value.get(name), str):
                return str(value[name])
    return "The agent needs an answer"


#: Where the frameworks' examples write what they ask.
_TITLES = (
    *("title", "question", "query", "message", "task", "instruction", "instructions"),
    *("prompt", "description", "agent_message", "action"),
)


def _ui_tool_id(value: JsonValue, card: Card) -> str:
    named = value.get("ui_tool_id") if isinstance(value, dict) else None
    return named if isinstance(named, str) and named else card.card.value
