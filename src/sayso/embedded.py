"""The session API, in your own process: an engine for tasks, one for sessions, an assistant on top.

`ExecutionEngine` needs no store: a task that waits comes back as bytes.
`InteractiveExecutionEngine` keeps its runs in a store, so that a session can be attached to again
from any process.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from sayso.app import App, build_engine, open_store
from sayso.core.errors import NotFound, NotSupportedError, SaysoError
from sayso.core.interactions import InteractionResponse
from sayso.core.ports import Store
from sayso.core.segments import Program
from sayso.core.sessions import LiveSession, Run
from sayso.core.tasks import (
    ExecutionContext,
    ExecutionMode,
    TaskChunkType,
    TaskRequest,
    TaskResult,
    TaskStreamChunk,
)

if TYPE_CHECKING:
    from sayso.engine.engine import Engine
    from sayso.engine.sessions import Communicator, Digests
    from sayso.engine.storeless import Resume
    from sayso.tools.policies import Policies


class ExecutionEngine:
    """Runs tasks in this process, without any server or store."""

    def __init__(
        self, agent: object, *, tools: Iterable[object] = (), policies: Policies = None
    ) -> None:
        self.app = agent if isinstance(agent, App) else App(agent, tools=tools, policies=policies)
        self._programs = self.app.programs()

    def programs_for(self, task: TaskRequest) -> dict[str, Program]:
        """Return the programs, with the tools that came with this task."""
        given = _given(task)
        return self.app.with_tools(given).programs() if given else self._programs

    async def execute_task(
        self,
        task: TaskRequest,
        context: ExecutionContext | None = None,
        *,
        resume: Resume | None = None,
    ) -> TaskResult:
        """Run a task until it ends or waits. A waiting result holds `interactions` and `state`; go
        on with `resume=(result.state, [InteractionResponse(...)])`, here or in any other process.
        """
        from sayso.engine.storeless import run_task

        program = next(iter(self.programs_for(task).values()))
        return await run_task(program, task, context or ExecutionContext(), resume)


class InteractiveExecutionEngine:
    """Runs sessions that people take part in. Use it as `async with`, or call `aclose()` when done.

    `store` is a store, a path, or None for the SQLite file in the user's data directory.
    """

    def __init__(
        self, engine: ExecutionEngine | object, *, store: Store | str | Path | None = None
    ) -> None:
        self.base_engine = (
            engine if isinstance(engine, ExecutionEngine) else ExecutionEngine(engine)
        )
        self._where = store if store is not None else self.base_engine.app.store
        self._engine: Engine | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._starting = asyncio.Lock()

    async def start_interactive_session(
        self, task: TaskRequest, context: ExecutionContext | None = None
    ) -> tuple[AsyncIterator[TaskStreamChunk], Communicator]:
        """Start a task; the stream ends when its run does and stays open while it waits.

        The same task again (same id, same content) joins the run that there is: its first chunk
        says so, and the rest tells what has come of it. Raises TaskIdReused.
        """
        if task.execution_config.execution_mode is ExecutionMode.SYNC:
            raise NotSupportedError(
                "A task in SYNC mode has no stream.", fix="Use execute_task, or INTERACTIVE mode."
            )
        context = context or ExecutionContext()
        engine = await self._started()
        # Without a name of its own a chat is called after its task, so that a task which is sent
        # again finds it.
        chat_id = context.chat_id or f"task:{task.task_id}"
        await self._open_chat(engine, chat_id, context)
        key = (context.app_id, chat_id, task.task_id)
        lent = bool(_given(task)) and engine.agents.register_for_task(
            *key, self.base_engine.programs_for(task)
        )
        try:
            posted = await engine.post_task(
                context.app_id, chat_id, task, client_message_id=task.task_id, by=context.user
            )
        except SaysoError:
            if lent:
                engine.agents.unregister(*key)
            raise
        run = await self._run(engine, context.app_id, str(posted.run_id))
        # They share the digests: an answer is to the revision that the stream gave last.
        digests: Digests = {}
        stream = self._stream(engine, run, after=0, digests=digests)
        if posted.status == "repeated":
            stream = _joined(run, stream)
        return stream, self._communicator(engine, run, digests=digests)

    def attach(
        self, session_id: str, *, after: int = 0, app_id: str = "default"
    ) -> AsyncIterator[TaskStreamChunk]:
        """Open the stream of a session again, in any process, from the event after `after`."""

        async def chunks() -> AsyncIterator[TaskStreamChunk]:
            engine = await self._started()
            run = await self._run(engine, app_id, session_id)
            async for chunk in self._stream(engine, run, after=after):
                yield chunk

        return chunks()

    async def communicator(self, session_id: str, *, app_id: str = "default") -> Communicator:
        """Return the communicator of a session. Raises NotFound."""
        engine = await self._started()
        return self._communicator(engine, await self._run(engine, app_id, session_id))

    async def sessions(self, *, app_id: str = "default") -> list[LiveSession]:
        """Return all sessions that have not ended, other processes' too, the last active first."""
        engine = await self._started()
        runs = await engine.store.open_runs(app_id)
        return [await self._communicator(engine, run).get_session_status() for run in runs]

    async def aclose(self) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            await engine.stop()

    async def __aenter__(self) -> Self:
        await self._started()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def _started(self) -> Engine:
        from sayso.engine.runtime import EngineSettings

        loop = asyncio.get_running_loop()
        if self._engine is not None and self._loop is not loop:
            raise NotSupportedError(
                "This engine works in another event loop.",
                fix="Call asyncio.run once, around all that uses it; or open it with `async with`"
                " in each, which closes it again.",
            )
        async with self._starting:
            if self._engine is None:
                engine = build_engine(
                    self.base_engine.app.programs(),
                    open_store(self._where),
                    EngineSettings(own_thread=False),
                    mcp=self.base_engine.app.mcp,
                )
                await engine.start()
                self._engine, self._loop = engine, loop
            return self._engine

    async def _open_chat(self, engine: Engine, chat_id: str, context: ExecutionContext) -> None:
        if await engine.store.load_view(context.app_id, chat_id, limit=1) is None:
            await engine.store.create_chat(
                context.app_id, agent=engine.default_agent, by=context.user, chat_id=chat_id
            )

    def _stream(
        self, engine: Engine, run: Run, *, after: int, digests: Digests | None = None
    ) -> AsyncIterator[TaskStreamChunk]:
        from sayso.engine.sessions import ChunkStream

        return aiter(ChunkStream(engine, run, after=after, digests=digests))

    def _communicator(
        self, engine: Engine, run: Run, *, digests: Digests | None = None
    ) -> Communicator:
        from sayso.engine.sessions import Communicator

        by = run.person or "in process"
        return Communicator(engine, run.app_id, run.id, by=by, digests=digests)

    async def _run(self, engine: Engine, app_id: str, session_id: str) -> Run:
        run = await engine.store.run(app_id, session_id)
        if run is None:
            raise NotFound(f"There is no session '{session_id}'.")
        return run


class AIAssistant:
    """The session API for applications: one object that builds and owns the engines."""

    def __init__(
        self,
        agent: object,
        *,
        tools: Iterable[object] = (),
        policies: Policies = None,
        store: Store | str | Path | None = None,
    ) -> None:
        self.execution_engine = ExecutionEngine(agent, tools=tools, policies=policies)
        self.interactive_engine = InteractiveExecutionEngine(self.execution_engine, store=store)

    async def process_request(self, task: TaskRequest) -> TaskResult:
        return await self.execution_engine.execute_task(task)

    async def start_interactive_session(
        self, task: TaskRequest, context: ExecutionContext | None = None
    ) -> tuple[AsyncIterator[TaskStreamChunk], Communicator]:
        return await self.interactive_engine.start_interactive_session(task, context)

    async def process_interaction_response(
        self, session_id: str, response: InteractionResponse
    ) -> bool:
        """Answer for a session; False when there is no such session or it asked no such thing."""
        try:
            communicator = await self.interactive_engine.communicator(session_id)
            await communicator.send_user_response(response)
        except NotFound:
            return False
        return True

    async def aclose(self) -> None:
        await self.interactive_engine.aclose()


async def _joined(
    run: Run, stream: AsyncIterator[TaskStreamChunk]
) -> AsyncIterator[TaskStreamChunk]:
    """Read the stream of a run that was started before. Its first chunk says so."""
    yield TaskStreamChunk(
        task_id=run.task.task_id,
        chunk_type=TaskChunkType.PROCESSING,
        sequence_id=0,
        content={"joined": True, "session_id": run.id, "run_state": run.state.value},
    )
    async for chunk in stream:
        yield chunk


def _given(task: TaskRequest) -> list[object]:
    """Return the tools that came with the task, not by name alone."""
    return [tool for tool in task.available_tools if not isinstance(tool, str)]
