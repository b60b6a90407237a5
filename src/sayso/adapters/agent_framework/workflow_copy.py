"""A run's own copy of a workflow: each of its agents comes to us, and its state is of this run
alone.

Where its supersteps ended is JSON in the state of the run. What is no JSON in it is pickled by the
framework, and read again where its class is one of the framework's, or of the modules that the
executors are from.
"""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import AsyncIterator
from copy import copy, deepcopy
from typing import Any

from agent_framework import (
    AgentExecutor,
    AgentResponse,
    AgentResponseUpdate,
    CheckpointStorage,
    Executor,
    FunctionExecutor,
    InMemoryCheckpointStorage,
    InProcRunnerContext,
    RawAgent,
    ResponseStream,
    Workflow,
    WorkflowAgent,
    WorkflowCheckpoint,
)
from agent_framework._workflows._checkpoint_encoding import (
    decode_checkpoint_value,
    encode_checkpoint_value,
)

from sayso.adapters.agent_framework.agent_copy import AgentCopy
from sayso.adapters.agent_framework.state import CODEC, AgentFrameworkEnclosing, Paused
from sayso.adapters.agent_name import agent_name
from sayso.core.errors import NotSupportedError


def workflow_of(agent: object) -> Workflow | None:
    """Return the workflow that this is, or that this agent runs."""
    found = agent.workflow if isinstance(agent, WorkflowAgent) else agent
    return found if isinstance(found, Workflow) else None


def member_of(executor: Executor) -> RawAgent[Any] | None:
    """Return the agent that an executor is."""
    found = executor.agent if isinstance(executor, AgentExecutor) else None
    return found if isinstance(found, RawAgent) else None


def copy_of(
    flow: Workflow, enclosing: AgentFrameworkEnclosing, storage: CheckpointStorage
) -> Workflow:
    executors = {name: _executor(one, enclosing) for name, one in flow.executors.items()}
    shown = flow._output_designation
    return Workflow(
        flow.edge_groups,
        executors,
        executors[flow.start_executor_id],
        InProcRunnerContext(storage),
        agent_name(flow),
        flow.description,
        flow.max_iterations,
        None if shown.outputs is None else list(shown.outputs),
        list(shown.intermediates) or None,
    )


def text_path(enclosing: AgentFrameworkEnclosing, executor_id: str) -> str:
    """Return where the journal has what an executor says in this superstep."""
    return f"text:{enclosing.key}:{executor_id}"


def _executor(executor: Executor, enclosing: AgentFrameworkEnclosing) -> Executor:
    mine: Any = copy(executor)
    for name, value in vars(executor).items():
        if isinstance(value, list | dict | set | deque) and name not in _OF_CLASS:
            setattr(mine, name, _own(value))
    mine._execution_lock = None
    if not isinstance(executor, FunctionExecutor):  # its handlers are bound to no object
        mine._handlers, mine._handler_specs = {}, []
        mine._discover_handlers()
        mine._response_handlers = {}
        mine._discover_response_handlers()
    agent = member_of(executor)
    if agent is not None:
        mine._agent = _member(agent, enclosing, executor.id)
        mine._session = agent.create_session()
    made: Executor = mine
    return made


#: What says how an executor handles messages: the same for all copies.
_OF_CLASS = ("_handlers", "_handler_specs", "_response_handlers")


def _own(value: Any) -> Any:
    try:
        return deepcopy(value)
    except Exception:  # it holds a client, or another thing of the process
        return copy(value)


def _member(
    agent: RawAgent[Any], enclosing: AgentFrameworkEnclosing, executor_id: str
) -> RawAgent[Any]:
    """Return the agent of an executor. A run of it that waits ends as if it had nothing to say, so
    that the other executors of the superstep come to their ends; then the workflow is left, and the
    superstep forgotten."""
    mine: Any = copy(agent)

    def run(*given: Any, stream: bool = False, **options: Any) -> Any:
        path = enclosing.path(executor_id)
        made = AgentCopy(agent, enclosing, path, text_path(enclosing, executor_id))
        options["tools"] = [*made.offered, *(options.get("tools") or ())]
        agent_run: Any = made.agent.run
        source = agent_run(*given, stream=stream, **options)
        if not stream:
            return _whole(source)
        ended: list[AgentResponse[Any]] = []
        return ResponseStream(
            _pieces(source, ended),
            finalizer=lambda _: ended[0] if ended else AgentResponse(messages=[]),
        )

    mine.run = run
    member: RawAgent[Any] = mine
    return member


async def _whole(source: Any) -> AgentResponse[Any]:
    try:
        found: AgentResponse[Any] = await source
    except Paused:
        return AgentResponse(messages=[])
    return found


async def _pieces(
    source: Any, ended: list[AgentResponse[Any]]
) -> AsyncIterator[AgentResponseUpdate]:
    try:
        async for update in source:
            yield update
        ended.append(await source.get_final_response())
    except Paused:
        return


#: The names that this leans on.
LEANS_ON = ("decode_checkpoint_value", "encode_checkpoint_value")


class Checkpoints(InMemoryCheckpointStorage):
    """Keeps the newest checkpoint of a run alone."""

    def __init__(self, enclosing: AgentFrameworkEnclosing, flow: Workflow) -> None:
        super().__init__()
        self._enclosing, self._types = enclosing, _types_of(flow)

    async def save(self, checkpoint: WorkflowCheckpoint) -> str:
        turn = self._enclosing.turn
        if turn.is_over:
            return checkpoint.checkpoint_id  # this superstep is done again
        state = turn.state
        try:
            body = json.loads(json.dumps(encode_checkpoint_value(checkpoint.to_dict())))
        except Exception as exc:
            turn.fatal = NotSupportedError(
                f"What the workflow keeps or sends cannot be saved: {exc}",
                fix="Let its executors send and keep JSON, or classes at the top of a module.",
            )
            raise
        state.checkpoint, state.step = body, state.step + 1
        for of_the_superstep in ("replies", "changes", "told", "tools", "pending"):
            getattr(state, of_the_superstep).clear()
        self._enclosing.begin(f"@{state.step}")
        return checkpoint.checkpoint_id

    async def load(self, checkpoint_id: str) -> WorkflowCheckpoint:
        with CODEC.reading("a workflow's checkpoint"):
            kept = self._enclosing.turn.state.checkpoint
            return WorkflowCheckpoint.from_dict(
                decode_checkpoint_value(kept, allowed_types=self._types)
            )


def _types_of(flow: Workflow) -> frozenset[str]:
    modules = {_module_of(executor) for executor in flow.executors.values()}
    return frozenset(
        {"types:GenericAlias"}  # as in `ctx.request_info(…, list[Message])`
        | {
            f"{thing.__module__}:{thing.__qualname__}"
            for module in modules
            for thing in vars(sys.modules.get(module, sys)).values()
            if isinstance(thing, type) and module in sys.modules
        }
    )


def _module_of(executor: Executor) -> str:
    made_from: Any = getattr(executor, "_original_func", type(executor))
    return str(made_from.__module__)
