"""A run's own copies of its agents, with their models routed to us, and their calls to the toolbox,
also where the body of a call runs agents.

The application's objects are never touched: two runs of one agent never see each other.
"""

from __future__ import annotations

import inspect
import json
from copy import copy
from dataclasses import replace
from typing import Any

from agents import (
    Agent,
    FunctionTool,
    FunctionToolResult,
    Handoff,
    RunConfig,
    RunContextWrapper,
    Tool,
)
from agents.run import AgentRunner, get_default_agent_runner, set_default_agent_runner
from agents.tool_context import ToolContext as RunToolContext

from sayso.adapters.model_reply import object_in
from sayso.adapters.openai_agents.model_replies import RecordedModel, Replies
from sayso.adapters.openai_agents.native_tool import OpenAITool
from sayso.adapters.openai_agents.state import ENCLOSING, OpenAIEnclosing
from sayso.adapters.turn import WAITING
from sayso.tools.calls import Returned


class AgentCopies:
    """The copies for one run of an agent, and of all it may hand over to."""

    def __init__(self, enclosing: OpenAIEnclosing, path: str) -> None:
        self._replies = Replies(enclosing, path)
        self._calls = Calls(self._replies)
        self._made: dict[int, Agent[Any]] = {}

    def of(self, agent: Agent[Any]) -> Agent[Any]:
        known = self._made.get(id(agent))
        if known is not None:
            return known
        if any(agent is mine for mine in self._made.values()):
            return agent
        mine: Any = copy(agent)
        self._made[id(agent)] = mine
        mine.model = RecordedModel(agent, self._replies)
        mine.tool_use_behavior = self._calls.final_by(agent)
        mine.handoffs = [self._handoff(one) for one in agent.handoffs]

        async def get_all_tools(ctx: RunContextWrapper[Any]) -> list[Tool]:
            own = await agent.get_all_tools(ctx)
            given = self._calls.offered(mine.name) if self._replies.is_root else []
            return [*(self._tool(tool, mine.name) for tool in own), *given]

        mine.get_all_tools = get_all_tools
        made: Agent[Any] = mine
        return made

    def _tool(self, tool: Tool, speaker: str) -> Tool:
        return self._calls.routed(tool, speaker) if isinstance(tool, FunctionTool) else tool

    def _handoff(self, given: Agent[Any] | Handoff[Any, Any]) -> Agent[Any] | Handoff[Any, Any]:
        if isinstance(given, Agent):
            return self.of(given)
        mine, invoke = copy(given), given.on_invoke_handoff

        async def hand_over(ctx: RunContextWrapper[Any], arguments: str) -> Any:
            return self.of(await invoke(ctx, arguments))

        mine.on_invoke_handoff = hand_over
        return mine


class SaysoRunner(AgentRunner):
    """Runs agents as the framework does; those within a call of ours as our copies. Tools,
    guardrails and `as_tool` all come to the framework's default runner."""

    async def run(self, starting_agent: Agent[Any], input: Any, **options: Any) -> Any:
        mine, options = _within(starting_agent, options)
        return await super().run(mine, input, **options)

    def run_streamed(self, starting_agent: Agent[Any], input: Any, **options: Any) -> Any:
        mine, options = _within(starting_agent, options)
        return super().run_streamed(mine, input, **options)


def run_within_calls() -> None:
    """Let runs of agents in the bodies of calls come to us; all others go as before."""
    if type(get_default_agent_runner()) is AgentRunner:
        set_default_agent_runner(SaysoRunner())


def _within(agent: Agent[Any], options: dict[str, Any]) -> tuple[Agent[Any], dict[str, Any]]:
    enclosing = ENCLOSING.get(None)
    if enclosing is None:
        return agent, options
    if options.get("run_config") is None:
        config = RunConfig(tool_not_found_behavior="return_error_to_model")
        options = {**options, "run_config": config}
    return AgentCopies(enclosing, enclosing.path(agent.name)).of(agent), options


class Calls:
    def __init__(self, replies: Replies) -> None:
        self._turn, self._replies = replies.turn, replies
        #: What calls returned, by their ids, as the code of an agent expects it of its own tools.
        self._returned: dict[str | None, object] = {}

    def offered(self, speaker: str) -> list[FunctionTool]:
        """Return the toolbox's tools as the framework's."""

        def made(name: str) -> Any:
            async def invoke(ctx: RunToolContext[Any], written: str) -> Any:
                return await self._call(ctx, name, written, speaker, None)

            return invoke

        return [
            FunctionTool(
                name=tool.name,
                description=tool.description,
                params_json_schema=dict(tool.schema),
                on_invoke_tool=made(tool.name),
                strict_json_schema=False,
            )
            for tool in self._turn.ours.values()
        ]

    def routed(self, tool: FunctionTool, speaker: str) -> FunctionTool:
        """Return an agent's own tool with its calls sent here. What it says of approval and of
        time is ours to keep."""

        async def invoke(ctx: RunToolContext[Any], written: str) -> Any:
            return await self._call(ctx, tool.name, written, speaker, tool)

        mine = copy(tool)
        mine.on_invoke_tool = invoke
        mine.needs_approval = False
        mine.timeout_seconds = None
        mine._output_type_adapter = None
        return mine

    def final_by(self, agent: Agent[Any]) -> Any:
        """Return how the agent says which results are its answer; a function of its own gets what
        the tools returned, not the words that models are told."""
        decides = agent.tool_use_behavior
        if not callable(decides):
            return decides

        async def decide(ctx: Any, results: list[FunctionToolResult]) -> Any:
            returned = [replace(one, output=self._returned_by(one)) for one in results]
            found: Any = decides(ctx, returned)
            return await found if inspect.isawaitable(found) else found

        return decide

    def _returned_by(self, result: FunctionToolResult) -> object:
        item: Any = getattr(result.run_item, "raw_item", None) or {}
        call_id = item.get("call_id") if isinstance(item, dict) else item.call_id
        return self._returned.get(call_id, result.output)

    async def _call(
        self,
        ctx: RunToolContext[Any],
        name: str,
        written: str,
        speaker: str,
        tool: FunctionTool | None,
    ) -> Any:
        turn, key = self._turn, self._replies.key(ctx.tool_call_id)
        native = OpenAITool(turn, key, tool, ctx) if tool is not None else None
        came = await self._replies.enclosing.call(
            key, name, object_in(written), native, speaker=turn.name_of(speaker)
        )
        if came is None:
            return WAITING
        if native is not None and came.error is None:
            self._returned[ctx.tool_call_id] = native.as_returned(came.result)
        return await _told(came, native, tool, ctx)


async def _told(
    came: Returned, native: OpenAITool | None, tool: FunctionTool | None, ctx: Any
) -> Any:
    """Return what the model is told of a call that has ended."""
    own_words = tool is not None and not tool._use_default_failure_error_function
    if tool is not None and own_words and isinstance(came.exception, Exception):
        if tool._failure_error_function is None:
            raise came.exception
        said: Any = tool._failure_error_function(ctx, came.exception)
        return await said if inspect.isawaitable(said) else said
    if native is not None and _is_more_than_json(native.returned) and not came.notes:
        return native.returned
    return came.value if isinstance(came.value, str) else json.dumps(came.value)


def _is_more_than_json(value: object) -> bool:
    """Tell whether it is one of the framework's own outputs: text, image, file."""
    many = value if isinstance(value, list) else [value]
    return any(type(one).__name__.startswith("ToolOutput") for one in many)
