"""A run's own copy of an agent of AG2, and of every agent that it passes tasks on to, with our
middleware around everything they do.

The application's objects are never touched: two runs of one agent never see each other.
"""

from __future__ import annotations

import hashlib
from copy import copy, deepcopy
from functools import partial
from inspect import getclosurevars
from typing import Any

from ag2 import Agent
from ag2.agent import _build_subtask_toolkit, _filter_subtask_tools
from ag2.annotations import Context
from ag2.tools.final import FunctionTool, Toolkit
from ag2.tools.subagents import subagent_tool
from ag2.tools.subagents.run_task import run_task
from ag2.tools.subagents.subagent_tool import SubagentTool
from ag2.tools.tool import Tool

from sayso.adapters.ag2.checks import NO_BACKGROUND, WAIT_INSTEAD, flat, is_in_background
from sayso.adapters.ag2.native_tool import FRAME, watched
from sayso.adapters.ag2.segment_turns import Ag2Turns
from sayso.adapters.ag2.tool_calls import TurnMiddleware
from sayso.adapters.registry import check_has
from sayso.core.errors import NotSupportedError

#: What a copy has of its own, beyond what AG2 documents of an agent.
COPIED = (
    "_middleware",
    "_agent_variables",
    "_hitl_hook",
    "_task_config",
    "_additional_tools",
    "_run_subtask",
)
#: The same of its tools.
KEPT_BY_TOOLS: dict[type, tuple[str, ...]] = {Toolkit: ("_tools",), FunctionTool: ("_middleware",)}
_SUBTASKS = ("run_subtask", "run_subtasks")


def check_parts(agent: Agent[Any]) -> None:
    """Raise NotSupportedError where this version of AG2 builds an agent, or its tools,
    differently."""
    check_has(agent, "tools", *COPIED)
    for tool in agent.tools:
        for kind, names in KEPT_BY_TOOLS.items():
            if isinstance(tool, kind):
                check_has(tool, *names)


def copy_of(agent: Agent[Any], turns: Ag2Turns, *, nested: bool) -> Agent[Any]:
    """Return the copy. A nested agent asks the run's person, not one behind a hook of its own."""
    mine: Any = copy(agent)
    mine._middleware = [partial(TurnMiddleware, turns, agent.name), *agent._middleware]
    mine._agent_variables = deepcopy(agent._agent_variables)
    mine.tools = [_tool(tool, turns) for tool in agent.tools]
    if nested:
        mine._hitl_hook = None
    if agent._task_config is not None:
        own = [tool for tool in agent._additional_tools if not _is_subtask_toolkit(tool)]
        mine._additional_tools = [_build_subtask_toolkit(mine), *own]
        mine._run_subtask = partial(_run_subtask, mine, turns)
        turns.delegates.update(_SUBTASKS)
    for tool in [*mine.tools, *mine._additional_tools]:
        turns.native.update({one.name: one for one in flat([tool])})
    made: Agent[Any] = mine
    return made


def _tool(tool: Tool, turns: Ag2Turns) -> Tool:
    if isinstance(tool, SubagentTool):
        turns.delegates.add(tool.name)
        function = tool.schema.function
        return subagent_tool(
            copy_of(tool.agent, turns, nested=True),
            description=function.description,
            name=tool.name,
            stream=getclosurevars(tool.model.call).nonlocals.get("stream_factory"),
            middleware=tool._middleware,
        )
    if is_in_background(tool):
        raise NotSupportedError(f"'{tool.name}' {NO_BACKGROUND}", fix=WAIT_INSTEAD)
    if type(tool) is Toolkit:
        mine = copy(tool)
        mine._tools = {name: _tool(one, turns) for name, one in tool._tools.items()}
        return mine
    return watched(tool) if type(tool) is FunctionTool else tool


def _is_subtask_toolkit(tool: Tool) -> bool:
    return isinstance(tool, Toolkit) and {one.name for one in tool.tools} == set(_SUBTASKS)


async def _run_subtask(
    agent: Agent[Any], turns: Ag2Turns, task: str, ctx: Context, config: Any
) -> str:
    """Do what Agent._run_subtask does, with our middleware around the bare agent that it makes.
    That is named by its task, so that it is known again when the call runs again."""
    waits = FRAME.get().pending  # before the tasks that were begun beside it can wait
    bare: Agent[Any] = Agent(
        name=f"subtask-{hashlib.sha256(task.encode()).hexdigest()[:8]}",
        prompt=config.prompt,
        config=config.config or agent.config,
        tools=[
            *_filter_subtask_tools(agent.tools, config.include_tools, config.exclude_tools),
            *(_tool(FunctionTool.ensure_tool(tool), turns) for tool in config.extra_tools),
        ],
    )
    mine: Any = bare
    mine._middleware = [partial(TurnMiddleware, turns, bare.name, waits=waits)]
    turns.native.update({one.name: one for one in flat(bare.tools)})
    result = await run_task(bare, task, parent_context=ctx)
    return (result.result or "") if result.completed else f"Error: {result.error}"
