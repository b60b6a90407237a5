"""The replies of models: each is kept before a call of it is made, and no model is asked twice for
the same."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from copy import copy
from functools import cached_property
from typing import Any

from agents import (
    Agent,
    Handoff,
    Model,
    ModelResponse,
    ModelSettings,
    ModelTracing,
    MultiProvider,
    OpenAIChatCompletionsModel,
    Tool,
    Usage,
)
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputItem,
    ResponseOutputMessage,
    ResponseReasoningItem,
    ResponseTextDeltaEvent,
    ResponseUsage,
)
from pydantic import TypeAdapter

from sayso.adapters.model_reply import WatchedStream, free_id, object_in
from sayso.adapters.openai_agents.state import CODEC, OpenAIEnclosing
from sayso.adapters.turn import KeptReplies
from sayso.core.errors import ModelUnavailable
from sayso.core.usage import ModelCall

_ITEMS: TypeAdapter[list[ResponseOutputItem]] = TypeAdapter(list[ResponseOutputItem])


class Replies(KeptReplies[OpenAIEnclosing]):
    @property
    def is_root(self) -> bool:
        return not self.path

    def known(self) -> list[Any] | None:
        """Return the next reply where it was kept. Raises Paused where no model may be asked."""
        kept = self.next_kept()
        if kept is None:
            return None
        with CODEC.reading("a reply of a model"):
            output = _ITEMS.validate_python(kept)
        self.count += 1
        if self.is_root:
            self.turn.restore_context()
        return list(output)

    def keep(self, output: list[Any], input: Any) -> list[Any]:
        """Keep a reply that has come. Its calls get ids that no earlier call has: the framework
        takes a call with a known id for the same one."""
        taken = {_call_id(item) for item in input} if isinstance(input, list) else set()
        mended = [
            item.model_copy(update={"call_id": free_id(item.call_id, taken)})
            if isinstance(item, ResponseFunctionToolCall)
            else item
            for item in output
        ]
        self._kept.append(
            _ITEMS.dump_python(mended, mode="json", exclude_none=True, warnings=False)
        )
        self.count += 1
        return mended


class RecordedModel(Model):
    """The model of one agent, asked only for what it has not said yet."""

    def __init__(self, agent: Agent[Any], replies: Replies) -> None:
        self._agent, self._replies = agent, replies
        #: The newest reply that streams, of a client whose framework does not ask for its end.
        self._stream: WatchedStream | None = None

    @cached_property
    def _model(self) -> Model:
        given = self._agent.model
        model = given if isinstance(given, Model) else MultiProvider().get_model(given)
        return self._watched(model) if isinstance(model, OpenAIChatCompletionsModel) else model

    def _watched(self, model: OpenAIChatCompletionsModel) -> Model:
        mine: Any = copy(model)

        async def fetch(*given: Any, **options: Any) -> Any:
            found = await model._fetch_response(*given, **options)
            if not isinstance(found, tuple):
                return found
            self._stream = WatchedStream(found[1])
            return found[0], self._stream

        mine._fetch_response = fetch
        watched: Model = mine
        return watched

    def get_retry_advice(self, request: Any) -> Any:
        return self._model.get_retry_advice(request)

    async def get_response(  # noqa: PLR0917  # the framework's own signature
        self,
        system_instructions: str | None,
        input: str | list[Any],
        model_settings: ModelSettings,
        tools: list[Tool],
        output_schema: Any,
        handoffs: list[Handoff[Any, Any]],
        tracing: ModelTracing,
        **more: Any,
    ) -> ModelResponse:
        known = self._replies.known()
        reply = ModelResponse(output=known or [], usage=Usage(), response_id=None)
        if known is None:
            given = (system_instructions, input, model_settings, tools)
            with self._replies.passing_trouble():
                reply = await self._model.get_response(
                    *given, output_schema, handoffs, tracing, **more
                )
            await self._tell(reply.output, reply.usage)
            reply.output = self._replies.keep(reply.output, input)
        await self._show_missing(reply.output, tools, handoffs)
        return reply

    async def stream_response(  # noqa: PLR0917  # the framework's own signature
        self,
        system_instructions: str | None,
        input: str | list[Any],
        model_settings: ModelSettings,
        tools: list[Tool],
        output_schema: Any,
        handoffs: list[Handoff[Any, Any]],
        tracing: ModelTracing,
        **more: Any,
    ) -> AsyncIterator[Any]:
        known = self._replies.known()
        if known is not None:
            self._hear(_text(known))
            await self._show_missing(known, tools, handoffs)
            yield _completed(known)
            return
        streamed = False
        given = (system_instructions, input, model_settings, tools)
        events = self._model.stream_response(*given, output_schema, handoffs, tracing, **more)
        async for event in self._to_the_end(events):
            if isinstance(event, ResponseTextDeltaEvent):
                streamed = True
                await self._say(event.delta)
                yield event
            elif isinstance(event, ResponseCompletedEvent):
                await self._tell(event.response.output, event.response.usage)
                output = self._replies.keep(event.response.output, input)
                if not streamed:
                    await self._say(_text(output))
                self._hear(_text(output))
                await self._show_missing(output, tools, handoffs)
                response = event.response.model_copy(update={"output": output})
                yield event.model_copy(update={"response": response})
            elif event.type in ("response.failed", "response.incomplete", "error"):
                yield event

    async def _to_the_end(self, events: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Yield what comes of a reply. Raises ModelUnavailable where it breaks off."""
        with self._replies.passing_trouble():
            async for event in events:
                is_last = isinstance(event, ResponseCompletedEvent)
                if is_last and self._stream is not None and not self._stream.has_ended:
                    raise ModelUnavailable("The reply of the model broke off before its end.")
                yield event

    async def _show_missing(
        self, output: list[Any], tools: list[Tool], handoffs: list[Handoff[Any, Any]]
    ) -> None:
        """Show the calls of tools that are not there; the framework tells the model."""
        turn = self._replies.turn
        there = {tool.name for tool in tools} | {one.tool_name for one in handoffs}
        for item in output:
            if isinstance(item, ResponseFunctionToolCall) and item.name not in there:
                key, given = self._replies.key(item.call_id), object_in(item.arguments) or {}
                speaker = turn.name_of(self._agent.name)
                try:
                    await turn.toolbox.call(key, item.name, given, agent_name=speaker)
                except Exception as exc:
                    raise self._replies.enclosing.stop(exc) from exc

    async def _tell(self, output: list[Any], used: Usage | ResponseUsage | None) -> None:
        """Tell what a reply took, and what the model thought before it."""
        speaker = self._replies.turn.name_of(self._agent.name)
        call = ModelCall(
            model=_name_of(self._agent.model),
            agent_name=speaker,
            input_tokens=used.input_tokens if used else 0,
            output_tokens=used.output_tokens if used else 0,
            cached_tokens=used.input_tokens_details.cached_tokens or 0 if used else 0,
            reasoning_tokens=used.output_tokens_details.reasoning_tokens or 0 if used else 0,
        )
        env = self._replies.turn.segment.env
        await env.model_replied(call if used else None, _thought(output), speaker)

    async def _say(self, text: str) -> None:
        if self._replies.is_root and text:
            await self._replies.turn.say(text, self._agent.name)

    def _hear(self, text: str) -> None:
        if self._replies.is_root:
            self._replies.turn.said = text


def _completed(output: list[Any]) -> ResponseCompletedEvent:
    return ResponseCompletedEvent(
        type="response.completed",
        sequence_number=0,
        response=Response(
            id="recorded",
            created_at=time.time(),
            model="recorded",
            object="response",
            output=output,
            tool_choice="auto",
            tools=[],
            parallel_tool_calls=True,
        ),
    )


def _text(output: list[Any]) -> str:
    return "".join(
        getattr(part, "text", "")
        for item in output
        if isinstance(item, ResponseOutputMessage)
        for part in item.content
    )


def _thought(output: list[Any]) -> str:
    return "".join(
        part.text
        for item in output
        if isinstance(item, ResponseReasoningItem)
        for part in (item.summary or item.content or ())
    )


def _name_of(model: str | Model | None) -> str | None:
    return model if isinstance(model, str) else getattr(model, "model", None)


def _call_id(item: Any) -> Any:
    return item.get("call_id") if isinstance(item, dict) else getattr(item, "call_id", None)
