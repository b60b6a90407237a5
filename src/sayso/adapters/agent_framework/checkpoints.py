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
from sayso.adapters.agent_framework.turn import Enclosing, Turn
from sayso.core.errors import NotSupportedError

#: The names that this leans on.
LEANS_ON = ("decode_checkpoint_value", "encode_checkpoint_value")


class Checkpoints(InMemoryCheckpointStorage):
    """Keeps the newest checkpoint of a run alone."""

    def __init__(self, turn: Turn, enclosing: Enclosing, flow: Workflow) -> None:
        super().__init__()
        self._turn, self._enclosing, self._types = turn, enclosing, _types_of(flow)

    async def save(self, checkpoint: WorkflowCheckpoint) -> str:
        turn = self._turn
        if turn.requests or turn.fatal is not None:
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
        of_the_superstep: tuple[dict[str, Any], ...] = (
            state.replies,
            state.changes,
            state.told,
            state.tools,
            state.pending,
        )
        for kept in of_the_superstep:
            kept.clear()
        self._enclosing.begin(f"@{state.step}")
        return checkpoint.checkpoint_id

    async def load(self, checkpoint_id: str) -> WorkflowCheckpoint:
        with CODEC.reading("a workflow's checkpoint"):
            body = decode_checkpoint_value(self._turn.state.checkpoint, allowed_types=self._types)
            return WorkflowCheckpoint.from_dict(body)


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
