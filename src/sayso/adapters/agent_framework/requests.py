"""What the executors of a workflow ask (`ctx.request_info`), as calls that wait for a person."""

from __future__ import annotations

import builtins
from dataclasses import is_dataclass
from typing import Any, get_type_hints

import orjson
from agent_framework import AgentResponse, Message, WorkflowEvent
from pydantic import JsonValue, TypeAdapter
from pydantic_core import to_jsonable_python

from sayso.adapters.native import NativeTool, given_by_person, question
from sayso.core.digest import JsonObject
from sayso.tools.tool import Traits

#: Where a request says what it is about.
_WORDS = ("question", "prompt", "message", "query", "text", "request", "hint", "agent_response")
#: What an executor that goes on with the chat takes, such as those of a handoff.
_AS_MESSAGES: dict[Any, str] = {Message: "message", list[Message]: "messages"}
#: The one field of an answer that is no object.
_ANSWER = "answer"


class Request(NativeTool):
    """What one executor asks, as a tool that returns the question."""

    def __init__(self, executor_id: str, asked: JsonObject) -> None:
        super().__init__(executor_id, "", Traits(read_only=True))
        self._asked = asked

    @property
    def schema(self) -> JsonObject:
        return {"type": "object"}

    async def start(self, arguments: JsonObject, ctx: object) -> JsonObject:
        return dict(self._asked)


def question_of(event: WorkflowEvent[Any]) -> JsonObject:
    """Return the question in the form of an approval payload, of which the toolbox makes a card."""
    data: JsonValue = to_jsonable_python(event.data, fallback=_said)
    asked = question(_words(data) or f"{event.source_executor_id} needs an answer.")
    kind: Any = event.response_type
    if kind is bool:
        asked["options"] = [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}]
    elif field := _messages_field(kind):
        words: JsonObject = {"type": "string", "title": "What to change, or nothing to go on"}
        asked["response_schema"] = {"type": "object", "properties": {field: words}}
    elif kind not in (str, object, Any, None, *_AS_MESSAGES):
        asked["response_schema"] = _schema(kind)
    return asked


def pending_of(event: WorkflowEvent[Any]) -> JsonObject:
    """Return what has to be kept of a request until it is answered."""
    kind: Any = event.response_type
    kept: JsonObject = {"executor": event.source_executor_id, "asked": question_of(event)}
    if field := _messages_field(kind):
        return {**kept, "as": "field", "field": field}
    return {**kept, "as": _AS_MESSAGES[kind]} if kind in _AS_MESSAGES else kept


def answer_to(pending: JsonObject, value: JsonValue) -> JsonValue:
    """Return what the executor is told, as JSON: the framework makes its own type of it."""
    asked, given = pending["asked"], given_by_person(value)
    assert isinstance(asked, dict)
    if asked.get("options"):
        return given == "yes"
    if "response_schema" not in asked:
        words = given if isinstance(given, str) else str(to_jsonable_python(given))
        message = _message(words)
        return {"message": message, "messages": [message]}.get(str(pending.get("as")), words)
    values = given.get("values", given) if isinstance(given, dict) else given
    if pending.get("as") == "field":
        field = str(pending["field"])
        said = str(values.get(field) or "") if isinstance(values, dict) else ""
        said = said.strip() if _is_answered(value) else "Nobody has agreed."
        return {field: [_message(said)] if said else []}
    if isinstance(values, dict) and set(values) == {_ANSWER}:
        return values[_ANSWER]
    return values


def _is_answered(value: JsonValue) -> bool:
    """Tell whether a person has; a card that was skipped or expired says nothing, nor yes."""
    answer = value.get("tool_response") if isinstance(value, dict) else None
    return isinstance(answer, dict) and answer.get("status", "completed") == "completed"


def _messages_field(kind: object) -> str:
    """Return the one field of a class that is all messages, where none means "go on"."""
    fields = get_type_hints(kind) if isinstance(kind, type) and is_dataclass(kind) else {}
    [field, *others] = fields or [""]
    return field if not others and fields.get(field) == list[Message] else ""


def _message(words: str) -> JsonValue:
    told: JsonValue = Message("user", [words]).to_dict()
    return told


def _words(data: JsonValue) -> str:
    if isinstance(data, str):
        return data
    if not isinstance(data, dict):
        return "" if data is None else str(data)
    head = next((str(data[name]) for name in _WORDS if isinstance(data.get(name), str)), "")
    rest = [f"{name}: {_shown(value)}" for name, value in data.items() if value != head]
    return "\n".join([head, *rest] if head else rest)


def _shown(value: JsonValue) -> str:
    if isinstance(value, list):
        return "".join(f"\n{_shown(each)}" for each in value)
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _said(value: object) -> str:
    """Return what a message says, and who says it; what a reply says."""
    if isinstance(value, Message):
        return f"{value.author_name or value.role}: {value.text}"
    return value.text if isinstance(value, AgentResponse) else str(value)


def _schema(kind: builtins.type[Any]) -> JsonObject:
    schema: JsonObject = TypeAdapter(kind).json_schema()
    if schema.get("type") == "object":
        return schema
    return {"type": "object", "properties": {_ANSWER: schema}, "required": [_ANSWER]}
