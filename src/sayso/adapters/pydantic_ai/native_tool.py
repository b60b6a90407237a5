"""A tool of an agent of Pydantic AI, as the toolbox sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import JsonValue
from pydantic_ai import (
    AbstractToolset,
    ApprovalRequired,
    CallDeferred,
    ModelRetry,
    RunContext,
    ToolReturn,
    ToolsetTool,
)
from pydantic_ai.agent import AbstractAgent
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai.toolsets.function import FunctionToolsetTool
from pydantic_core import to_jsonable_python

from sayso.adapters.native import (
    NativeTool,
    done_elsewhere,
    given_by_person,
    hinted_traits,
    in_our_words,
    question,
    was_approved,
)
from sayso.core.digest import JsonObject
from sayso.tools.calls import Returned
from sayso.tools.suspension import ProposalStale, SaidError
from sayso.tools.tool import Traits

#: Under this key a tool's definition remembers the kind it had before `tool_calls` changed it.
KIND = "sayso_kind"


def own_tools(agent: AbstractAgent[Any, Any]) -> dict[str, Traits]:
    """Return what an agent's own functions say of themselves; what other toolsets will bring is not
    known before they are asked."""
    return {
        name: traits_of(tool.metadata or {}, asks=tool.requires_approval)
        for toolset in agent.toolsets
        if isinstance(toolset, FunctionToolset)
        for name, tool in toolset.tools.items()
    }


def traits_of(metadata: Mapping[str, Any], *, asks: bool) -> Traits:
    hints = metadata.get("annotations")
    return hinted_traits(hints if isinstance(hints, Mapping) else {}, approval=asks)


class PydanticTool(NativeTool):
    """One of the agent's own tools, in one call."""

    def __init__(
        self,
        tool: ToolsetTool[Any],
        wrapped: AbstractToolset[Any],
        ctx: RunContext[Any],
        arguments: dict[str, Any] | None = None,
    ) -> None:
        definition = tool.tool_def
        metadata = definition.metadata or {}
        self._kind = metadata.get(KIND, definition.kind)
        traits = traits_of(metadata, asks=self._kind == "unapproved")
        super().__init__(definition.name, definition.description, traits, in_thread=_blocks(tool))
        self._tool, self._wrapped, self._ctx, self._given = tool, wrapped, ctx, arguments
        #: What the framework has checked, as JSON; None where nothing is checked yet.
        self._sent = plain(arguments)
        #: A value that is more than JSON (an image, a ToolReturn), for the model alone.
        self.returned: object = None
        #: The tool leaves it to a person to answer in its place.
        self.is_deferred = False

    @property
    def schema(self) -> JsonObject:
        return dict(self._tool.tool_def.parameters_json_schema)

    def check(self, arguments: Mapping[str, JsonValue]) -> JsonObject:
        self._values(dict(arguments))
        return dict(arguments)

    async def start(self, arguments: JsonObject, ctx: object) -> object:
        if self._kind == "external":
            self.is_deferred = True
            return question(done_elsewhere(self.name))
        run = replace(self._ctx, tool_call_approved=was_approved(ctx))
        values = self._values(arguments)
        try:
            found = await self._wrapped.call_tool(self.name, values, run, self._tool)
        except ApprovalRequired as exc:
            raise ProposalStale("the tool asks for approval") from exc
        except CallDeferred as exc:
            self.is_deferred = True
            asked = {**arguments, **(exc.metadata or {})}.get("question")
            return question(str(asked or f"What should {self.name} answer?"))
        except (ModelRetry, ToolFailed) as exc:
            if _is_out_of_time(exc):
                raise
            raise SaidError(str(exc), raised=exc) from exc
        if isinstance(found, ToolReturn):
            self.returned = found
            return found.return_value
        return found

    def _values(self, arguments: JsonObject) -> dict[str, Any]:
        """Return the framework's own Python values; checked again where a person has changed
        something."""
        if self._given is not None and arguments == self._sent:
            return self._given
        with in_our_words(arguments):
            values: dict[str, Any] = self._tool.args_validator.validate_python(arguments)
        return values


def result_of(came: Returned, native: PydanticTool | None, *, is_deferred: bool = False) -> object:
    """Return what the model is told of a call that has ended; of a deferred one, what the person
    gave as its result."""
    if isinstance(came.exception, ModelRetry | ToolFailed):
        raise came.exception
    if is_deferred:
        return given_by_person(came.value)
    if native is not None and native.returned is not None and not came.notes:
        return native.returned
    return came.value


def _blocks(tool: ToolsetTool[Any]) -> bool:
    """Tell whether it is a plain function, which the framework runs in a thread: nothing stops
    that."""
    while isinstance(inner := getattr(tool, "source_tool", None), ToolsetTool):
        tool = inner
    return isinstance(tool, FunctionToolsetTool) and not tool.is_async


def _is_out_of_time(exc: Exception) -> bool:
    """Tell whether a toolset turned a time limit into a retry: the tool itself said nothing, and
    may have acted in that time."""
    at = exc.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    raised_by = at.tb_frame.f_globals.get("__name__", "") if at is not None else ""
    is_frameworks_own = str(raised_by).startswith("pydantic_ai.")
    return is_frameworks_own and isinstance(exc.__context__, TimeoutError)


def plain(value: object) -> Any:
    return to_jsonable_python(value)
