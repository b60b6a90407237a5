"""The wrapper around everything an agent of Pydantic AI can call, and its own tools as the toolbox
sees them."""

from __future__ import annotations

from collections.abc import Awaitable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from pydantic import JsonValue, ValidationError
from pydantic_ai import (
    AbstractToolset,
    ApprovalRequired,
    CallDeferred,
    ModelRetry,
    RunContext,
    ToolDefinition,
    ToolReturn,
    ToolsetTool,
    WrapperToolset,
)
from pydantic_ai.exceptions import ToolFailed
from pydantic_core import SchemaValidator, core_schema, to_jsonable_python

from sayso.core.digest import JsonObject
from sayso.tools.call import Returned
from sayso.tools.pause import ProposalStale
from sayso.tools.signature import ArgumentsInvalid
from sayso.tools.tool import Prepared, Runnable, Traits

#: The toolbox itself checks the arguments of our tools, so that its words reach the model.
_ANYTHING = SchemaValidator(core_schema.any_schema())


class Calls(Protocol):
    """Where the calls of one segment go."""

    async def call(
        self,
        name: str,
        arguments: dict[str, Any],
        ctx: RunContext[Any],
        tool: ToolsetTool[Any],
        wrapped: AbstractToolset[Any],
    ) -> object: ...

    async def miss(self, tools: Collection[str]) -> None:
        """Before a saved state goes on: a tool that a call of it needs and that is gone. The
        framework would tell the model so, and the answer of a person would be lost."""


@dataclass
class GatedToolset(WrapperToolset[Any]):
    """Everything that an agent can call, behind the gate."""

    run: Calls

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        tools = await super().get_tools(ctx)
        await self.run.miss(tools)
        return {name: _as_function(tool) for name, tool in tools.items()}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        return await self.run.call(name, tool_args, ctx, tool, self.wrapped)


@dataclass
class SaysoToolset(AbstractToolset[Any]):
    """The toolbox's tools, as native tools of the framework."""

    tools: Mapping[str, Runnable]

    @property
    def id(self) -> str | None:
        return "sayso"

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        return {
            name: ToolsetTool(
                toolset=self,
                tool_def=ToolDefinition(
                    name=name,
                    description=tool.description,
                    parameters_json_schema=tool.schema,
                ),
                max_retries=1,
                args_validator=_ANYTHING,
            )
            for name, tool in self.tools.items()
        }

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        raise AssertionError("the gate is around every toolset")


#: Under this key a native tool's definition remembers the kind it had before the gate took it over.
_KIND = "sayso_kind"


def _as_function(tool: ToolsetTool[Any]) -> ToolsetTool[Any]:
    """Tools that the framework would defer by itself come to the gate as well."""
    definition = tool.tool_def
    if definition.kind not in ("unapproved", "external"):
        return tool
    metadata = {**(definition.metadata or {}), _KIND: definition.kind}
    return replace(tool, tool_def=replace(definition, kind="function", metadata=metadata))


class NativeTool:
    """A tool of the agent's own, as the toolbox sees it (tools.tool.Runnable)."""

    is_ours = False
    in_thread = False

    def __init__(
        self,
        tool: ToolsetTool[Any],
        wrapped: AbstractToolset[Any],
        ctx: RunContext[Any],
        arguments: dict[str, Any] | None = None,
    ) -> None:
        self._tool, self._wrapped, self._ctx, self._given = tool, wrapped, ctx, arguments
        #: What the framework has checked, as JSON; None where nothing is checked yet.
        self._sent = plain(arguments)
        metadata = tool.tool_def.metadata or {}
        self._kind = metadata.get(_KIND, tool.tool_def.kind)
        hints = metadata.get("annotations")
        hints = hints if isinstance(hints, Mapping) else {}
        #: A value that is more than JSON (an image, a ToolReturn), for the model alone.
        self.returned: object = None
        self.name = tool.tool_def.name
        self.description = tool.tool_def.description or ""
        self.traits = Traits(
            approval=self._kind == "unapproved",
            read_only=hints.get("readOnlyHint") is True,
            destructive=hints.get("destructiveHint") is True,
            idempotent=hints.get("idempotentHint") is True,
        )

    @property
    def schema(self) -> JsonObject:
        return dict(self._tool.tool_def.parameters_json_schema)

    def check(self, arguments: Mapping[str, JsonValue]) -> JsonObject:
        self._values(dict(arguments))
        return dict(arguments)

    async def propose(self, arguments: JsonObject, ctx: object) -> Prepared | None:
        return None

    def start(self, arguments: JsonObject, ctx: object) -> Awaitable[object]:
        approved = getattr(ctx, "proposal", None) is not None
        return self._run(arguments, approved=approved)

    async def _run(self, arguments: JsonObject, *, approved: bool) -> object:
        if self._kind == "external":
            return _question(f"{self.name} is done outside of the agent. What came of it?")
        ctx = replace(self._ctx, tool_call_approved=approved)
        values = self._values(arguments)
        try:
            found = await self._wrapped.call_tool(self.name, values, ctx, self._tool)
        except ApprovalRequired as exc:
            raise ProposalStale("the tool asks for approval") from exc
        except CallDeferred as exc:
            asked = {**arguments, **(exc.metadata or {})}.get("question")
            return _question(str(asked or f"What should {self.name} answer?"))
        if isinstance(found, ToolReturn):
            self.returned = found
            return found.return_value
        return found

    def _values(self, arguments: JsonObject) -> dict[str, Any]:
        """The framework's own Python values; checked again where a person has changed something."""
        if self._given is not None and arguments == self._sent:
            return self._given
        try:
            values: dict[str, Any] = self._tool.args_validator.validate_python(arguments)
        except ValidationError as exc:
            raise ArgumentsInvalid(
                [
                    {"path": "/".join(str(part) for part in e["loc"]), "message": e["msg"]}
                    for e in exc.errors()
                ]
            ) from exc
        return values


def result_of(came: Returned, native: NativeTool | None) -> object:
    """What the model is told of a call that has ended."""
    if isinstance(came.exception, ModelRetry | ToolFailed):
        raise came.exception
    if native is not None and native.returned is not None and not came.notes:
        return native.returned
    return came.value


def _question(words: str) -> JsonObject:
    """Seed 1's shape, which the toolbox makes a card of."""
    return {"user_input_required": True, "question": words, "options": []}


def plain(value: object) -> Any:
    return to_jsonable_python(value)
