"""A tool of an agent of Strands, as the toolbox sees it, and what its body may do while it runs:
ask a person, and run other agents. And the toolbox's tools, as Strands knows tools."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any

from pydantic import JsonValue
from pydantic_core import to_jsonable_python
from strands.middleware import ExecuteToolContext, TypedEvent
from strands.multiagent import Swarm
from strands.tools.decorator import DecoratedFunctionTool
from strands.types.tools import AgentTool, ToolGenerator, ToolResult, ToolSpec, ToolUse

from sayso.adapters.native import NativeTool, hinted_traits, in_our_words
from sayso.adapters.strands.enclosed_tools import agent_of, enclosed
from sayso.adapters.strands.interrupts import asked_by
from sayso.adapters.strands.state import ENCLOSING, Running, StrandsEnclosing
from sayso.core.digest import JsonObject
from sayso.tools.calls import Returned
from sayso.tools.context import ToolContext
from sayso.tools.suspension import SaidError
from sayso.tools.threads import is_async
from sayso.tools.tool import Runnable, Traits

NextTool = Callable[[ExecuteToolContext], AsyncGenerator[TypedEvent, None]]


def traits_of(tool: AgentTool) -> Traits:
    # To hand on a task does nothing by itself: the other agent's calls are decided on one by one.
    function = getattr(tool, "_tool_func", None)
    if agent_of(tool) is not None or getattr(function, "__module__", "") == Swarm.__module__:
        return Traits(declared=False, read_only=True)
    return hinted_traits(tool.tool_spec.get("annotations") or {})


class StrandsTool(NativeTool):
    """One of the agents' own tools, in one call."""

    def __init__(self, agent: Running, key: str, context: ExecuteToolContext) -> None:
        tool = context.tool
        assert tool is not None
        function = getattr(tool, "_tool_func", None)
        super().__init__(
            tool.tool_name,
            tool.tool_spec.get("description"),
            traits_of(tool),
            in_thread=function is not None and not is_async(function),
        )
        self._agent, self._key, self._tool, self._context = agent, key, tool, context
        #: The framework's own result of a body that has run.
        self.returned: ToolResult | None = None
        self.value: object = None

    @property
    def schema(self) -> JsonObject:
        given = self._tool.tool_spec["inputSchema"]
        found: JsonObject = to_jsonable_python(given.get("json", given))
        return found

    def check(self, arguments: Mapping[str, JsonValue]) -> JsonObject:
        """Hold the arguments against what the tool's function takes, and fill in its defaults."""
        if not isinstance(self._tool, DecoratedFunctionTool):
            return super().check(arguments)
        with in_our_words(arguments):
            whole = self._tool._metadata.input_model(**arguments)
        found: JsonObject = whole.model_dump(mode="json")
        return found

    async def start(self, arguments: JsonObject, ctx: object) -> object:
        assert isinstance(ctx, ToolContext)
        agent = self._agent
        enclosing = StrandsEnclosing(agent.turn, self._key)
        before = agent.agent.state.get()
        with enclosing.body(ENCLOSING):
            event = await self._answered_event(arguments, enclosing, ctx)
        self._keep_changes(before)
        return self._value(event)

    async def _answered_event(
        self, arguments: JsonObject, enclosing: StrandsEnclosing, ctx: ToolContext
    ) -> Any:
        interrupts = self._known_interrupts()
        while True:
            for interrupt in interrupts:
                await self._answer(interrupt, ctx)
            event = await self._last_event(arguments, enclosing)
            if "tool_interrupt_event" not in event:
                return event
            interrupts = event["tool_interrupt_event"]["interrupts"]

    async def _last_event(self, arguments: JsonObject, enclosing: StrandsEnclosing) -> Any:
        tool = enclosed(self._tool, enclosing)
        call: Any = {**self._context.tool_use, "input": arguments}
        last: Any = None
        async for event in tool.stream(call, self._context.invocation_state):
            last = event
        return last if isinstance(last, dict) else {}

    # ── questions of the body: the framework runs it again from its start ──

    def _known_interrupts(self) -> list[Any]:
        """Return what this call asked in an earlier segment."""
        mine = f"v1:tool_call:{self._context.tool_use['toolUseId']}:"
        state = self._agent.agent._interrupt_state
        return [one for one in state.interrupts.values() if one.id.startswith(mine)]

    async def _answer(self, interrupt: Any, ctx: ToolContext) -> None:
        agent = self._agent.agent
        asked = asked_by(agent, interrupt, self._key, agent.name, self._tool)
        it = await ctx.present(interrupt.id, asked.card)
        interrupt.response = asked.read(it)

    # ── what it leaves behind ──

    def _keep_changes(self, before: dict[str, Any]) -> None:
        """Save what the body changed in its agent with the end of the call."""
        agent, turn = self._agent.agent, self._agent.turn
        if getattr(agent, "_deferred_cancel", False):
            turn.state.stops[self._key] = getattr(agent, "_cancel_message", None)
            turn.segment.env.changed = True
        if agent.state.get() != before:
            turn.segment.env.changed = True

    def _value(self, event: Any) -> object:
        """Return the result for the chat. Raises what the body raised, and what it says went
        wrong."""
        raised = getattr(event, "exception", None)
        if raised is not None:
            raise raised
        result = event.get("tool_result", event)
        content = result.get("content") or []
        values = [_value_of(block) for block in content]
        value = values[0] if len(values) == 1 else values
        if result.get("status") == "error":
            raise SaidError(value if isinstance(value, str) else json.dumps(value))
        self.returned, self.value = result, value
        return value


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


def told(came: Returned, native: StrandsTool | None, context: ExecuteToolContext) -> ToolResult:
    """Return what the model is told of a call that has ended."""
    call_id = context.tool_use["toolUseId"]
    returned = native.returned if native is not None else None
    if native is not None and returned is not None and came.value == native.value:
        return {**returned, "toolUseId": call_id}
    value = came.value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    status: Any = "error" if came.error is not None else "success"
    return {"toolUseId": call_id, "status": status, "content": [{"text": text}]}


def _value_of(block: Mapping[str, Any]) -> JsonValue:
    if "text" in block:
        return str(block["text"])
    found: JsonValue = to_jsonable_python(block.get("json", block), fallback=str)
    return found
