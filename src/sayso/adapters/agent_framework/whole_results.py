"""What a middleware answers whole, as a stream: tutorials run their agents without one, and here
every reply is streamed, where the framework takes a stream alone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

from agent_framework import (
    AgentContext,
    AgentMiddleware,
    AgentResponse,
    ChatContext,
    ChatMiddleware,
    ChatResponse,
    ResponseStream,
)


def streamed(middleware: Sequence[Any]) -> list[Any]:
    """Return the middleware with ours around it."""
    return [_AroundAgent(), _AroundModel(), *middleware] if middleware else []


class _AroundAgent(AgentMiddleware):
    async def process(
        self, context: AgentContext, call_next: Callable[[], Awaitable[None]]
    ) -> None:
        try:
            await call_next()
        finally:  # it may have been ended by MiddlewareTermination
            if context.stream and isinstance(context.result, AgentResponse):
                context.result = _stream_of(context.result)


class _AroundModel(ChatMiddleware):
    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        try:
            await call_next()
        finally:
            if context.stream and isinstance(context.result, ChatResponse):
                context.result = _stream_of(context.result)


def _stream_of(whole: AgentResponse[Any] | ChatResponse[Any]) -> ResponseStream[Any, Any]:
    async def pieces() -> AsyncIterator[Any]:
        for piece in whole.to_updates():
            yield piece

    return ResponseStream(pieces(), finalizer=lambda _: whole)
