"""A framework's own tool as the toolbox sees it: what every adapter's wrapper of one has in
common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Iterator, Mapping
from contextlib import contextmanager

from pydantic import JsonValue, ValidationError

from sayso.core.cards import ConfirmationCard
from sayso.core.digest import JsonObject
from sayso.core.field_errors import field_errors
from sayso.tools.questions import confirmation
from sayso.tools.signature import ArgumentsInvalid, check_arguments
from sayso.tools.tool import Prepared, Traits


class NativeTool(ABC):
    """A tool that the framework or the agent's author made (tools.tool.Runnable)."""

    is_ours = False

    def __init__(
        self, name: str, description: str | None, traits: Traits, *, in_thread: bool = False
    ) -> None:
        self.name, self.description = name, description or ""
        self.traits, self.in_thread = traits, in_thread

    @property
    @abstractmethod
    def schema(self) -> JsonObject: ...

    def check(self, arguments: Mapping[str, JsonValue]) -> JsonObject:
        """Hold the arguments against what the tool says of itself. Raises ArgumentsInvalid."""
        check_arguments(self.schema, arguments)
        return dict(arguments)

    async def propose(self, arguments: JsonObject, ctx: object) -> Prepared | None:
        return None

    @abstractmethod
    def start(self, arguments: JsonObject, ctx: object) -> Awaitable[object]: ...


@contextmanager
def in_our_words(given: Mapping[str, JsonValue]) -> Iterator[None]:
    """Raise ArgumentsInvalid, in the toolbox's words, for what pydantic says of arguments."""
    try:
        yield
    except ValidationError as exc:
        raise ArgumentsInvalid(field_errors(exc, given)) from exc


def hinted_traits(
    hints: Mapping[str, object], *, declared: bool = False, approval: bool = False
) -> Traits:
    """Return what MCP's annotations say of a tool. `declared` where its author has said, in some
    other way, when its calls need a person."""
    return Traits(
        declared=declared,
        approval=approval,
        read_only=hints.get("readOnlyHint") is True,
        destructive=hints.get("destructiveHint") is True,
        idempotent=hints.get("idempotentHint") is True,
    )


def was_approved(ctx: object) -> bool:
    """Tell whether a person has said yes to the call that this is the context of."""
    return getattr(ctx, "proposal", None) is not None


def yes_or_no(title: str, context: JsonObject, message: str | None = None) -> ConfirmationCard:
    return confirmation(
        title,
        message=message,
        details=None,
        impact=None,
        context=context,
        options=("approve", "reject"),
    )


def question(words: str, offered: JsonValue = None) -> JsonObject:
    """Ask a person in the form of an approval payload, of which the toolbox makes a card."""
    options: list[JsonValue] = [
        {"id": str(one), "label": str(one)}
        for one in (offered if isinstance(offered, list) else ())
    ]
    return {"user_input_required": True, "question": words, "options": options}


def done_elsewhere(tool: str) -> str:
    return f"{tool} is done outside of the agent. What came of it?"


def given_by_person(value: JsonValue) -> JsonValue:
    """Return the person's own words, or the option, where that is all there is to their answer."""
    answer = value.get("tool_response") if isinstance(value, dict) else None
    given = answer.get("user_input") if isinstance(answer, dict) else None
    if not isinstance(given, dict):
        return value
    said = [one for one in given.values() if one]
    return said[0] if len(said) == 1 else given
