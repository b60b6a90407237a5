"""The messages of a graph on their way to the chat: each once, and one at a time where parallel
agents speak at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

from sayso.adapters.text_queue import SayText


@dataclass
class _Message:
    """A message that is being written: by which agent, and in which task of the graph."""

    message_id: str
    task: str
    speaker: str | None
    held: list[str] = field(default_factory=list)
    ended: bool = False


class MessageStream:
    """The messages of one segment. `said` are those of earlier segments, by id, with the digest of
    the text of those that a model streamed."""

    def __init__(self, say: SayText, said: dict[str, str]) -> None:
        self._say, self._said = say, said
        self._streamed: dict[str, list[str]] = {}
        #: The message that is being said, then those that are held until it has ended.
        self._open: list[_Message] = []

    async def hear(self, message: object, *, task: str, speaker: str | None) -> None:
        """Take a piece of a message that a model streams, or a whole one that a node gives."""
        if not isinstance(message, AIMessage | AIMessageChunk):
            return
        id_, text, last = message.id or "", str(message.text), True
        if isinstance(message, AIMessageChunk):
            self._streamed.setdefault(id_, []).append(text)
            last = message.chunk_position == "last"
        elif self.was_said(message):
            return
        else:
            self._said[id_] = ""
        open_message = self._message(id_, task, speaker)
        open_message.held.append(text)
        open_message.ended = open_message.ended or last
        await self._speak()

    async def end(self) -> None:
        """Say what is still held: nothing more comes."""
        for message in self._open:
            message.ended = True
        await self._speak()

    def was_said(self, message: BaseMessage) -> bool:
        """Tell whether it was said, or its text was: a node may put that into a message of its
        own."""
        if message.id in self._said or message.id in self._streamed:
            return True
        text = str(message.text)
        known = {_digest("".join(pieces)) for pieces in self._streamed.values()}
        return bool(text) and _digest(text) in {*known, *self._said.values()}

    def all_said(self) -> dict[str, str]:
        """Return what a later segment needs to know."""
        streamed = {id_: _digest("".join(pieces)) for id_, pieces in self._streamed.items()}
        return {**self._said, **streamed}

    def _message(self, id_: str, task: str, speaker: str | None) -> _Message:
        for message in self._open:
            if message.message_id == id_:
                return message
            if message.task == task:  # the model broke off, and its task asks again
                message.ended = True
        self._open.append(_Message(id_, task, speaker))
        return self._open[-1]

    async def _speak(self) -> None:
        while self._open:
            message = self._open[0]
            pieces, message.held = message.held, []
            for piece in pieces:
                await self._say(piece, message.speaker)
            if not message.ended:
                return
            self._open.pop(0)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]
