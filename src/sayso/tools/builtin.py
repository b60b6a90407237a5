"""`request_user_input` and `request_user_approval`: tools that every agent has.

They know nothing of Sayso: their output has the shapes of the approval payload, so it becomes a
card like any tool's, and the agent gets the person's answer as a `tool_response`.
"""

from __future__ import annotations

from typing import NotRequired

from pydantic import JsonValue
from pydantic_core import to_jsonable_python
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from sayso.core.digest import JsonObject
from sayso.tools.tool import tool


class InputOption(TypedDict):
    """One option of a question."""

    id: str
    label: str
    description: NotRequired[str | None]


def _request_user_input(
    question: str,
    options: list[InputOption] | None = None,
    context: dict[str, JsonValue] | None = None,
) -> JsonObject:
    """Ask the person a question and wait for the answer. Give options where the answer is one of
    several."""
    offered: list[JsonValue] = to_jsonable_python(options or [])
    return {
        "user_input_required": True,
        "question": question,
        "options": offered,
        "context": dict(context or {}),
    }


def _request_user_approval(  # noqa: PLR0917  # the approval payload's names, which a model gives
    entity_type: str,
    entity_summary: str,
    entity_details: dict[str, JsonValue] | None = None,
    action: str = "create",
    impact: str | None = None,
    approval_options: list[str] | None = None,
    requires_reason: bool = True,
) -> JsonObject:
    """Ask the person to approve something before you do it, with everything it depends on, and
    wait."""
    return {
        "approval_required": True,
        "entity_type": entity_type,
        "entity_summary": entity_summary,
        "entity_details": dict(entity_details or {}),
        "action": action,
        "impact": impact,
        "approval_options": list[JsonValue](approval_options or ["approve", "reject"]),
        "requires_reason": requires_reason,
    }


request_user_input = tool(name="request_user_input", read_only=True, detect=True)(
    _request_user_input
)
request_user_approval = tool(name="request_user_approval", read_only=True, detect=True)(
    _request_user_approval
)
BUILTIN_TOOLS = (request_user_input, request_user_approval)
