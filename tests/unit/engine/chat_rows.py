"""One chat as a cursor sees it: the rows of a store that can be ahead of what the feed brings."""

from datetime import UTC, datetime
from typing import Any

import orjson

from sayso.core.chat_view import ChatView
from sayso.core.events import (
    ChatEvent,
    Draft,
    EventData,
    MessageWritten,
    OpenText,
    ProgressMade,
    TextDelta,
)
from sayso.core.feed import Frame
from sayso.engine.agent_registry import AgentRegistry
from sayso.feed import LocalFeed
from sayso.testing.fold import fold


class Rows:
    """Stands for an engine and its store: a log, open texts, drafts."""

    def __init__(self, *events: EventData) -> None:
        self.feed, self.store, self.agents = LocalFeed(), self, AgentRegistry({})
        self.frames = [self.event(seq, data) for seq, data in enumerate(events, 1)]
        self.visible = len(self.frames)
        self.texts: list[OpenText] = []
        self.reads = 0

    @staticmethod
    def event(seq: int, data: EventData) -> Frame:
        event = ChatEvent(seq, datetime.now(UTC), data)
        return Frame("c", seq, event, orjson.dumps(event.as_json()))

    def commit(self, data: EventData) -> Frame:
        frame = self.event(len(self.frames) + 1, data)
        self.frames.append(frame)
        self.visible = len(self.frames)
        return frame

    def tell(self, *frames: Frame) -> None:
        self.feed.publish("app", frames)

    async def load_view(self, app_id: str, chat_id: str, **_: Any) -> ChatView | None:
        if chat_id != "c":
            return None
        events = [f.body for f in self.frames[: self.visible] if isinstance(f.body, ChatEvent)]
        return fold(ChatView(id="c", app_id="app", log_id="log"), events)

    async def events_after(self, app_id: str, chat_id: str, seq: int, **_: Any) -> list[Frame]:
        self.reads += 1
        return self.frames[seq : self.visible][:3]  # pages of three, so that there are several

    async def open_texts(self, app_id: str, chat_id: str) -> list[OpenText]:
        return self.texts

    async def family(self, app_id: str, run_id: str) -> list[str]:
        return []

    async def drafts(self, app_id: str, chat_id: str, person: str) -> list[Draft]:
        return []


def step(number: int) -> ProgressMade:
    return ProgressMade(note=str(number))


def delta(message_id: str, offset: int, text: str) -> Frame:
    body = TextDelta(message_id, offset, text)
    return Frame("c", None, body, orjson.dumps(body.as_json()))


def message(message_id: str, content: str) -> MessageWritten:
    return MessageWritten(message_id=message_id, role="assistant", content=content)
