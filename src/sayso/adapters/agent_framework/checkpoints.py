"""Where a workflow's supersteps ended, as JSON in the state of its run. What is no JSON in it is
pickled by the framework, and read again where its class is one of the framework's, or of the
modules that the executors are from."""

from __future__ import annotations

import json
import sys
from typing import Any

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    Workflow,
    WorkflowCheckpoint,
)
from agent_framework._workflows._checkpoint_encoding import (
    decode_checkpoint_value,
    encode_checkpoint_value,
)

from sayso.adapters.agent_framework.state import CODEC
from sayso.adapters.agent_framework.turn import AgentFrameworkEnclosing
from sayso.core.errors import NotSupportedError

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
