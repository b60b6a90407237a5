"""The engine: one method per use case. It decides nothing itself: rules are in core, rows in the
store.

A use case is one transaction of the store, and then what follows from it: frames are published, a
claimed run is started, a cancelled one is stopped. Cancelling the caller does not cancel it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any

from pydantic import JsonValue

from sayso.core.answer_parsing import read_answer
from sayso.core.attention import Claim
from sayso.core.chat_view import ArtifactItem, ChatView
from sayso.core.children import reject_child_task_id
from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput, NotFound
from sayso.core.events import Draft, OpenText
from sayso.core.feed import Feed
from sayso.core.held_calls import HoldsCalls
from sayso.core.interactions import Interaction, InteractionResponse
from sayso.core.messages import message
from sayso.core.ports import Clock, Store
from sayso.core.segments import Program
from sayso.core.sessions import Run
from sayso.core.store_results import (
    AnsweredTooLate,
    CancelledRun,
    NewMessage,
    Posted,
    Settled,
)
from sayso.core.tasks import TaskRequest, UniversalMessage
from sayso.engine.agent_registry import AgentRegistry
from sayso.engine.asks import AskDoor
from sayso.engine.requirements import RequirementEdits
from sayso.engine.runtime import EngineSettings, Runtime
from sayso.engine.settle_answer import settle_answer
from sayso.engine.shield import shielded
from sayso.engine.ui_calls import UiDoor


class Engine:
    """Start it, use its methods from any task of the loop that started it, stop it."""

    def __init__(
        self,
        *,
        store: Store,
        feed: Feed,
        clock: Clock,
        programs: Mapping[str, Program],
        settings: EngineSettings | None = None,
        on_stop: Callable[[], Awaitable[None]] | None = None,
        holds_calls: HoldsCalls | None = None,
    ) -> None:
        if not programs:
            raise InvalidInput("There is no agent.", fix="Give the App at least one agent.")
        self.store, self.feed, self.clock, self.programs = store, feed, clock, dict(programs)
        #: Closes what its programs hold open.
        self._on_stop = on_stop
        self.default_agent = next(iter(self.programs))
        #: These programs, and those that came with single tasks.
        self.agents = AgentRegistry(self.programs)
        self._requirements = RequirementEdits(store, clock, self.programs)
        self.in_flight: set[asyncio.Task[Any]] = set()
        self.runtime = Runtime(
            store=store,
            feed=feed,
            clock=clock,
            agents=self.agents,
            settings=settings or EngineSettings(),
            holds_calls=holds_calls,
        )
        self.asks = AskDoor(store, feed, self.runtime, self.in_flight)
        self.uis = UiDoor(store, feed, self.runtime, self.programs, self.in_flight)

    async def start(self) -> None:
        """Open the store and begin to work: claim what is ready, and what dead workers left."""
        await self.store.open()
        try:
            await self.runtime.start()
        except BaseException:
            await self.store.close()
            raise

    async def stop(self) -> None:
        """Let what runs come to its end for a moment; what does not stays for the next start."""
        try:
            await asyncio.gather(*self.in_flight, return_exceptions=True)
            await self.runtime.stop()
        finally:
            await self.store.close()
            if self._on_stop is not None:
                await self._on_stop()

    @property
    def health(self) -> JsonObject:
        """Whether the worker runs, and how many segments it has, for `GET /api/health`."""
        return self.runtime.health

    # ── chats ──

    async def create_chat(
        self, app_id: str, *, agent: str | None = None, title: str = "", by: str | None = None
    ) -> ChatView:
        return await self.store.create_chat(app_id, agent=self._agent(agent), title=title, by=by)

    @shielded
    async def rename_chat(self, app_id: str, chat_id: str, title: str, *, by: str | None) -> None:
        self.runtime.apply_outcome(
            app_id, await self.store.rename_chat(app_id, chat_id, title, by=by)
        )

    @shielded
    async def change_requirement(
        self, app_id: str, chat_id: str, field: str, value: JsonValue, *, by: str | None
    ) -> None:
        """Set what an action needs, as a person does beside the chat, or clear it with None. Raises
        NotFound, InvalidInput, NotSupportedError."""
        card = await self._requirements.open_card_with(app_id, chat_id, field)
        if card is not None and value is not None:
            # Where an open card shows it, this is an edit of the card, which opens anew.
            body = {
                "approved": True,
                "response_data": {"edits": {field: value}},
                "metadata": {"digest": card.digest},
            }
            await self.answer(app_id, card.id, body, key=None, by=by)
            return
        frames = await self._requirements.set_value(app_id, chat_id, field, value, by=by)
        self.runtime.apply_outcome(app_id, frames)

    @shielded
    async def start_over(self, app_id: str, chat_id: str, *, by: str | None) -> None:
        """Forget what is known of the requirements: the open run goes with its cards, no value and
        no grant holds. The log stays."""
        holder = await self._requirements.holder(app_id, chat_id)
        await self.runtime.keep_texts(app_id, chat_id)
        cancelled = await self.store.start_over(
            app_id,
            chat_id,
            holder.started_over,
            reason=message("run.started_over"),
            by=by,
            lease=self.runtime.lease(),
        )
        self.runtime.apply_outcome(app_id, cancelled)

    async def post_message(
        self,
        app_id: str,
        chat_id: str,
        *,
        content: str,
        client_message_id: str,
        context: JsonObject | None = None,
        supersede: bool = False,
        by: str | None = None,
    ) -> Posted:
        """Store a person's message. It starts a run, waits for the open one, answers its free
        question, or supersedes it."""
        task = TaskRequest(
            task_id=client_message_id,
            messages=[UniversalMessage(role="user", content=content)],
            context=context or {},
        )
        return await self.post_task(
            app_id, chat_id, task, supersede=supersede, by=by, client_message_id=client_message_id
        )

    @shielded
    async def post_task(
        self,
        app_id: str,
        chat_id: str,
        task: TaskRequest,
        *,
        client_message_id: str,
        supersede: bool = False,
        by: str | None = None,
        retry_of: str | None = None,
    ) -> Posted:
        reject_child_task_id(task.task_id)
        if supersede:
            await self.runtime.keep_texts(app_id, chat_id)
        message = NewMessage(
            content=task.words,
            client_message_id=client_message_id,
            task=task,
            by=by,
            supersede=supersede,
            retry_of=retry_of,
        )
        posted = await self.store.post_message(app_id, chat_id, message, self.runtime.lease())
        self.runtime.apply_outcome(app_id, posted)
        return posted

    @shielded
    async def cancel(
        self,
        app_id: str,
        *,
        reason: str,
        by: str | None,
        chat_id: str | None = None,
        run_id: str | None = None,
    ) -> CancelledRun:
        """End the open run of a chat, or this run, wherever it runs."""
        if chat_id is None and run_id is not None:
            run = await self.store.run(app_id, run_id)
            chat_id = run.chat_id if run is not None else None
        if chat_id is not None:
            await self.runtime.keep_texts(app_id, chat_id)
        cancelled = await self.store.cancel_run(
            app_id,
            reason=reason,
            by=by,
            chat_id=chat_id,
            run_id=run_id,
            lease=self.runtime.lease(),
        )
        self.runtime.apply_outcome(app_id, cancelled)
        return cancelled

    @shielded
    async def withdraw(
        self, app_id: str, chat_id: str, message_id: str, *, by: str | None
    ) -> CancelledRun:
        """Take back words that still wait for their turn."""
        withdrawn = await self.store.withdraw_message(app_id, chat_id, message_id, by=by)
        self.runtime.apply_outcome(app_id, withdrawn)
        return withdrawn

    async def retry_tool_call(
        self, app_id: str, tool_call_id: str, *, arguments: JsonObject | None = None, by: str | None
    ) -> Posted:
        """Run a call again as a new run of its chat, through the policy, with corrected arguments
        if given."""
        call = await self.store.tool_call(app_id, tool_call_id)
        if call is None:
            raise NotFound(f"There is no tool call '{tool_call_id}'.")
        words = f"Retry {call.tool_name}"
        task = TaskRequest(
            task_id=self.clock.new_id(),
            task_type="tool_retry",
            messages=[UniversalMessage(role="user", content=words)],
            context={
                "tool_name": call.tool_name,
                "tool_call_id": tool_call_id,
                "arguments": call.arguments if arguments is None else arguments,
            },
        )
        return await self.post_task(
            app_id,
            call.chat_id,
            task,
            client_message_id=task.task_id,
            by=by,
            retry_of=tool_call_id,
        )

    @shielded
    async def retry_run(self, app_id: str, run_id: str, *, by: str | None) -> Run:
        """Let a run go on that failed since its model was not available. Raises what the store's
        `retry_run` raises."""
        retried = await self.store.retry_run(app_id, run_id, by=by, lease=self.runtime.lease())
        self.runtime.apply_outcome(app_id, retried)
        return retried.run

    # ── interactions ──

    @shielded
    async def answer(
        self,
        app_id: str,
        interaction_id: str,
        body: Mapping[str, object],
        *,
        key: str | None,
        by: str | None,
        reason_required: bool = True,
        signed_in: bool = True,
        allowed: Callable[[Interaction], None] = lambda _: None,
        check: Callable[[Interaction, InteractionResponse], None] = lambda *_: None,
    ) -> Settled:
        """Settle a card with a person's answer, in any of its forms. `allowed` raises where this
        person may not answer it, `check` where not like this. Where an ask is answered and nobody
        had to sign in (`signed_in`), the answer says so. Raises what these, `read_answer` and
        the store's `answer` raise."""

        def read(it: Interaction) -> InteractionResponse:
            allowed(it)
            response = read_answer(it, body, reason_required=reason_required)
            check(it, response)
            return response if signed_in or it.asker is None else response.without_sign_in()

        return await self._settle(
            app_id,
            settle_answer(
                self.store,
                app_id,
                interaction_id,
                read,
                key=key,
                by=by,
                lease=self.runtime.lease,
            ),
        )

    @shielded
    async def dismiss(
        self, app_id: str, interaction_id: str, *, reason: str | None = None, by: str | None
    ) -> Settled:
        return await self._settle(
            app_id,
            self.store.dismiss(
                app_id, interaction_id, reason=reason, by=by, lease=self.runtime.lease()
            ),
        )

    @shielded
    async def extend(
        self,
        app_id: str,
        interaction_id: str,
        *,
        seconds: float,
        seen: datetime | None = None,
        by: str | None,
    ) -> Settled:
        """Give a card that has a time more of it."""
        settled = await self._settle(
            app_id,
            self.store.extend(app_id, interaction_id, seconds=seconds, seen=seen, by=by),
        )
        self.runtime.expiry.nudge()
        return settled

    # ── beside the chat ──

    async def open_texts(self, app_id: str, chat_id: str) -> list[OpenText]:
        """Return the texts being written: from memory where they are written here, else as far as
        the store has them."""
        here = {text.message_id: text for text in self.runtime.open_texts(app_id, chat_id)}
        stored = await self.store.open_texts(app_id, chat_id)
        return [*here.values(), *(text for text in stored if text.message_id not in here)]

    @shielded
    async def put_artifact(
        self,
        app_id: str,
        artifact_id: str,
        *,
        content: JsonValue,
        title: str | None = None,
        if_version: int,
        by: str | None,
    ) -> ArtifactItem:
        artifact, frames = await self.store.put_artifact(
            app_id, artifact_id, content=content, title=title, if_version=if_version, by=by
        )
        self.runtime.apply_outcome(app_id, frames)
        return artifact

    @shielded
    async def put_draft(self, app_id: str, draft: Draft) -> None:
        frame = await self.store.put_draft(app_id, draft)
        if frame is not None:
            self.feed.publish(app_id, [frame])

    @shielded
    async def put_claim(self, app_id: str, claim: Claim, *, take_over: bool) -> None:
        self.feed.publish(app_id, [await self.store.put_claim(app_id, claim, take_over=take_over)])
        # Whom it is left for may be away.
        self.runtime.on_card_opened()

    @shielded
    async def drop_claim(self, app_id: str, interaction_id: str, person: str) -> None:
        self.feed.publish(app_id, [await self.store.drop_claim(app_id, interaction_id, person)])

    @shielded
    async def put_snooze(
        self, app_id: str, interaction_id: str, person: str, until: datetime
    ) -> None:
        frame = await self.store.put_snooze(app_id, interaction_id, person, until)
        self.feed.publish(app_id, [frame])

    @shielded
    async def drop_snooze(self, app_id: str, interaction_id: str, person: str) -> None:
        self.feed.publish(app_id, [await self.store.drop_snooze(app_id, interaction_id, person)])

    @shielded
    async def set_chat_preference(
        self, app_id: str, chat_id: str, key: str, value: JsonValue, *, by: str | None
    ) -> None:
        self.runtime.apply_outcome(
            app_id, await self.store.set_chat_preference(app_id, chat_id, key, value, by=by)
        )

    # ── shared ──

    async def _settle(self, app_id: str, settling: Awaitable[Settled]) -> Settled:
        """Apply a settlement, or the expiry that came before it."""
        try:
            settled = await settling
        except AnsweredTooLate as late:
            self.runtime.apply_outcome(app_id, late.settled)
            self.runtime.sweep.nudge()
            raise
        self.runtime.apply_outcome(app_id, settled)
        return settled

    def _agent(self, name: str | None) -> str:
        if name is None:
            return self.default_agent
        if name not in self.programs:
            known = ", ".join(sorted(self.programs))
            raise NotFound(f"There is no agent '{name}'.", fix=f"The agents here are: {known}.")
        return name
