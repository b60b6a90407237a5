"""A run's own copy of an agent of AG2, with the gate before everything it does and every agent it
passes tasks on to.

The application's objects are never touched: two runs of one agent never see each other.
"""

from __future__ import annotations

import hashlib
from copy import copy, deepcopy
from functools import partial
from inspect import getclosurevars
from typing import TYPE_CHECKING, Any

from ag2 import Agent
from ag2.agent import _build_subtask_toolkit, _filter_subtask_tools
from ag2.annotations import Context
from ag2.tools.final import FunctionTool, Toolkit
from ag2.tools.subagents import subagent_tool
from ag2.tools.subagents.run_task import run_task
from ag2.tools.subagents.subagent_tool import SubagentTool
from ag2.tools.tool import Tool

from sayso.adapters.ag2.gate import Gate
from sayso.core.errors import NotSupportedError

if TYPE_CHECKING:
    from sayso.adapters.ag2.run import Run

#: What of an agent, beyond what AG2 documents, a copy has for its own.
COPIED = (
    "_middleware",
    "_agent_variables",
    "_hitl_hook",
    "_task_config",
    "_additional_tools",
    "_run_subtask",
)
_SUBTASKS = ("run_subtask", "run_subtasks")


def copy_of(agent: Agent[Any], run: Run, *, nested: bool) -> Agent[Any]:
    """The copy. The person of a nested agent is the run's, not one behind a hook of its own."""
    mine: Any = copy(agent)
    mine._middleware = [partial(Gate, run, agent.name), *agent._middleware]
    mine._agent_variables = deepcopy(agent._agent_variables)
    mine.tools = [_tool(tool, run) for tool in agent.tools]
    if nested:
        mine._hitl_hook = None
    if agent._task_config is not None:
        own = [tool for tool in agent._additional_tools if not _is_subtask_toolkit(tool)]
        mine._additional_tools = [_build_subtask_toolkit(mine), *own]
        mine._run_subtask = partial(_run_subtask, mine, run)
        run.delegates.update(_SUBTASKS)
    for tool in [*mine.tools, *mine._additional_tools]:
        run.native.update({one.name: one for one in _flat(tool)})
    made: Agent[Any] = mine
    return made


def _tool(tool: Tool, run: Run) -> Tool:
    if isinstance(tool, SubagentTool):
        run.delegates.add(tool.name)
        function = tool.schema.function
        return subagent_tool(
            copy_of(tool.agent, run, nested=True),
            description=function.description,
            name=tool.name,
            stream=getclosurevars(tool.model.call).nonlocals.get("stream_factory"),
            middleware=tool._middleware,
        )
    if isinstance(tool, FunctionTool) and tool.model.call.__module__.endswith(
        "subagents.background"
    ):
        raise NotSupportedError(
            f"'{tool.name}' runs an agent in the background, where nobody can be asked.",
            fix="Give the agent as a tool with `agent.as_tool(...)`: the turn waits for it.",
        )
    if type(tool) is Toolkit:
        mine = copy(tool)
        mine._tools = {name: _tool(one, run) for name, one in tool._tools.items()}
        return mine
    return tool


def _flat(tool: Tool) -> list[Tool]:
    if not isinstance(tool, Toolkit):
        return [tool]
    return [found for one in tool.tools for found in _flat(one)]


def _is_subtask_toolkit(tool: Tool) -> bool:
    return isinstance(tool, Toolkit) and {one.name for one in tool.tools} == set(_SUBTASKS)


async def _run_subtask(agent: Agent[Any], run: Run, task: str, ctx: Context, config: Any) -> str:
    """As Agent._run_subtask does it, with the gate before the bare agent that it makes; it is named
    by its task, so that it is known again when the call runs again."""
    bare: Agent[Any] = Agent(
        name=f"subtask-{hashlib.sha256(task.encode()).hexdigest()[:8]}",
        prompt=config.prompt,
        config=config.config or agent.config,
        tools=[
            *_filter_subtask_tools(agent.tools, config.include_tools, config.exclude_tools),
            *(_tool(FunctionTool.ensure_tool(tool), run) for tool in config.extra_tools),
        ],
    )
    mine: Any = bare
    mine._middleware = [partial(Gate, run, bare.name)]
    run.native.update({one.name: one for tool in bare.tools for one in _flat(tool)})
    result = await run_task(bare, task, parent_context=ctx)
    return (result.result or "") if result.completed else f"Error: {result.error}"
