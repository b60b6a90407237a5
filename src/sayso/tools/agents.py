"""A tool that hands a task to another agent of the application, in whatever framework it is
written.

The other agent works in a child run. What it asks of people shows in this chat; its last message is
the tool's result.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping

from pydantic import JsonValue

from sayso.core.children import ChildEnd, ChildRequest, child_run_id, child_task_id
from sayso.core.digest import JsonObject
from sayso.core.sessions import Run, RunState
from sayso.core.tasks import TaskRequest, UniversalMessage
from sayso.tools.context import ToolContext
from sayso.tools.segment_env import SegmentEnv
from sayso.tools.signature import ArgumentsInvalid, Parameters
from sayso.tools.suspension import SaidError, Suspend, ToolMistake
from sayso.tools.tool import Approval, Prepared, Traits

#: Agents that hand a task on and on would never end.
MOST_HANDOVERS = 5
_DEPTH = "handovers"


def agent_tool(
    agent: str,
    *,
    description: str,
    name: str | None = None,
    approval: Approval = False,
) -> AgentTool:
    """Make a tool that gives a task to the agent of this name and waits for its reply.

    `description` tells the asking agent when to use it; the tool is called `ask_AGENT` unless
    `name` says otherwise. With `approval` a person is asked before the task is handed over.
    """
    return AgentTool(agent, name or f"ask_{agent}", description, Traits(approval=approval))


async def _shape(task: str) -> str:
    """Return the parameters of every such tool."""
    return task


class AgentTool:
    """The tool that `agent_tool` makes (a `Runnable`). It has no effect of its own: the child run
    has its own records."""

    is_ours = True
    in_thread = False

    def __init__(self, agent: str, name: str, description: str, traits: Traits) -> None:
        self.agent, self.name, self.description = agent, name, description
        self.traits = Traits(approval=traits.approval, read_only=True)
        self._parameters = Parameters(_shape, name)

    def __repr__(self) -> str:
        return f"<sayso tool {self.name}: asks the agent {self.agent}>"

    @property
    def schema(self) -> JsonObject:
        return self._parameters.schema

    def check(self, arguments: Mapping[str, JsonValue]) -> JsonObject:
        checked = self._parameters.check(arguments)[0]
        if not str(checked["task"]).strip():
            raise ArgumentsInvalid([{"path": "task", "message": "There is no task."}])
        return checked

    async def propose(self, arguments: JsonObject, ctx: object) -> Prepared | None:
        return None

    def start(self, arguments: JsonObject, ctx: object) -> Awaitable[object]:
        assert isinstance(ctx, ToolContext)
        assert ctx._call_key is not None
        return self._hand_over(str(arguments["task"]), ctx._call_key, ctx._env)

    async def _hand_over(self, words: str, call_key: str, env: SegmentEnv) -> JsonValue:
        ended = env.child(call_key)
        if ended is None:
            raise Suspend([self._request(words, call_key, env.run)])
        return self._result(ended)

    def _request(self, words: str, call_key: str, parent: Run) -> ChildRequest:
        found = parent.task.context.get(_DEPTH)
        # A person's request may carry this name too: it can make the way shorter, not longer.
        depth = max(found, 0) if isinstance(found, int) else 0
        if depth >= MOST_HANDOVERS:
            raise ToolMistake(f"This task was handed on {depth} times already.")
        task = TaskRequest(
            task_id=child_task_id(child_run_id(parent.id, call_key)),
            messages=[UniversalMessage(role="user", content=words)],
            execution_config=parent.task.execution_config,
            context={**parent.task.context, _DEPTH: depth + 1},
        )
        return ChildRequest(call_key=call_key, agent=self.agent, task=task)

    def _result(self, ended: ChildEnd) -> JsonValue:
        if ended.state is RunState.COMPLETED:
            return ended.output
        if ended.state is RunState.CANCELLED:
            reason = ended.output or "It was stopped."
            return {"status": "cancelled", "agent": self.agent, "reason": reason}
        why = (ended.error or {}).get("detail", "no reason was given")
        raise SaidError(f"{self.agent} could not finish: {why}")
