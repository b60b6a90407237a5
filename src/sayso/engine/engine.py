"""The engine: every use case by its verb. It decides nothing itself: rules are in core, rows in the
store.

A verb is one transaction of the store, and then its consequences: frames are published, a claimed
run is taken in hand, a cancelled one is stopped. Cancelling who asked for it does not cancel it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from datetime import datetime
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from pydantic import JsonValue

from sayso.core.answers import read_answer
from sayso.core.children import check_not_a_childs
from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput, NotFound
from sayso.core.events import Draft, OpenText
from sayso.core.feed import Feed
from sayso.core.interactions import Interaction, InteractionResponse
from sayso.core.ports import Clock, Store
from sayso.core.segments import Program
from sayso.core.tasks import TaskRequest, UniversalMessage
from sayso.core.transactions import (
    AnsweredTooLate,
    CancelledRun,
    NewMessage,
    Posted,
    Settled,
)
from sayso.core.view import ArtifactItem, ChatView
from sayso.engine import requirements
from sayso.engine.programs import Programs
from sayso.engine.workforce import EngineSettings, Workforce

P = ParamSpec("P")
T = TypeVar("T")
Verb = Callable[Concatenate["Engine", P], Coroutine[Any, Any, T]]


def carried_out(verb: Verb[P, T]) -> Verb[P, T]:
    """Once begun, the verb comes to its end. A commit whose consequences were dropped with the task
    that asked for it would leave a run claimed by us and in nobody's hand until its lease is over.
    """

    @wraps(verb)
    async def whole(engine: Engine, /, *args: P.args, **kwargs: P.kwargs) -> T:
        task = asyncio.create_task(verb(engine, *args, **kwargs))
        engine._doing.add(task)
        task.add_done_callback(engine._doing.discard)
        return await asyncio.shield(task)

    return whole


class Engine:
    """Start it, use its verbs from any task of the loop that started it, stop it."""

    def __init__(
        self,
        *,
        store: Store,
        feed: Feed,
        clock: Clock,
        programs: Mapping[str, Program],
        settings: EngineSettings | None = None,
    ) -> None:
        if not programs:
            raise InvalidInput("There is no agent.", fix="Give the App at least one agent.")
        self.store, self.feed, self.clock, self.programs = store, feed, clock, dict(programs)
        self.default_agent = next(iter(self.programs))
        #: Who runs what: these programs, and what came with single tasks.
        self.lending = Programs(self.programs)
        self._doing: set[asyncio.Task[Any]] = set()
        self.workforce = Workforce(
            store=store,
            feed=feed,
            clock=clock,
            programs=self.lending,
            settings=settings or EngineSettings(),
        )

    async def start(self) -> None:
        """Open the store and begin to work: take up what is ready, and what dead workers left."""
        await self.store.open()
        try:
            await self.workforce.start()
        except BaseException:
            await self.store.close()
            raise

    async def stop(self) -> None:
        """Let what runs come to its end for a moment; what does not stays for the next start."""
        try:
            await asyncio.gather(*self._doing, return_exceptions=True)
            await self.workforce.stop()
        finally:
            await self.store.close()

    @property
    def health(self) -> JsonObject:
        """For `GET /api/health`: whether the worker answers, and how much it has in hand."""
        return self.workforce.health

    # ── chats ──

    async def create_chat(
        self, app_id: str, *, agent: str | None = None, title: str = "", by: str | None = None
    ) -> ChatView:
        return await self.store.create_chat(app_id, agent=self._agent(agent), title=title, by=by)

    @carried_out
    async def rename_chat(self, app_id: str, chat_id: str, title: str, *, by: str | None) -> None:
        self.workforce.told(app_id, await self.store.rename_chat(app_id, chat_id, title, by=by))

    @carried_out
    async def change_requirement(
        self, app_id: str, chat_id: str, field: str, value: JsonValue, *, by: str | None
    ) -> None:
        """A person sets what an action needs beside the chat, or clears it with None. Raises
        NotFound, InvalidInput, NotSupportedError."""
        await requirements.change(self, app_id, chat_id, field, value, by=by)

    @carried_out
    async def start_over(self, app_id: str, chat_id: str, *, by: str | None) -> None:
        """Forget what is known of the requirements; the log stays, values and grants are void."""
        await requirements.start_over(self, app_id, chat_id, by=by)

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
        """A person's words. They start a run, wait for the open one, answer its free question, or
        supersede it."""
        task = TaskRequest(
            task_id=client_message_id,
            messages=[UniversalMessage(role="user", content=content)],
            context=context or {},
        )
        return await self.post_task(
            app_id, chat_id, task, supersede=supersede, by=by, client_message_id=client_message_id
        )

    @carried_out
    async def post_task(
        self,
        app_id: str,
        chat_id: str,
        task: TaskRequest,
        *,
        client_message_id: str,
        supersede: bool = False,
        by: str | None = None,
        content: str | None = None,
        retry_of: str | None = None,
    ) -> Posted:
        check_not_a_childs(task.task_id)
        if supersede:
            await self.workforce.keep_texts(app_id, chat_id)
        message = NewMessage(
            content=task.words if content is None else content,
            client_message_id=client_message_id,
            task=task,
            by=by,
            supersede=supersede,
            retry_of=retry_of,
        )
        posted = await self.store.post_message(app_id, chat_id, message, self.workforce.lease())
        self.workforce.told(app_id, posted)
        return posted

    @carried_out
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
            await self.workforce.keep_texts(app_id, chat_id)
        cancelled = await self.store.cancel_run(
            app_id,
            reason=reason,
            by=by,
            chat_id=chat_id,
            run_id=run_id,
            lease=self.workforce.lease(),
        )
        self.workforce.told(app_id, cancelled)
        return cancelled

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

    # ── interactions ──

    @carried_out
    async def answer(
        self,
        app_id: str,
        interaction_id: str,
        body: Mapping[str, object],
        *,
        key: str | None,
        by: str | None,
        reason_required: bool = True,
        allowed: Callable[[Interaction], None] = lambda _: None,
        check: Callable[[Interaction, InteractionResponse], None] = lambda *_: None,
    ) -> Settled:
        """A person's answer, in any of its forms. `allowed` raises where this person may not answer
        it, `check` where not like this. Raises what these, `read_answer` and the store's `answer`
        raise."""

        def read(it: Interaction) -> InteractionResponse:
            allowed(it)
            response = read_answer(it, body, reason_required=reason_required)
            check(it, response)
            return response

        return await self._settle(
            app_id,
            self.store.answer(
                app_id, interaction_id, read, key=key, by=by, lease=self.workforce.lease()
            ),
        )

    @carried_out
    async def dismiss(
        self, app_id: str, interaction_id: str, *, reason: str | None = None, by: str | None
    ) -> Settled:
        return await self._settle(
            app_id,
            self.store.dismiss(
                app_id, interaction_id, reason=reason, by=by, lease=self.workforce.lease()
            ),
        )

    @carried_out
    async def extend(
        self,
        app_id: str,
        interaction_id: str,
        *,
        seconds: float,
        seen: datetime | None = None,
        by: str | None,
    ) -> Settled:
        """More time for a card that has a time."""
        settled = await self._settle(
            app_id,
            self.store.extend(app_id, interaction_id, seconds=seconds, seen=seen, by=by),
        )
        self.workforce.expiry.nudge()
        return settled

    # ── beside the chat ──

    async def open_texts(self, app_id: str, chat_id: str) -> list[OpenText]:
        """The texts being written: from memory where they are written here, else as far as the
        store has them."""
        here = {text.message_id: text for text in self.workforce.open_texts(app_id, chat_id)}
        stored = await self.store.open_texts(app_id, chat_id)
        return [*here.values(), *(text for text in stored if text.message_id not in here)]

    @carried_out
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
        self.workforce.told(app_id, frames)
        return artifact

    @carried_out
    async def put_draft(self, app_id: str, draft: Draft) -> None:
        frame = await self.store.put_draft(app_id, draft)
        if frame is not None:
            self.feed.publish(app_id, [frame])

    @carried_out
    async def set_chat_preference(
        self, app_id: str, chat_id: str, key: str, value: JsonValue, *, by: str | None
    ) -> None:
        self.workforce.told(
            app_id, await self.store.set_chat_preference(app_id, chat_id, key, value, by=by)
        )

    # ── what all of them need ──

    async def _settle(self, app_id: str, settling: Awaitable[Settled]) -> Settled:
        """See to the consequences of a settlement, or of the expiry that came before it."""
        try:
            settled = await settling
        except AnsweredTooLate as late:
            self.workforce.told(app_id, late.settled)
            self.workforce.sweep.nudge()
            raise
        self.workforce.told(app_id, settled)
        return settled

    def _agent(self, name: str | None) -> str:
        if name is None:
            return self.default_agent
        if name not in self.programs:
            known = ", ".join(sorted(self.programs))
            raise NotFound(f"There is no agent '{name}'.", fix=f"The agents here are: {known}.")
        return name
