"""How a message is read: by a model where there is one, and by the rules."""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pydantic import TypeAdapter

from sayso.core.errors import ToolUnavailable
from sayso.core.extraction_ops import (
    Clear,
    Confirm,
    Correct,
    Deny,
    Doubt,
    Later,
    Operation,
    Reading,
    RequestAction,
    Set,
    Suggest,
    Unclear,
)
from sayso.reading.doubts import is_about_past
from sayso.reading.evidence import is_stated, occurs
from sayso.tools.threads import in_thread, is_async

_OPERATIONS: TypeAdapter[list[Operation]] = TypeAdapter(list[Operation])
_OF_A_SLOT = (Set, Correct, Suggest, Clear)

log = logging.getLogger("sayso.gate")

#: Who has read a message that no model has.
RULES = "rules"
#: A person waits for it.
MODEL_SECONDS = 10.0
#: How many messages a reader that blocks may have in hand.
MOST_THREADS = 32


@runtime_checkable
class Extractor(Protocol):
    """Turns one new message into operations."""

    async def extract(self, reading: Reading) -> Sequence[Operation]: ...


class BlockingExtractor(Protocol):
    """The same for what blocks, such as a local model: it is called in a thread of its own, several
    at once where several people write."""

    def extract(self, reading: Reading) -> Sequence[Operation]: ...


@dataclass(frozen=True, slots=True)
class Read:
    """What was heard in a message, and who has read it."""

    operations: Sequence[Operation]
    by: str


async def read_by(extractor: Extractor, reading: Reading) -> Read:
    """Return what an extractor hears, with the name of who has really read the message."""
    if isinstance(extractor, ExtractorChain):
        return await extractor.read(reading)
    return Read(await extractor.extract(reading), _name_of(extractor))


class ExtractorChain:
    """The reading of a model, where there is one, with the rules as its witness.

    Where the person's words state what the model has heard, that wins. What the rules alone have
    heard is a suggestion, unless it takes up an offer. They alone hear a yes or an order, and a
    doubt of the model stops it.
    """

    def __init__(
        self,
        rules: Extractor,
        model: Extractor | BlockingExtractor | None = None,
        *,
        seconds: float = MODEL_SECONDS,
        most_threads: int = MOST_THREADS,
    ) -> None:
        self._rules, self._model, self._seconds = rules, model, seconds
        self._free_threads = threading.BoundedSemaphore(most_threads)

    @property
    def name(self) -> str:
        return RULES if self._model is None else _name_of(self._model)

    async def extract(self, reading: Reading) -> Sequence[Operation]:
        return (await self.read(reading)).operations

    async def read(self, reading: Reading) -> Read:
        """Return what is heard, with the name of the model, or of the rules where it gave
        nothing."""
        found = await self._heard_by_rules(reading)
        said = await self._asked(reading)
        if said is None:
            return Read(found, RULES)
        return Read(self._joined(found, said, reading), self.name)

    async def _heard_by_rules(self, reading: Reading) -> Sequence[Operation]:
        """Return what the rules hear. What breaks them gives no value and no leave; the person is
        asked once more, rather than told of an error by every message that holds it."""
        try:
            return await self._rules.extract(reading)
        except Exception:  # whatever breaks them: the log says it, and hearing nothing runs nothing
            log.exception("the rules could not read a message; nothing of it is taken")
            return []

    def _joined(
        self, found: Sequence[Operation], said: Sequence[Operation], reading: Reading
    ) -> Sequence[Operation]:
        """Return what the rules found and what the model said, as one reading."""
        stated = {op.slot for op in found if isinstance(op, Set | Correct)}
        values = [
            op
            for op in said
            if isinstance(op, Set | Correct | Suggest)
            or (isinstance(op, Clear) and op.slot not in stated)
        ]
        # What it invents leaves the rules' reading as it is.
        named = {op.slot for op in values if isinstance(op, Suggest | Clear) or _holds(op, reading)}
        # What it proposes from the person's words is offered before what the rules would.
        proposed = {
            op.slot
            for op in values
            if not isinstance(op, Clear) and occurs(op.quote, reading.message)
        }
        # One that speaks of no value at all has read nothing.
        mentioned = {op.slot for op in said if isinstance(op, _OF_A_SLOT)}
        # A model may hear that an action is wanted, but not that it is to run now.
        wishes = [
            op.model_copy(update={"runs": False}) for op in said if isinstance(op, RequestAction)
        ]
        doubts = [op for op in said if isinstance(op, Deny | Later | Unclear)]
        # What is only half heard in place of a known value leaves that to the model.
        halfway = {op.slot for op in found if isinstance(op, Suggest)}
        witnessed = [
            op if not mentioned or getattr(op, "slot", None) in mentioned else _unheard(op, reading)
            for op in found
            if not (isinstance(op, _OF_A_SLOT) and op.slot in named)
            and not (isinstance(op, Clear) and op.slot in halfway)
            and not (isinstance(op, Suggest) and op.slot in proposed)
        ]
        if doubts:
            witnessed = [op for op in witnessed if not _leads_to_a_run(op)]
        return [*values, *witnessed, *wishes, *doubts]

    async def _asked(self, reading: Reading) -> Sequence[Operation] | None:
        """Return what the model says; None where there is none, where it fails or takes too long,
        and where it answers with something else."""
        if self._model is None:
            return None
        try:
            async with asyncio.timeout(self._seconds):
                return _OPERATIONS.validate_python(await self._extracted(self._model, reading))
        except Exception as exc:  # whatever the model raises, it fills nothing
            log.warning("the extractor gave nothing: %s: %s", type(exc).__name__, exc)
            return None

    async def _extracted(self, model: Extractor | BlockingExtractor, reading: Reading) -> object:
        """Return what it gives. A plain function may block, so it has a thread of its own; a
        coroutine stays in this loop, to which what it awaits may be bound."""
        found: object
        found = model.extract(reading) if is_async(model.extract) else self._begun(model, reading)
        while inspect.isawaitable(found):  # a plain function may return a coroutine
            found = await found
        return found

    def _begun(self, model: Extractor | BlockingExtractor, reading: Reading) -> Awaitable[object]:
        """Start it in a thread. Nobody can stop that: one that is given up goes on to its end, and
        where too many do, no more are started."""
        if not self._free_threads.acquire(blocking=False):
            raise ToolUnavailable("Too many messages are still being read by it.")

        def work() -> object:
            try:
                return model.extract(reading)
            finally:
                self._free_threads.release()

        try:
            return in_thread(work)
        except ToolUnavailable:
            self._free_threads.release()
            raise


def _name_of(extractor: Extractor | BlockingExtractor) -> str:
    return str(getattr(extractor, "name", "model"))


def _holds(op: Set | Correct, reading: Reading) -> bool:
    """Return whether the person's words state what the model has heard."""
    slot = reading.slots.get(op.slot)
    return slot is not None and is_stated(
        op.quote,
        op.value,
        slot,
        reading.message,
        today=reading.today.date() if reading.today else None,
        language=reading.language,
        asked=op.slot in reading.asked or isinstance(op, Correct),
        known=reading.to_change(op.slot),
        about_past=is_about_past(reading.slots),
    )


def _unheard(op: Operation, reading: Reading) -> Operation:
    """Return the rules' own value, that the model did not mention, as a suggestion."""
    if not isinstance(op, Set | Correct) or op.value in reading.offered.get(op.slot, ()):
        return op
    return Suggest(
        slot=op.slot, value=op.value, quote=op.quote, span=op.span, doubt=Doubt.UNSUPPORTED
    )


def _leads_to_a_run(op: Operation) -> bool:
    return isinstance(op, Confirm) or (isinstance(op, RequestAction) and op.runs)
