"""`request_user_input` and `request_user_approval`: tools of every agent, in and out exactly as in
seed 1.

They know nothing of Sayso: their output speaks seed 1's shapes, so detection makes it a card, and
the person's answer, as seed 1's `tool_response`, is what the agent gets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NotRequired

from pydantic import JsonValue
from pydantic_core import to_jsonable_python
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from sayso.core.digest import JsonObject
from sayso.tools.tool import Tool, tool


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


def _request_user_approval(  # noqa: PLR0917  # seed 1's names, which a model gives by name
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


class _Speaks(Tool[..., JsonObject]):
    """A tool whose output is read for seed 1's requests, as a foreign tool's is."""

    is_ours = False


def _builtin(function: Callable[..., JsonObject], name: str) -> _Speaks:
    made = tool(name=name, read_only=True)(function)
    return _Speaks(made.function, name=made.name, description=made.description, traits=made.traits)


request_user_input = _builtin(_request_user_input, "request_user_input")
request_user_approval = _builtin(_request_user_approval, "request_user_approval")
BUILTIN_TOOLS = (request_user_input, request_user_approval)
