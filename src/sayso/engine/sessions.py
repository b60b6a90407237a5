"""A session from outside: a stream of chunks that stays open across pauses, and a communicator that
talks back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from sayso.core.attention import AttentionMoved
from sayso.core.errors import NotFound
from sayso.core.events import ChatEvent, Draft, OpenText, TextDelta, UiToolOpened
from sayso.core.feed import Frame
from sayso.core.inbox import InteractionFilter
from sayso.core.interactions import (
    Interaction,
    InteractionResponse,
    InteractionState,
    digest_in,
)
from sayso.core.sessions import LiveSession, Run, session_of
from sayso.core.tasks import TaskStreamChunk
from sayso.engine.chat_cursor import ChatCursor
from sayso.engine.chunks import ChunkBuilder
from sayso.engine.engine import Engine

#: The digest of each card that a session's program has been given, by the interaction's id.
Digests = dict[str, str | None]


class ChunkStream:
    """The chunks of one run, from the event after `after` until the run ends. It holds nothing but
    a position: a frame that was lost on the way costs a read, never a chunk."""

    def __init__(
        self, engine: Engine, run: Run, *, after: int, digests: Digests | None = None
    ) -> None:
        self._engine, self._run, self._seq = engine, run, after
        self._digests = digests if digests is not None else {}
        self._chunks = ChunkBuilder(run.task.task_id, run.id, after)

    async def __aiter__(self) -> AsyncIterator[TaskStreamChunk]:
        run, engine = self._run, self._engine
        if self._seq > 0:
            family = await engine.store.family(run.app_id, run.id)
            self._chunks = ChunkBuilder(run.task.task_id, run.id, self._seq, family)
        while True:
            with ChatCursor(engine, run.app_id, run.chat_id, seq=self._seq) as cursor:
                async for chunk in self._read(cursor):
                    self._note_digest(chunk)
                    if chunk.is_final:
                        engine.agents.unregister(run.app_id, run.chat_id, run.task.task_id)
                    yield chunk
                    if chunk.is_final:
                        return
                self._seq = cursor.seq

    async def _read(self, cursor: ChatCursor) -> AsyncIterator[TaskStreamChunk]:
        """Read what was missed, what is being written, then what comes, until something is lost."""
        async for page in cursor.missed():
            for chunk in await self._of_frames(page, cursor):
                yield chunk
        for text in await cursor.open_texts():
            for chunk in self._chunks.of_text(text):
                yield chunk
        while not cursor.lost:
            for chunk in await self._of_frames(await cursor.next(), cursor):
                yield chunk

    async def _of_frames(
        self, frames: Sequence[Frame], cursor: ChatCursor
    ) -> list[TaskStreamChunk]:
        replayed = [
            frame.body
            for frame in frames
            if isinstance(frame.body, ChatEvent) and frame.body.seq <= cursor.replayed_to
        ]
        settled = await self._settled(replayed)
        chunks: list[TaskStreamChunk] = []
        for frame in frames:
            match frame.body:
                case ChatEvent() as event:
                    chunks += self._chunks.of_event(event, settled)
                case TextDelta() | OpenText() as text:
                    chunks += self._chunks.of_text(text)
                case Draft() | AttentionMoved():
                    pass
        return chunks

    def _note_digest(self, chunk: TaskStreamChunk) -> None:
        asked = chunk.metadata.get("interaction_id")
        if isinstance(asked, str):
            self._digests[asked] = digest_in(chunk.metadata.get("payload"))

    async def _settled(self, events: Sequence[ChatEvent]) -> set[str]:
        """Return which of the interactions that open in these are settled by now."""
        app_id, store = self._run.app_id, self._engine.store
        opened = [event.data.eventId for event in events if isinstance(event.data, UiToolOpened)]
        found = [await store.interaction(app_id, one) for one in opened]
        return {it.id for it in found if it is not None and it.state.is_final}


class Communicator:
    """The communicator of one session."""

    def __init__(
        self,
        engine: Engine,
        app_id: str,
        session_id: str,
        *,
        by: str | None,
        digests: Digests | None = None,
    ) -> None:
        self._engine, self._app_id, self._by = engine, app_id, by
        self._digests = digests if digests is not None else {}
        self.session_id = session_id

    async def send_user_response(self, response: InteractionResponse) -> None:
        """Answer what this session asked. An answer without a digest is to the revision that the
        session was given last. The same answer again is harmless. Raises NotFound for what the
        session did not ask, AlreadySettled for another answer, StaleDigest where the card has
        changed since, AnswerInvalid for a bad one."""
        family = await self._family()

        def own(it: Interaction) -> None:
            if it.run_id not in family:
                raise NotFound(f"Session '{self.session_id}' did not ask '{it.id}'.")

        seen = self._digests.get(response.interaction_id)
        if seen is not None and response.metadata.get("digest") is None:
            metadata = {**response.metadata, "digest": seen}
            response = response.model_copy(update={"metadata": metadata})
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
        self._digests.update({it.id: it.digest for it in own})
        return session_of(run, own, works=not own)

    async def _family(self) -> set[str]:
        """Return the session's run and its children: what they ask, the session asks."""
        return {
            self.session_id,
            *await self._engine.store.family(self._app_id, self.session_id),
        }
