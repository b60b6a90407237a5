"""Reads one run out of its chat, for clients that post a message and want its answer in the reply.

`Prefer: stream` gives the JSON lines of the MCP UI stream, `Accept: text/plain` the bare text,
`Prefer: wait=N` the run's messages once it ends or waits for a person.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import orjson
from pydantic import JsonValue

from sayso.core.attention import AttentionMoved
from sayso.core.chat_view import ChatView
from sayso.core.digest import JsonObject
from sayso.core.events import (
    ChatEvent,
    Draft,
    ErrorShown,
    EventData,
    MessageWritten,
    OpenText,
    PhaseEntered,
    RunMoved,
    TextDelta,
    ToolCalled,
    ToolCallStatus,
    ToolReturned,
    ToolUiOpened,
    UiToolOpened,
)
from sayso.core.feed import Frame
from sayso.core.inbox import InteractionFilter
from sayso.core.interactions import InteractionState
from sayso.core.messages import message, spoken
from sayso.core.requirements import state_in
from sayso.core.store_results import Posted
from sayso.server.actions import posted_json
from sayso.server.auth import Principal
from sayso.server.chat_updates import ChatPosition, ChatUpdates, Sent
from sayso.server.requests import MOST_WAIT_SECONDS
from sayso.server.service import Service
from sayso.server.sse import Push

#: What the line of a tool's UI says of it; the rest is for who frames it.
_TOLD = {"has_ui", "format", "server", "resource_uri", "url", "size", "problem", "detail", "round"}

Encode = Callable[["ReplyLine"], bytes]
ReplyEvent = Literal["token", "tool_call", "tool_result", "tool_ui", "phase", "end", "error"]


@dataclass(frozen=True, slots=True)
class ReplyLine:
    """One `{"event", "data"}` line of the MCP UI stream."""

    event: ReplyEvent
    data: JsonObject
    #: The language that the person writes in, as far as it is known: for what is told as text.
    language: str = ""


def preferences(prefer: str) -> dict[str, str]:
    """Read a Prefer header (RFC 7240) as names and values; skip what cannot be read."""
    pairs = (part.partition(";")[0].partition("=") for part in prefer.split(","))
    return {name.strip().lower(): value.strip().strip('"') for name, _, value in pairs}


def wait_seconds(preferred: Mapping[str, str]) -> float | None:
    """Read `wait=N`; a preference that cannot be read is ignored (RFC 7240)."""
    wait = preferred.get("wait", "")
    return float(min(int(wait), MOST_WAIT_SECONDS)) if wait.isascii() and wait.isdigit() else None


class RunLines:
    """Turns what happens in a chat into the lines of one run. It is fed in order; it does no I/O.

    Text comes twice, as it is written and whole at its end: each code point is given once.
    """

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        #: Set once the run has ended, or waits for a person.
        self.ended: RunMoved | None = None
        self._begun = self._has_error = False
        self._sent_lengths: dict[str, int] = {}
        #: What the run's last message carries beside its text.
        self.metadata: JsonObject = {}
        #: The calls of the run, and after which call of the model each was made.
        self._rounds: dict[str, int] = {}

    def read(
        self, body: ChatEvent | TextDelta | OpenText | Draft | AttentionMoved
    ) -> Iterator[ReplyLine]:
        match body:
            case ChatEvent(data=data):
                yield from self._of_event(data)
            case TextDelta(message_id=message_id, offset=offset, text=text) if self._begun:
                yield from self._add_text(message_id, offset, text)
            case OpenText(message_id=message_id, text=text, run_id=self.run_id):
                yield from self._add_text(message_id, 0, text)
            case _:
                return

    def _of_event(self, data: EventData) -> Iterator[ReplyLine]:
        match data:
            case RunMoved(run_id=self.run_id):
                yield from self._moved(data)
            case MessageWritten(run_id=self.run_id, role="assistant"):
                self.metadata = data.metadata
                yield from self._add_text(data.message_id, 0, data.content)
            case ToolCalled(run_id=self.run_id):
                self._rounds[data.tool_call_id] = data.round or 1
                call: JsonObject = {"id": data.tool_call_id, "name": data.name}
                call |= {"args": data.arguments, "type": "tool_call"}
                yield ReplyLine("tool_call", call)
            case ToolReturned() if data.tool_call_id in self._rounds:
                yield from self._returned(data)
            case ToolUiOpened() if data.tool_call_id in self._rounds:
                ui: JsonObject = data.ui.model_dump(mode="json", include=_TOLD)
                yield ReplyLine("tool_ui", {"id": data.tool_call_id, **ui, "type": "tool_ui"})
            case PhaseEntered(run_id=self.run_id):
                yield ReplyLine("phase", {"phase": data.phase})
            case UiToolOpened() if data.metadata and _run_of(data) == self.run_id:
                self.metadata = data.metadata
            case ErrorShown(run_id=self.run_id):
                self._has_error = True
                yield ReplyLine("error", {k: v for k, v in data.payload.items() if k != "sayso"})
            case _:
                return

    def _moved(self, moved: RunMoved) -> Iterator[ReplyLine]:
        self._begun = True
        if moved.status in ("ready", "running"):
            self.ended = None
            return
        if moved.status == "failed" and moved.error is not None and not self._has_error:
            yield ReplyLine("error", moved.error)
        self.ended = moved

    def _add_text(self, message_id: str, offset: int, text: str) -> Iterator[ReplyLine]:
        sent = self._sent_lengths.get(message_id, 0)
        # After a gap nothing is sent; the message comes whole when it is closed.
        new = text[sent - offset :] if offset <= sent else ""
        if new:
            self._sent_lengths[message_id] = sent + len(new)
            yield ReplyLine("token", {"token": new, "message_id": message_id})

    def _returned(self, data: ToolReturned) -> Iterator[ReplyLine]:
        if data.status in (ToolCallStatus.RUNNING, ToolCallStatus.WAITING):
            return
        content = data.error if data.error is not None else data.result
        text = content if isinstance(content, str) else orjson.dumps(content).decode()
        result: JsonObject = {"id": data.tool_call_id, "status": data.status.value, "content": text}
        result |= {"truncated": bool(data.truncated), "round": self._rounds[data.tool_call_id]}
        yield ReplyLine("tool_result", {**result, "type": "tool_result"})


class PlainText:
    """Return the lines as plain text: what was said, tool UIs, what open cards say in words, and
    that they wait."""

    def __init__(self) -> None:
        self._message_id: object = None

    def encode(self, line: ReplyLine) -> bytes:
        match line.event:
            case "token":
                fresh = self._message_id not in (None, line.data["message_id"])
                self._message_id = line.data["message_id"]
                return (("\n\n" if fresh else "") + str(line.data["token"])).encode()
            case "tool_ui":
                return b"\nTool UI: " + orjson.dumps(line.data) + b"\n"
            case "error":
                text = line.data.get("message") or line.data.get("detail") or line.data.get("title")
                return f"\nError: {text}\n".encode()
            case "end" if line.data.get("interactions"):
                return self._waiting(line).encode()
            case _:
                return b""

    def _waiting(self, line: ReplyLine) -> str:
        """Tell what waits. A yes in words may answer a card, so what it says comes first, as in the
        chat."""
        asked = _asked(line.data)
        words = [_in_words(it) for it in asked]
        told = "\n\n".join(said for said in words if said)
        if told and self._message_id is not None:
            told = f"\n\n{told}"
        waits = message("gate.waits", titles=[it["title"] for it in asked])
        return f"{told}\n{spoken(waits, line.language)}\n"


def json_line(line: ReplyLine) -> bytes:
    return orjson.dumps({"event": line.event, "data": line.data}) + b"\n"


def sse_line(line: ReplyLine) -> bytes:
    return b"data: " + json_line(line) + b"\n"


class RunReader:
    """Listens from before the message is posted, and then reads its run to the end."""

    def __init__(
        self, service: Service, who: Principal, chat_id: str, *, inlines_ui: bool = False
    ) -> None:
        self._inlines_ui = inlines_ui
        self._service, self._who, self._chat_id = service, who, chat_id
        self._updates = ChatUpdates(service.engine, who.app_id, chat_id, who.person)
        self._before: ChatView | None = None

    def close(self) -> None:
        self._updates.close()

    async def listen(self) -> None:
        """Remember where the chat stands before the message is posted."""
        store = self._service.engine.store
        self._before = await store.load_view(self._who.app_id, self._chat_id)

    async def write(self, posted: Posted, run_id: str, encode: Encode, push: Push) -> None:
        """Send the run's lines as they happen, and the end."""
        reader = RunLines(run_id)
        frames = await self._updates.begin(self._start(posted))
        while True:
            lines = [line for frame in frames for line in _lines(reader, frame)]
            if self._inlines_ui:
                lines = [await self._with_page(line) for line in lines]
            if reader.ended is not None:
                end = await self._end(posted, reader)
                lines.append(ReplyLine("end", end, await self._language(end)))
            await push(b"".join(map(encode, lines)))
            if reader.ended is not None:
                return
            frames = await self._updates.next()

    async def wait(self, posted: Posted, run_id: str, seconds: float) -> JsonObject | None:
        """Return what came of the run; None if it takes longer, or the server stops."""
        reading = asyncio.create_task(self._until_end(posted, run_id))
        with self._service.streams.track(reading):
            await asyncio.wait([reading], timeout=seconds)
        if not reading.done():
            reading.cancel()
            return None
        return None if reading.cancelled() else await self._result(posted, reading.result())

    async def _until_end(self, posted: Posted, run_id: str) -> RunLines:
        reader = RunLines(run_id)
        frames = await self._updates.begin(self._start(posted))
        while True:
            for frame in frames:
                _lines(reader, frame)
            if reader.ended is not None:
                return reader
            frames = await self._updates.next()

    async def _with_page(self, line: ReplyLine) -> ReplyLine:
        """Return the line of a tool's UI with its whole page, for clients that frame it."""
        store, app_id = self._service.engine.store, self._who.app_id
        call = await store.tool_call(app_id, str(line.data["id"])) if _has_page(line) else None
        if call is None or call.ui is None:
            return line
        page = await store.content(app_id, call.ui.content)
        # A client that puts `ui_content` into a frame gets no schema there.
        name = "ui_content" if call.ui.format == "html" else "ui_schema"
        return ReplyLine("tool_ui", {**line.data, name: (page or b"").decode()})

    def _start(self, posted: Posted) -> ChatPosition:
        """Return the place before the message: now, unless it was written before."""
        if self._before is None:
            return ChatPosition(0)
        if posted.status != "repeated":
            return ChatPosition(self._before.seq)
        sequences = (m.sequence for m in self._before.messages if m.event_id == posted.message_id)
        return ChatPosition(max(next(sequences, 1) - 1, 0))

    async def _end(self, posted: Posted, reader: RunLines) -> JsonObject:
        moved = reader.ended
        assert moved is not None
        end: JsonObject = {"run_id": moved.run_id, "message_id": posted.message_id}
        end |= {"status": moved.status, "interactions": await self._pending(moved)}
        if moved.error is not None:
            end["error"] = moved.error
        if reader.metadata:
            end["metadata"] = reader.metadata
        return end

    async def _result(self, posted: Posted, reader: RunLines) -> JsonObject:
        store = self._service.engine.store
        view = await store.load_view(self._who.app_id, self._chat_id, limit=200)
        assert view is not None
        messages = [m for m in view.messages if m.run_id == reader.run_id]
        calls = [c for c in view.tool_calls if c.run_id == reader.run_id]
        result: JsonObject = {**posted_json(posted), "run": await self._end(posted, reader)}
        result["messages"] = [m.model_dump(mode="json", exclude_none=True) for m in messages]
        result["tool_calls"] = [c.model_dump(mode="json", exclude_none=True) for c in calls]
        return result

    async def _language(self, end: JsonObject) -> str:
        """Return the language that the person writes in, where the gate reads them."""
        if not end["interactions"]:
            return ""
        store = self._service.engine.store
        turn = state_in(await store.requirements(self._who.app_id, self._chat_id)).turn
        return turn.language if turn is not None else ""

    async def _pending(self, moved: RunMoved) -> list[JsonValue]:
        if moved.status != "waiting":
            return []
        wanted = InteractionFilter(status=InteractionState.PENDING, run_id=moved.run_id)
        store = self._service.engine.store
        found = await store.interactions(self._who.app_id, wanted, limit=200)
        return [interaction.as_json() for interaction in reversed(found)]


def _lines(reader: RunLines, sent: Sent) -> list[ReplyLine]:
    return list(reader.read(sent.body)) if isinstance(sent, Frame) else []


def _has_page(line: ReplyLine) -> bool:
    return line.event == "tool_ui" and line.data.get("has_ui") is True


def _run_of(data: UiToolOpened) -> JsonValue:
    own = data.payload.get("sayso")
    return own.get("run_id") if isinstance(own, dict) else None


def _asked(end: JsonObject) -> list[JsonObject]:
    asked = end["interactions"]
    assert isinstance(asked, list)
    return [one for one in asked if isinstance(one, dict)]


def _in_words(asked: JsonObject) -> str:
    """Return what a card says to one who cannot see it, where that is more than its title."""
    payload = asked["payload"]
    words = payload.get("agent_message") if isinstance(payload, dict) else None
    return words if isinstance(words, str) and words != asked["title"] else ""
