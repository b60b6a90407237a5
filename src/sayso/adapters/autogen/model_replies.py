"""What the models of a run have said: each question is asked once, and given from the record when
the run is played again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakSet

from autogen_core import FunctionCall
from autogen_core.models import (
    ChatCompletionClient,
    CreateResult,
    LLMMessage,
    ModelInfo,
    RequestUsage,
)

from sayso.adapters.autogen.scope import AgentPlace, RunScope, StopRun
from sayso.adapters.model_reply import WatchedStream, free_id
from sayso.core.digest import JsonObject
from sayso.core.errors import ModelUnavailable, ReplayDiverged

#: The clients whose provider has said how a reply ended.
_SAY_THE_END: WeakSet[ChatCompletionClient] = WeakSet()
#: How the clients of OpenAI's API take a reply, piece by piece.
_CHUNKS = ("_create_stream_chunks", "_create_stream_chunks_beta_client")
#: The streams of the reply that is being heard.
_HEARD: ContextVar[list[WatchedStream]] = ContextVar("sayso_autogen_heard")

_THINKS, _HAS_THOUGHT = "<think>", "</think>"


@dataclass
class RecordedReplies:
    """What the models of a run have said so far, for each place that asks one."""

    by_place: dict[str, list[JsonObject]] = field(default_factory=dict)
    #: Told of each place whose reply is whole.
    on_whole: Callable[[str], None] = lambda path: None

    def known(self, path: str, number: int, shape: str) -> JsonObject | None:
        """Return the reply to this question, if it was given before. Raises ReplayDiverged where
        the question is another."""
        said = self.by_place.get(path, [])
        if number >= len(said):
            return None
        if said[number]["shape"] != shape:
            raise ReplayDiverged(
                f"The agent, at {path!r}, asks its model with other messages than before."
            )
        return said[number]

    def add(self, path: str, shape: str, result: CreateResult, said: str) -> None:
        kept: JsonObject = {
            "shape": shape,
            "result": result.model_dump(mode="json", exclude_none=True),
            "said": said,
        }
        self.by_place.setdefault(path, []).append(kept)
        self.on_whole(path)


class RecordedClient(ChatCompletionClient):
    """A model client that asks the real one once for each question, and says its words as they
    come."""

    def __init__(
        self,
        client: ChatCompletionClient,
        place: AgentPlace,
        scope: RunScope,
        replies: RecordedReplies,
        *,
        say: Callable[[str], Awaitable[None]] | None,
        replied: Callable[[AgentPlace, CreateResult], Awaitable[None]],
        unheard: Callable[[FunctionCall], Awaitable[object]],
    ) -> None:
        self._client, self._place, self._scope, self._recorded = client, place, scope, replies
        _watch(client)
        self._say, self._replied = say or _silent, replied
        #: Told of calls that no workbench ever sees: of tools that are not there, or not in JSON.
        self._unheard = unheard

    async def create(self, messages: Sequence[LLMMessage], **options: Any) -> CreateResult:
        async for item in self._replies(messages, None, options):
            if isinstance(item, CreateResult):
                return item
        raise AssertionError("a reply ends with its result")

    async def create_stream(
        self, messages: Sequence[LLMMessage], **options: Any
    ) -> AsyncGenerator[str | CreateResult, None]:
        async for item in self._replies(messages, self._client.create_stream, options):
            yield item

    async def _replies(
        self,
        messages: Sequence[LLMMessage],
        stream: Callable[..., AsyncGenerator[str | CreateResult, None]] | None,
        options: dict[str, Any],
    ) -> AsyncGenerator[str | CreateResult, None]:
        self._scope.check()
        shape = _shape(messages)
        try:
            known = self._recorded.known(self._place.path, self._place.replies, shape)
            if known is not None:
                # Said again whole: the journal drops what the chat has already.
                await self._say(str(known["said"]))
                self._place.replies += 1
                told = CreateResult.model_validate(known["result"])
                await self._look_for_unheard(told, options)
                yield told
                return
            heard = said = ""
            result: CreateResult | None = None
            streams = list[WatchedStream]()
            _HEARD.set(streams)
            if stream is None:
                with self._scope.inside():
                    result = await self._client.create(messages, **options)
            else:
                async with aclosing(stream(messages, **options)) as items:
                    while True:
                        # Not inside while the framework has the piece: a stop must not interrupt
                        # its code.
                        with self._scope.inside():
                            item = await anext(items, None)
                            if isinstance(item, str):
                                heard += item
                                fresh = _spoken(heard)[len(said) :]
                                said += fresh
                                await self._say(fresh)
                        if item is None:
                            break
                        if isinstance(item, CreateResult):
                            result = item
                        else:
                            yield item
            if result is None:
                raise RuntimeError("The model's stream ended without its result.")
            self._check_whole(result, streams, is_streamed=stream is not None)
            if not (result.content or result.thought or self._place.replies):
                raise ModelUnavailable("The reply of the model is empty.")
            if not said:
                said = _words(result)
                with self._scope.inside():
                    await self._say(said)
        except (StopRun, asyncio.CancelledError, GeneratorExit):
            raise
        except Exception as exc:
            self._scope.cause = self._scope.cause or exc
            raise
        seen: set[str] = set()
        for call in result.content if isinstance(result.content, list) else ():
            call.id = free_id(call.id, seen)
        self._recorded.add(self._place.path, shape, result, said)
        self._place.replies += 1
        await self._replied(self._place, result)
        await self._look_for_unheard(result, options)
        yield result

    def _check_whole(
        self, result: CreateResult, streams: Sequence[WatchedStream], *, is_streamed: bool
    ) -> None:
        """Raise ModelUnavailable where a streamed reply broke off. Where its pieces are not seen:
        of a provider that has said how a reply ended, one that does not say so has no end."""
        if streams and not streams[-1].has_ended:
            raise ModelUnavailable("The reply of the model broke off before its end.")
        if streams:
            return
        if result.finish_reason != "unknown":
            _SAY_THE_END.add(self._client)
        elif is_streamed and self._client in _SAY_THE_END:
            raise ModelUnavailable("The reply of the model broke off before its end.")

    async def _look_for_unheard(self, result: CreateResult, options: dict[str, Any]) -> None:
        tools = options.get("tools")
        if not tools or isinstance(result.content, str):
            return
        names = {tool["name"] if isinstance(tool, dict) else tool.name for tool in tools}
        for call in result.content:
            if call.name not in names or not is_json(call):
                await self._unheard(call)

    async def close(self) -> None:
        """Do nothing: the client is the application's, which closes it."""

    def actual_usage(self) -> RequestUsage:
        return self._client.actual_usage()

    def total_usage(self) -> RequestUsage:
        return self._client.total_usage()

    def count_tokens(self, messages: Sequence[LLMMessage], **options: Any) -> int:
        return self._client.count_tokens(messages, **options)

    def remaining_tokens(self, messages: Sequence[LLMMessage], **options: Any) -> int:
        return self._client.remaining_tokens(messages, **options)

    @property
    def capabilities(self) -> Any:
        return self._client.capabilities

    @property
    def model_info(self) -> ModelInfo:
        return self._client.model_info


def is_json(call: FunctionCall) -> bool:
    """Tell whether AutoGen can read a call's arguments: else no workbench hears of the call."""
    try:
        json.loads(call.arguments)
    except (ValueError, RecursionError):
        return False
    return True


def _watch(client: Any) -> None:
    """See the pieces of a client's replies, which says nothing of them that broke off. The layer
    lies on the application's client, and does nothing but for replies that are heard here."""
    for name in _CHUNKS:
        own = getattr(client, name, None)
        if own is not None and not isinstance(own, _WatchedChunks):
            setattr(client, name, _WatchedChunks(own))


class _WatchedChunks:
    """Takes a reply piece by piece, and sees whether it ends where it is heard here."""

    def __init__(self, own: Callable[..., Any]) -> None:
        self._own = own

    def __call__(self, *given: Any, **options: Any) -> Any:
        heard = _HEARD.get(None)
        if heard is None:
            return self._own(*given, **options)
        heard.append(WatchedStream(self._own(*given, **options)))
        return heard[-1]


def _shape(messages: Sequence[LLMMessage]) -> str:
    """Describe a question by how many messages it has and what kind is the last; memories come as
    system messages and may differ."""
    kinds = [m.type for m in messages if m.type != "SystemMessage"]
    return f"{len(kinds)} {kinds[-1]}" if kinds else "0"


def _spoken(heard: str) -> str:
    """Return what of a reply so far is said to people: AutoGen streams what a model thinks before
    that as text in tags."""
    if not heard.startswith(_THINKS[: len(heard)]):
        return heard
    return heard.partition(_HAS_THOUGHT)[2]


def _words(result: CreateResult) -> str:
    """Return what a reply that was not streamed says to people: its text, or that beside its
    calls."""
    if isinstance(result.content, str):
        return result.content
    return result.thought or ""


async def _silent(text: str) -> None:
    return None
