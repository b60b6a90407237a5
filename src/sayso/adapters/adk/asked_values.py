"""What a tool of ADK asks a person by itself: a confirmation that brings values along (a payload),
or a result that comes from outside of the agent. ADK gives only an example of what is filled in.

A long-running tool returns where its work stands ("pending", a ticket's number). Its call stays
open as a form that begins with that, until a person, or another system by the API, says what came
of it. To dismiss the form is to go on with what the tool returned.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from sayso.adapters.native import done_elsewhere, question
from sayso.core.digest import JsonObject
from sayso.core.tool_result_cards import Asks, detect

#: The field of a payload that is no object.
_ONE = "confirmation"


@dataclass(frozen=True, slots=True)
class ConfirmationPayload:
    """A payload beside the parameters of the tool that asks for it.

    It stands on the card among the arguments, where a person can change it, and is given to the
    tool with the yes. A field of it that is called as a parameter of the tool is has another name
    there."""

    payload: JsonValue
    parameters: Collection[str]

    @property
    def shown(self) -> JsonObject:
        """Its fields by the names they have on the card."""
        return {self._name(field): value for field, value in self._fields.items()}

    @property
    def properties(self) -> JsonObject:
        """The JSON Schema of each."""
        return _fields_like(self.shown)

    def split(self, arguments: Mapping[str, JsonValue]) -> tuple[JsonObject, JsonValue]:
        """Return the tool's own arguments, and the payload as it stands among these."""
        fields = {self._name(field): field for field in self._fields}
        own = {name: value for name, value in arguments.items() if name not in fields}
        given = {fields[name]: value for name, value in arguments.items() if name in fields}
        if isinstance(self.payload, dict):
            return own, {**self.payload, **given}
        return own, given.get(_ONE, self.payload)

    @property
    def _fields(self) -> JsonObject:
        if self.payload is None:
            return {}
        return self.payload if isinstance(self.payload, dict) else {_ONE: self.payload}

    def _name(self, field: str) -> str:
        return f"confirmed_{field}" if field in self.parameters else field


#: A status that says that nothing more will come.
_FINAL = frozenset(
    "approved cancelled canceled complete completed denied done error failed finished ok "  # noqa: SIM905  # a list of words
    "rejected success succeeded".split()
)


def request_of(tool_name: str, arguments: JsonObject, found: JsonValue) -> JsonObject | None:
    """Return, in the form of an approval payload, what is to be asked about a call that returned
    this; None where it is the result."""
    if found is None or found in ({}, ""):
        return _question(tool_name, arguments)
    if _is_final(tool_name, found):
        return None
    known: JsonObject = found if isinstance(found, dict) else {"result": found}
    fields = _fields_like(known)
    if not {"status", "result"} & set(known):
        fields["result"] = {"type": "string"}
    return {
        "user_input_required": True,
        "question": done_elsewhere(tool_name),
        "response_schema": {"type": "object", "properties": fields},
        "values": {name: value for name, value in known.items() if value is not None},
    }


def result_of(answer: JsonValue, returned: JsonValue) -> JsonObject:
    """Return the result that ADK is told of: a person's own values, over what the tool returned."""
    said = answer.get("tool_response") if isinstance(answer, dict) else None
    given = said.get("user_input") if isinstance(said, dict) else None
    if not isinstance(given, dict):  # nobody answered
        return _as_object(answer if returned is None else returned)
    values = given.get("values")
    if isinstance(values, dict):
        if set(values) == {_ANSWER}:
            return _as_object(values[_ANSWER])
        return {**(_as_object(returned) if returned is not None else {}), **values}
    option, notes = given.get("selected_option"), given.get("additional_notes")
    if option is not None and notes:
        return {"result": option, "note": notes}
    return {"result": option if option is not None else notes}


#: The one field of an answer that is no object.
_ANSWER = "answer"


def _question(tool_name: str, arguments: JsonObject) -> JsonObject:
    asked = arguments.get("message") or arguments.get("question")
    offered, schema = arguments.get("options"), arguments.get("response_schema")
    words = "Which one?" if offered and isinstance(offered, list) else done_elsewhere(tool_name)
    made = question(str(asked or words), offered)
    if isinstance(schema, dict) and schema.get("type") not in (None, "string"):
        made["response_schema"] = schema if schema["type"] == "object" else _one(schema)
    return made


def _one(schema: Mapping[str, JsonValue]) -> JsonObject:
    return {"type": "object", "properties": {_ANSWER: dict(schema)}, "required": [_ANSWER]}


def _is_final(tool_name: str, found: JsonValue) -> bool:
    if isinstance(detect(tool_name, found), Asks):
        return True
    if not isinstance(found, dict):
        return False
    status = found.get("status")
    return "error" in found or (isinstance(status, str) and status.lower() in _FINAL)


def _as_object(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {"result": value}


def _fields_like(values: Mapping[str, JsonValue]) -> JsonObject:
    """Return the properties of a JSON Schema, one for each value, of its kind."""
    return {name: _field_like(value) for name, value in values.items()}


def _field_like(value: JsonValue) -> JsonObject:
    match value:
        case bool():
            return {"type": "boolean"}
        case int() | float():  # 0 stands for any number
            return {"type": "number"}
        case str():
            return {"type": "string"}
        case list():
            return {"type": "array"}
        case dict():
            return {"type": "object", "properties": _fields_like(value)}
        case None:
            return {}
