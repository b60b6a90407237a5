"""What a long-running tool of ADK waits for: its result comes from outside of the agent.

What such a tool returns is where the work stands ("pending", a ticket's number). Its call stays
open as a form that begins with that, until a person, or another system by the API, says what came
of it. To dismiss the form is to go on with what the tool returned.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from sayso.adapters.adk.value_fields import fields_like
from sayso.core.digest import JsonObject
from sayso.core.tool_result_cards import Asks, detect

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
    fields = fields_like(known)
    if not {"status", "result"} & set(known):
        fields["result"] = {"type": "string"}
    return {
        "user_input_required": True,
        "question": _words(tool_name),
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
    options: list[JsonValue] = [
        {"id": str(one), "label": str(one)}
        for one in (offered if isinstance(offered, list) else ())
    ]
    words = str(asked) if asked else _words(tool_name)
    if options and not asked:
        words = "Which one?"
    question: JsonObject = {"user_input_required": True, "question": words, "options": options}
    if isinstance(schema, dict) and schema.get("type") not in (None, "string"):
        question["response_schema"] = schema if schema["type"] == "object" else _one(schema)
    return question


def _one(schema: Mapping[str, JsonValue]) -> JsonObject:
    return {"type": "object", "properties": {_ANSWER: dict(schema)}, "required": [_ANSWER]}


def _is_final(tool_name: str, found: JsonValue) -> bool:
    if isinstance(detect(tool_name, found), Asks):
        return True
    if not isinstance(found, dict):
        return False
    status = found.get("status")
    return "error" in found or (isinstance(status, str) and status.lower() in _FINAL)


def _words(tool_name: str) -> str:
    return f"{tool_name} is done outside of the agent. What came of it?"


def _as_object(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {"result": value}
