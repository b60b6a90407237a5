"""What reads a message: the rules, and a model beside them where there is one.

Whatever reads it, only the rules may say that a person told an action to run, and a model's doubt
counts against that. One that fails or takes too long fills nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from sayso.core.operations import (
    Clear,
    Confirm,
    Correct,
    Deny,
    Later,
    Operation,
    Reading,
    RequestAction,
    Set,
    Unclear,
)

log = logging.getLogger("sayso.gate")

MODEL_SECONDS = 20.0


@runtime_checkable
class Extractor(Protocol):
    """Turns one new message into operations."""

    async def extract(self, reading: Reading) -> Sequence[Operation]: ...


class Chain:
    """The rules first, then a model for what they did not find."""

    def __init__(
        self, rules: Extractor, model: Extractor | None = None, *, seconds: float = MODEL_SECONDS
    ) -> None:
        self._rules, self._model, self._seconds = rules, model, seconds

    @property
    def name(self) -> str:
        return "rules" if self._model is None else str(getattr(self._model, "name", "model"))

    async def extract(self, reading: Reading) -> Sequence[Operation]:
        found = [*await self._rules.extract(reading)]
        if self._model is None:
            return found
        said = await self._asked(self._model, reading)
        known = {op.slot for op in found if isinstance(op, Set | Correct | Clear)}
        for op in said:
            if isinstance(op, Set | Correct | Clear) and op.slot not in known:
                found.append(op)
            # A wish may be heard by a model; that it is to run now may not.
            elif isinstance(op, RequestAction):
                found.append(op.model_copy(update={"runs": False}))
        if any(isinstance(op, Deny | Later | Unclear) for op in said):
            found = [op for op in found if not _leads_to_a_run(op)]
            found += [op for op in said if isinstance(op, Deny | Later | Unclear)]
        return found

    async def _asked(self, model: Extractor, reading: Reading) -> Sequence[Operation]:
        try:
            async with asyncio.timeout(self._seconds):
                return await model.extract(reading)
        except Exception as exc:  # whatever a model does, nothing is filled
            log.warning("the extractor gave nothing: %s: %s", type(exc).__name__, exc)
            return []


def _leads_to_a_run(op: Operation) -> bool:
    return isinstance(op, Confirm) or (isinstance(op, RequestAction) and op.runs)
