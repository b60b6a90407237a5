"""What a tool's own UI asks of this host: calls and resources of its server, each checked here."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import closing, suppress
from typing import Any

import orjson

from sayso.core.digest import JsonObject
from sayso.core.effects import ToolCallRecord
from sayso.core.errors import NotFound, NotSupportedError
from sayso.core.feed import Feed, Subscription
from sayso.core.ports import Store
from sayso.core.segments import Program
from sayso.core.tool_ui import ToolUi
from sayso.core.ui_calls import (
    ServesUis,
    UiCall,
    UiCallRecord,
    UiCallState,
    why_no_result,
)
from sayso.engine.runtime import Runtime
from sayso.engine.shield import shielded
from sayso.logs import logger

log = logger("sayso.engine")

#: How soon to look again after something has happened in the chat.
_SOON_SECONDS = 0.1
_LATE_SECONDS = 5.0


class UiDoor:
    """The use cases of a tool's own UI. `tool_call_id` is the call whose UI asks."""

    def __init__(
        self,
        store: Store,
        feed: Feed,
        runtime: Runtime,
        programs: Mapping[str, Program],
        in_flight: set[asyncio.Task[Any]],
    ) -> None:
        self._store, self._feed, self._runtime, self._programs = store, feed, runtime, programs
        self.in_flight = in_flight

    @shielded
    async def call(
        self, app_id: str, tool_call_id: str, tool: str, arguments: JsonObject, *, by: str | None
    ) -> JsonObject | UiCallRecord:
        """Call a tool of the UI's own server. Return the result where nobody had to be asked and
        nothing is changed, else the run of the call. Raises NotFound, Forbidden, InvalidInput,
        NotSupportedError, RateLimited, ToolUnavailable."""
        origin, ui, agent = await self._origin(app_id, tool_call_id)
        call = UiCall(
            of=tool_call_id,
            chat_id=origin.chat_id,
            agent=agent,
            ui_name=f"{origin.tool_name} UI",
            server=ui.server,
            tool=tool,
            arguments=arguments,
            by=by,
        )
        view = await self._store.load_view(app_id, origin.chat_id, limit=1)
        preferences = dict(view.preferences) if view is not None else {}
        result = await self._program(agent).call_for_ui(call, preferences)
        log.info("ui.called", tool_call_id=tool_call_id, tool=tool, at_once=result is not None)
        if result is not None:
            return result
        opened = await self._store.open_ui_call(app_id, call, self._runtime.lease())
        self._runtime.apply_outcome(app_id, opened)
        return opened.record

    async def read(self, app_id: str, tool_call_id: str, uri: str, *, by: str | None) -> JsonObject:
        """Read a resource of the UI's own server. Raises what `call` raises."""
        _, ui, agent = await self._origin(app_id, tool_call_id)
        log.info("ui.read", tool_call_id=tool_call_id, uri=uri)
        return await self._program(agent).read_for_ui(ui.server, uri, by)

    async def find(self, app_id: str, tool_call_id: str, run_id: str) -> UiCallRecord:
        """Raises NotFound."""
        found = await self._store.ui_call(app_id, tool_call_id, run_id)
        if found is None:
            raise NotFound(f"The UI of '{tool_call_id}' has made no call '{run_id}'.")
        return found

    async def moved(
        self,
        app_id: str,
        tool_call_id: str,
        record: UiCallRecord,
        *,
        seen: UiCallState,
        seconds: float,
    ) -> UiCallRecord:
        """Return the call once it is no longer as it was `seen`, or as it then stands."""
        listening = self._feed.subscribe(app_id, record.run.chat_id)
        pause = _SOON_SECONDS
        with closing(listening), suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while True:
                    record = await self.find(app_id, tool_call_id, record.run.id)
                    if record.state is not seen:
                        break
                    # Its row in the chat is told of; that its run has ended, a moment later, is
                    # not, since the chat's own run is another.
                    happened = await _wake(listening, pause)
                    pause = _SOON_SECONDS if happened else min(2 * pause, _LATE_SECONDS)
        return record

    async def result(self, app_id: str, record: UiCallRecord) -> JsonObject:
        """Return what the UI is told of a call that has ended."""
        kept = await self._store.content(app_id, record.result) if record.result else None
        if kept is None:
            return why_no_result(record.run)
        loaded: JsonObject = orjson.loads(kept)
        return loaded

    async def _origin(self, app_id: str, tool_call_id: str) -> tuple[ToolCallRecord, ToolUi, str]:
        """Return the call whose UI asks, the UI, and the agent that made the call."""
        call = await self._store.tool_call(app_id, tool_call_id)
        if call is None or call.ui is None:
            raise NotFound(f"The call '{tool_call_id}' has no UI of its own.")
        run = await self._store.run(app_id, call.run_id)
        if run is None:
            raise NotFound(f"The run of the call '{tool_call_id}' is not there.")
        return call, call.ui, run.agent

    def _program(self, agent: str) -> ServesUis:
        program: object = self._programs.get(agent)
        if not isinstance(program, ServesUis):
            raise NotSupportedError(
                f"The agent '{agent}' serves no UIs of tools here.",
                fix="Start the server with the agent, and the MCP servers, that the chat had.",
            )
        return program


async def _wake(listening: Subscription, seconds: float) -> bool:
    """Wait until something happens in the chat, or long enough to look all the same. Return whether
    anything did."""
    happened = False
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await listening.get()
            happened = True
    listening.drain()
    return happened
