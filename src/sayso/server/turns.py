"""One run read out of its chat: for clients that post a message and want its answer in the reply.

`Prefer: stream` gives seed 4's JSON lines, `Accept: text/plain` the bare text, `Prefer: wait=N` the
run's messages once it ends or waits for a person.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import orjson
from pydantic import JsonValue

from sayso.core.digest import JsonObject
from sayso.core.events import (
    ChatEvent,
    Draft,
    ErrorShown,
    EventData,
    MessageWritten,
    OpenText,
    RunMoved,
    TextDelta,
    ToolCalled,
    ToolCallStatus,
    ToolReturned,
    ToolUiOpened,
)
from sayso.core.feed import Frame
from sayso.core.inbox import InteractionFilter
from sayso.core.interactions import InteractionState
from sayso.core.transactions import Posted
from sayso.core.view import ChatView
from sayso.server.auth import Principal
from sayso.server.follow import Follower, Place, Sent
from sayso.server.service import Service
from sayso.server.stream import Push
from sayso.server.verbs import posted_json

# The answer to a message is rarely longer; a client that wants to wait more can ask again.
MOST_WAIT_SECONDS = 300

Encode = Callable[["Line"], bytes]
LineName = Literal["token", "tool_call", "tool_result", "tool_ui", "end", "error"]


@dataclass(frozen=True, slots=True)
class Line:
    """`{"event", "data"}` as seed 4 writes it."""

    event: LineName
    data: JsonObject


def preferences(prefer: str) -> dict[str, str]:
    """A Prefer header (RFC 7240) as names and values; what cannot be read is not there."""
    pairs = (part.partition(";")[0].partition("=") for part in prefer.split(","))
    return {name.strip().lower(): value.strip().strip('"') for name, _, value in pairs}


class Turn:
    """Turns what happens in a chat into the lines of one run. It is fed in order; it does no I/O.

    Text comes twice, as it is written and whole at its end: each code point is given once.
    """

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        #: Set once the run has ended, or waits for a person.
        self.ended: RunMoved | None = None
        self._begun = self._told_error = False
        self._said: dict[str, int] = {}
        self._calls: set[str] = set()

    def read(self, body: ChatEvent | TextDelta | OpenText | Draft) -> Iterator[Line]:
        match body:
            case ChatEvent(data=data):
                yield from self._of_event(data)
            case TextDelta(message_id=message_id, offset=offset, text=text) if self._begun:
                yield from self._say(message_id, offset, text)
            case OpenText(message_id=message_id, text=text, run_id=self.run_id):
                yield from self._say(message_id, 0, text)
            case _:
                return

    def _of_event(self, data: EventData) -> Iterator[Line]:
        match data:
            case RunMoved(run_id=self.run_id):
                yield from self._moved(data)
            case MessageWritten(run_id=self.run_id, role="assistant"):
                yield from self._say(data.message_id, 0, data.content)
            case ToolCalled(run_id=self.run_id):
                self._calls.add(data.tool_call_id)
                call: JsonObject = {"id": data.tool_call_id, "name": data.name}
                call |= {"args": data.arguments, "type": "tool_call"}
                yield Line("tool_call", call)
            case ToolReturned() if data.tool_call_id in self._calls:
                yield from self._returned(data)
            case ToolUiOpened() if data.tool_call_id in self._calls:
                ui = {**data.ui, "id": data.tool_call_id, "has_ui": True}
                yield Line("tool_ui", {**ui, "type": "tool_ui"})
            case ErrorShown(run_id=self.run_id):
                self._told_error = True
                yield Line("error", {k: v for k, v in data.payload.items() if k != "sayso"})
            case _:
                return

    def _moved(self, moved: RunMoved) -> Iterator[Line]:
        self._begun = True
        if moved.status in ("ready", "running"):
            self.ended = None
            return
        if moved.status == "failed" and moved.error is not None and not self._told_error:
            yield Line("error", moved.error)
        self.ended = moved

    def _say(self, message_id: str, offset: int, text: str) -> Iterator[Line]:
        said = self._said.get(message_id, 0)
        # After a gap nothing is said; the message comes whole when it is closed.
        new = text[said - offset :] if offset <= said else ""
        if new:
            self._said[message_id] = said + len(new)
            yield Line("token", {"token": new, "message_id": message_id})

    def _returned(self, data: ToolReturned) -> Iterator[Line]:
        if data.status in (ToolCallStatus.RUNNING, ToolCallStatus.WAITING):
            return
        content = data.error if data.error is not None else data.result
        text = content if isinstance(content, str) else orjson.dumps(content).decode()
        result: JsonObject = {"id": data.tool_call_id, "status": data.status.value, "content": text}
        yield Line("tool_result", {**result, "type": "tool_result"})


class PlainText:
    """The lines as seed 4's text: what was said, and tool UIs; what else is needed, briefly."""

    def __init__(self) -> None:
        self._message_id: object = None

    def encode(self, line: Line) -> bytes:
        match line.event:
            case "token":
                fresh = self._message_id not in (None, line.data["message_id"])
                self._message_id = line.data["message_id"]
                return (("\n\n" if fresh else "") + str(line.data["token"])).encode()
            case "tool_ui":
                return b"\nTool UI: " + orjson.dumps(line.data) + b"\n"
            case "error":
                said = line.data.get("message") or line.data.get("detail") or line.data.get("title")
                return f"\nError: {said}\n".encode()
            case "end" if line.data.get("interactions"):
                return f"\nWaiting for a person: {_titles(line.data)}\n".encode()
            case _:
                return b""


def json_line(line: Line) -> bytes:
    return orjson.dumps({"event": line.event, "data": line.data}) + b"\n"


class TurnReader:
    """Posts nothing itself: it listens from before the post, and then reads that run to its end."""

    def __init__(self, service: Service, who: Principal, chat_id: str) -> None:
        self._service, self._who, self._chat_id = service, who, chat_id
        self._follower = Follower(service.engine, who.app_id, chat_id, who.person)
        self._before: ChatView | None = None

    def close(self) -> None:
        self._follower.close()

    async def listen(self) -> None:
        """Remember where the chat stands before the message is posted."""
        store = self._service.engine.store
        self._before = await store.load_view(self._who.app_id, self._chat_id)

    async def write(self, posted: Posted, run_id: str, encode: Encode, push: Push) -> None:
        """Send the run's lines as they happen, and the end."""
        turn = Turn(run_id)
        frames = await self._follower.begin(self._start(posted))
        while True:
            lines = [line for frame in frames for line in _lines(turn, frame)]
            if turn.ended is not None:
                lines.append(Line("end", await self._end(posted, turn.ended)))
            await push(b"".join(map(encode, lines)))
            if turn.ended is not None:
                return
            frames = await self._follower.next()

    async def wait(self, posted: Posted, run_id: str, seconds: float) -> JsonObject | None:
        """What came of the run; None if it takes longer, or the server stops."""
        reading = asyncio.create_task(self._until_end(posted, run_id))
        with self._service.streams.kept(reading):
            await asyncio.wait([reading], timeout=seconds)
        if not reading.done():
            reading.cancel()
            return None
        return None if reading.cancelled() else await self._result(posted, reading.result())

    async def _until_end(self, posted: Posted, run_id: str) -> RunMoved:
        turn = Turn(run_id)
        frames = await self._follower.begin(self._start(posted))
        while True:
            for frame in frames:
                for _ in _lines(turn, frame):
                    pass
            if turn.ended is not None:
                return turn.ended
            frames = await self._follower.next()

    def _start(self, posted: Posted) -> Place:
        """Before the message was written: now, unless it was written before."""
        if self._before is None:
            return Place(0)
        if posted.status != "repeated":
            return Place(self._before.seq)
        sequences = (m.sequence for m in self._before.messages if m.event_id == posted.message_id)
        return Place(max(next(sequences, 1) - 1, 0))

    async def _end(self, posted: Posted, moved: RunMoved) -> JsonObject:
        end: JsonObject = {"run_id": moved.run_id, "message_id": posted.message_id}
        end |= {"status": moved.status, "interactions": await self._pending(moved)}
        if moved.error is not None:
            end["error"] = moved.error
        return end

    async def _result(self, posted: Posted, moved: RunMoved) -> JsonObject:
        store = self._service.engine.store
        view = await store.load_view(self._who.app_id, self._chat_id, limit=200)
        assert view is not None
        messages = [m for m in view.messages if m.run_id == moved.run_id]
        calls = [c for c in view.tool_calls if c.run_id == moved.run_id]
        result: JsonObject = {**posted_json(posted), "run": await self._end(posted, moved)}
        result["messages"] = [m.model_dump(mode="json", exclude_none=True) for m in messages]
        result["tool_calls"] = [c.model_dump(mode="json", exclude_none=True) for c in calls]
        return result

    async def _pending(self, moved: RunMoved) -> list[JsonValue]:
        if moved.status != "waiting":
            return []
        wanted = InteractionFilter(status=InteractionState.PENDING, run_id=moved.run_id)
        store = self._service.engine.store
        found = await store.interactions(self._who.app_id, wanted, limit=200)
        return [interaction.as_json() for interaction in reversed(found)]


def _lines(turn: Turn, sent: Sent) -> list[Line]:
    return list(turn.read(sent.body)) if isinstance(sent, Frame) else []


def _titles(end: JsonObject) -> str:
    asked = end["interactions"]
    assert isinstance(asked, list)
    return ", ".join(str(one["title"]) for one in asked if isinstance(one, dict))
