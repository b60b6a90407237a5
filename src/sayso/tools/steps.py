"""How an operation finds its step in the journal: by the path of the task that asks, and what it
asks."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pydantic import JsonValue

from sayso.core.cards import Card
from sayso.core.interactions import (
    CardRequest,
    Interaction,
    InteractionState,
    InteractionType,
    Proposal,
    ResponseData,
)
from sayso.tools import questions
from sayso.tools.journal import Step
from sayso.tools.pause import Pause, Unanswered
from sayso.tools.questions import AskOptions
from sayso.tools.world import World

if TYPE_CHECKING:
    from sayso.tools.toolbox import Toolbox


class Steps:
    """The part of a context that its operations are made of."""

    def __init__(
        self,
        world: World,
        toolbox: Toolbox,
        *,
        scope: str = "",
        call_key: str | None = None,
        proposal: Proposal | None = None,
        may_ask: bool = True,
    ) -> None:
        self._world = world
        self._toolbox = toolbox
        self._scope = scope
        self._call_key = call_key
        self._may_ask = may_ask
        self._owner: weakref.ref[asyncio.Task[object]] | None = None
        self._paths: weakref.WeakKeyDictionary[asyncio.Task[object], str] = (
            weakref.WeakKeyDictionary()
        )
        self._strangers: dict[str, int] = {}
        self._said: list[str] = []
        #: What a person approved; None where no approval was needed.
        self.proposal = proposal

    async def _answer(
        self,
        kind: str,
        name: str,
        fingerprint: JsonValue,
        card: Card,
        options: AskOptions,
        *,
        ui_tool_id: str | None = None,
        proposal: Proposal | None = None,
        type_: InteractionType | None = None,
    ) -> Interaction:
        step = await self._reach(kind, name[:80], fingerprint)
        return await self._settled(
            step, card, options, ui_tool_id=ui_tool_id, proposal=proposal, type_=type_
        )

    async def _settled(
        self,
        step: Step,
        card: Card,
        options: AskOptions,
        *,
        ui_tool_id: str | None = None,
        proposal: Proposal | None = None,
        type_: InteractionType | None = None,
    ) -> Interaction:
        it = self._world.answer(step.key)
        if it is None:
            request = questions.request(
                step.key,
                card,
                options,
                agent_name=self._world.agent_name,
                tool_call_id=self._world.call_id(self._call_key) if self._call_key else None,
                ui_tool_id=ui_tool_id,
                proposal=proposal,
                type_=type_,
            )
            raise self._pause([request])
        step.finish()
        return it

    def _pause(self, requests: Sequence[CardRequest]) -> BaseException:
        if not self._may_ask:
            return RuntimeError("`prepare` must not ask: it only computes what the card shows")
        return Pause(requests)

    @staticmethod
    def _data(it: Interaction, question: str) -> ResponseData:
        if it.response is None or (
            it.state is InteractionState.EXPIRED and not it.response.approved
        ):
            status = "expired" if it.state is InteractionState.EXPIRED else "dismissed"
            raise Unanswered(question, status)
        return it.response.response_data

    async def _reach(self, kind: str, name: str, arguments: JsonValue) -> Step:
        await self._world.drain()
        return self._step(kind, name, arguments)

    def _step(self, kind: str, name: str, arguments: JsonValue) -> Step:
        return self._world.journal.reach(self._path(kind, name), kind, name, arguments)

    def _once_journalled(self, kind: str, make: Callable[[], JsonValue]) -> JsonValue:
        step = self._step(kind, "", None)
        if not step.done:
            step.finish(make())
        return step.outcome()

    def _path(self, kind: str, name: str) -> str:
        """The path of the task that asks: the owner's is the scope, a gathered one's its own.

        A task that the agent started by itself is named by the first step it reaches.
        """
        task = _current_task()
        if task is None:
            return self._scope
        if task in self._paths:
            return self._paths[task]
        if self._owner is None or self._owner() is None:
            self._owner = weakref.ref(task)
        if self._owner() is task:
            path = self._scope
        else:
            first = f"{self._scope}~{kind}.{name}"
            self._strangers[first] = number = self._strangers.get(first, -1) + 1
            path = f"{first}.{number}/"
        self._paths[task] = path
        return path


def _current_task() -> asyncio.Task[object] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:  # a plain function in its thread
        return None
