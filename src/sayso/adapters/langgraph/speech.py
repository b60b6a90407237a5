"""What a graph says: each message once, and one at a time, where parallel agents speak at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from hashlib import sha256

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

Say = Callable[[str, str | None], Awaitable[None]]


@dataclass
class _Voice:
    """A message that is being written: by which agent, and in which task of the graph."""

    message_id: str
    task: str
    speaker: str | None
    held: list[str] = field(default_factory=list)
    ended: bool = False


class Speech:
    """The text of one segment. `said` are the messages of earlier segments, by id, with the digest
    of the text of those that a model streamed."""

    def __init__(self, say: Say, said: dict[str, str]) -> None:
        self._say, self._said = say, said
        self._streamed: dict[str, list[str]] = {}
        #: Who speaks, then those whose words are held until it has ended.
        self._voices: list[_Voice] = []

    async def hear(self, message: object, *, task: str, speaker: str | None) -> None:
        """A piece of a message that a model streams, or a whole one that a node gives."""
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
        voice = self._voice(id_, task, speaker)
        voice.held.append(text)
        voice.ended = voice.ended or last
        await self._speak()

    async def end(self) -> None:
        """Nothing more comes: say what is still held."""
        for voice in self._voices:
            voice.ended = True
        await self._speak()

    def was_said(self, message: BaseMessage) -> bool:
        """Itself, or its text by the model: a node may put that into a message of its own."""
        if message.id in self._said or message.id in self._streamed:
            return True
        text = str(message.text)
        known = {_digest("".join(pieces)) for pieces in self._streamed.values()}
        return bool(text) and _digest(text) in {*known, *self._said.values()}

    def all_said(self) -> dict[str, str]:
        """What a later segment needs to know."""
        streamed = {id_: _digest("".join(pieces)) for id_, pieces in self._streamed.items()}
        return {**self._said, **streamed}

    def _voice(self, id_: str, task: str, speaker: str | None) -> _Voice:
        for voice in self._voices:
            if voice.message_id == id_:
                return voice
            if voice.task == task:  # the model broke off, and its task asks again
                voice.ended = True
        self._voices.append(_Voice(id_, task, speaker))
        return self._voices[-1]

    async def _speak(self) -> None:
        while self._voices:
            voice = self._voices[0]
            pieces, voice.held = voice.held, []
            for piece in pieces:
                await self._say(piece, voice.speaker)
            if not voice.ended:
                return
            self._voices.pop(0)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]
