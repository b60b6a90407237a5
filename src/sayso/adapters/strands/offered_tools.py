"""The toolbox's tools, as Strands knows tools."""

from __future__ import annotations

from typing import Any

from strands.types.tools import AgentTool, ToolGenerator, ToolSpec, ToolUse

from sayso.tools.tool import Runnable


class OfferedTool(AgentTool):
    """A tool of the application. Its calls never come here: the agent's middleware has them."""

    def __init__(self, tool: Runnable) -> None:
        super().__init__()
        self._tool = tool

    @property
    def tool_name(self) -> str:
        return self._tool.name

    @property
    def tool_spec(self) -> ToolSpec:
        tool = self._tool
        schema = {"json": dict(tool.schema)}
        return {"name": tool.name, "description": tool.description, "inputSchema": schema}

    @property
    def tool_type(self) -> str:
        return "sayso"

    def stream(
        self, tool_use: ToolUse, invocation_state: dict[str, Any], **more: Any
    ) -> ToolGenerator:
        raise AssertionError("the middleware is before every tool")
