"""A session from outside: a stream of chunks that stays open across pauses, and a communicator that
talks back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from sayso.core.chunks import TaskStreamChunk
from sayso.core.errors import NotFound
from sayso.core.events import ChatEvent, OpenText, TextDelta, UiToolOpened
from sayso.core.feed import Frame, Subscription
from sayso.core.inbox import InteractionFilter
from sayso.core.interactions import Interaction, InteractionResponse, InteractionState
from sayso.core.sessions import LiveSession, Run, session_of
from sayso.engine.chunk_stream import ChunkMaker
from sayso.engine.engine import Engine


class ChunkStream:
    """The chunks of one run, from the event after `after` until the run ends. It holds nothing but
    a cursor.

    It subscribes before it reads, sends what is contiguous, and reads a gap from the store: a frame
    that was lost on the way costs a read, never a chunk.
    """

    def __init__(self, engine: Engine, run: Run, *, after: int) -> None:
        self._engine, self._run, self._seq = engine, run, after
        self._make = ChunkMaker(run.task.task_id, run.id, after)

    async def __aiter__(self) -> AsyncIterator[TaskStreamChunk]:
        run = self._run
        if self._seq > 0:
            family = await self._engine.store.family(run.app_id, run.id)
            self._make = ChunkMaker(run.task.task_id, run.id, self._seq, family)
        while True:
            ear = self._engine.feed.subscribe(run.app_id, run.chat_id)
            try:
                async for chunk in self._heard(ear):
                    if chunk.is_final:
                        self._engine.lending.take_back(run.app_id, run.chat_id, run.task.task_id)
                    yield chunk
                    if chunk.is_final:
                        return
            finally:
                ear.close()

    async def _heard(self, ear: Subscription) -> AsyncIterator[TaskStreamChunk]:
        """What was missed, what is being written, then what comes, as long as nothing is lost."""
        run, engine = self._run, self._engine
        async for chunk in self._missed():
            yield chunk
        for text in await engine.open_texts(run.app_id, run.chat_id):
            for chunk in self._of_text(text):
                yield chunk
        while not ear.lost:
            async for chunk in self._of_frame(await ear.get()):
                yield chunk

    async def _of_frame(self, frame: Frame) -> AsyncIterator[TaskStreamChunk]:
        body = frame.body
        if isinstance(body, ChatEvent):
            if body.seq > self._seq + 1:
                async for chunk in self._missed():
                    yield chunk
            elif body.seq == self._seq + 1:
                self._seq = body.seq
                for chunk in self._make.of_event(body):
                    yield chunk
        elif isinstance(body, TextDelta | OpenText):
            for chunk in self._of_text(body):
                yield chunk

    def _of_text(self, text: TextDelta | OpenText) -> list[TaskStreamChunk]:
        return self._make.of_text(text)

    async def _missed(self) -> AsyncIterator[TaskStreamChunk]:
        run = self._run
        while frames := await self._engine.store.events_after(run.app_id, run.chat_id, self._seq):
            events = [frame.body for frame in frames if isinstance(frame.body, ChatEvent)]
            settled = await self._settled(events)
            for event in events:
                self._seq = event.seq
                for chunk in self._make.of_event(event, settled):
                    yield chunk

    async def _settled(self, events: Sequence[ChatEvent]) -> set[str]:
        """Which of the interactions that open in these are settled by now."""
        app_id, store = self._run.app_id, self._engine.store
        opened = [event.data.eventId for event in events if isinstance(event.data, UiToolOpened)]
        found = [await store.interaction(app_id, one) for one in opened]
        return {it.id for it in found if it is not None and it.state.is_final}


class Communicator:
    """Seed 5's communicator of one session."""

    def __init__(self, engine: Engine, app_id: str, session_id: str, *, by: str | None) -> None:
        self._engine, self._app_id, self._by = engine, app_id, by
        self.session_id = session_id

    async def send_user_response(self, response: InteractionResponse) -> None:
        """Answer what this session asked. Saying the same again is harmless; raises NotFound for
        what it did not ask, AlreadySettled for another answer, AnswerInvalid for a bad one."""
        family = await self._family()

        def own(it: Interaction) -> None:
            if it.run_id not in family:
                raise NotFound(f"Session '{self.session_id}' did not ask '{it.id}'.")

        body = response.model_dump(mode="json", exclude_none=True)
        await self._engine.answer(
            self._app_id,
            response.interaction_id,
            body,
            key=None,
            by=self._by,
            reason_required=False,
            allowed=own,
        )

    async def send_cancellation(self, reason: str = "user_cancelled") -> None:
        await self._engine.cancel(self._app_id, run_id=self.session_id, reason=reason, by=self._by)

    async def get_session_status(self) -> LiveSession:
        run = await self._engine.store.run(self._app_id, self.session_id)
        if run is None:
            raise NotFound(f"There is no session '{self.session_id}'.")
        store, family = self._engine.store, await self._family()
        wanted = InteractionFilter(status=InteractionState.PENDING, chat_id=run.chat_id)
        pending = await store.interactions(self._app_id, wanted, limit=1000)
        own = [it for it in reversed(pending) if it.run_id in family]
        return session_of(run, own, works=not own)

    async def _family(self) -> set[str]:
        """The session's run and those of the agents it handed tasks to: what they ask, it asks."""
        return {
            self.session_id,
            *await self._engine.store.family(self._app_id, self.session_id),
        }
