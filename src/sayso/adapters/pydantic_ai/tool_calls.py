"""Toolsets of Pydantic AI: one that sends every call of an agent through the toolbox, and one that
offers the toolbox's tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from pydantic_ai import (
    AbstractToolset,
    RunContext,
    ToolDefinition,
    ToolsetTool,
    WrapperToolset,
)
from pydantic_core import SchemaValidator, core_schema

from sayso.adapters.pydantic_ai.native_tool import KIND
from sayso.tools.tool import Runnable

#: The toolbox itself checks the arguments of our tools, so that its words reach the model.
_ANY_OBJECT = SchemaValidator(core_schema.dict_schema(core_schema.str_schema()))


class CallHandler(Protocol):
    """Takes the calls of one run of an agent."""

    async def call(
        self,
        name: str,
        arguments: dict[str, Any],
        ctx: RunContext[Any],
        tool: ToolsetTool[Any],
        wrapped: AbstractToolset[Any],
    ) -> object: ...

    async def check_offered(self, tools: Mapping[str, ToolsetTool[Any]]) -> None:
        """Look, before a saved state goes on, for a tool that a call of it needs and that is gone.
        The framework would only tell the model so, and the answer of a person would be lost."""


@dataclass
class RoutedToolset(WrapperToolset[Any]):
    """Everything that an agent can call, by way of the toolbox."""

    calls: CallHandler

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        tools = await super().get_tools(ctx)
        await self.calls.check_offered(tools)
        return {name: _as_function(tool) for name, tool in tools.items()}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        return await self.calls.call(name, tool_args, ctx, tool, self.wrapped)


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
                args_validator=_ANY_OBJECT,
            )
            for name, tool in self.tools.items()
        }

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        raise AssertionError("a RoutedToolset is around every toolset")


def _as_function(tool: ToolsetTool[Any]) -> ToolsetTool[Any]:
    """Make a tool that the framework would defer by itself one whose calls come here as well."""
    definition = tool.tool_def
    if definition.kind not in ("unapproved", "external"):
        return tool
    metadata = {**(definition.metadata or {}), KIND: definition.kind}
    return replace(tool, tool_def=replace(definition, kind="function", metadata=metadata))
