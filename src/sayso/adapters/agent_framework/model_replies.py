"""The replies of models: each is kept before a call of it is made, and no model is asked twice for
the same."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any

from agent_framework import (
    ChatResponse,
    ChatResponseUpdate,
    Content,
    Message,
    ResponseStream,
)

from sayso.adapters.agent_framework.state import CODEC, AgentFrameworkEnclosing
from sayso.adapters.model_reply import free_id, object_in
from sayso.adapters.turn import KeptReplies
from sayso.core.digest import JsonObject
from sayso.core.errors import ModelUnavailable
from sayso.core.usage import ModelCall

#: What a reply is rebuilt from, beside its messages.
_KEPT = ("response_id", "conversation_id", "model", "created_at", "finish_reason")
#: The real client's own `_inner_get_response`.
AskModel = Callable[..., Any]


class Replies(KeptReplies[AgentFrameworkEnclosing]):
    def __init__(self, enclosing: AgentFrameworkEnclosing, path: str, speaker: str | None) -> None:
        super().__init__(enclosing, path)
        self.speaker = self.turn.name_of(speaker)
        #: The path in the journal of what it says to the person; None where only a call hears it.
        self.heard_at: str | None = None
        #: Whether the client says of each reply how it ended.
        self.tells_ends = False
        #: The calls of the newest reply whose arguments are no JSON object.
        self.unreadable: set[str] = set()

    def asker(self, ask: AskModel) -> AskModel:
        """Return what a client asks its model by: only for what that has not said yet."""

        def asks(
            *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **more: Any
        ) -> Any:
            given = {"messages": messages, "options": options, **more}
            if not stream:
                return self._whole(ask, given)
            shape = options.get("response_format")
            return ResponseStream(
                self._streamed(ask, given),
                finalizer=lambda found: ChatResponse.from_updates(found, output_format_type=shape),
            )

        return asks

    async def _whole(self, ask: AskModel, given: Mapping[str, Any]) -> ChatResponse[Any]:
        known = self._known()
        if known is None:
            with self.passing_trouble():
                known = await ask(stream=False, **given)
                assert known is not None
                await self._keep(known, given)
        await self._show_missing(known, given["options"])
        return known

    async def _streamed(
        self, ask: AskModel, given: Mapping[str, Any]
    ) -> AsyncIterator[ChatResponseUpdate]:
        known = self._known()
        if known is not None:
            for update in known.to_updates():
                yield update
        else:
            with self.passing_trouble():
                source = ask(stream=True, **given)
                stream = source if isinstance(source, ResponseStream) else await source
                async with stream:
                    async for update in stream:
                        # Calls are told at the end, with their ids as they are kept.
                        if said := [one for one in update.contents if one.type != "function_call"]:
                            fresh = copy(update)
                            fresh.contents = said
                            yield fresh
                    known = await stream.get_final_response()
                await self._keep(known, given)
            for update in _calls_alone(known):
                yield update
        self._mark_whole()
        await self._show_missing(known, given["options"])

    def _known(self) -> ChatResponse[Any] | None:
        """Return the next reply where it was kept. Raises Paused where no model may be asked."""
        kept = self.next_kept()
        if kept is None:
            return None
        with CODEC.reading("a reply of a model"):
            found: ChatResponse[Any] = ChatResponse(**kept)
        self._heard(found)
        return found

    async def _keep(self, response: ChatResponse[Any], given: Mapping[str, Any]) -> None:
        """Keep a reply that has come. Its calls get ids that no earlier call has: a model may give
        the same ones in each reply."""
        calls = list(_calls(response))
        if not (response.text or calls or self.count or _has_more_than_words(response)):
            raise ModelUnavailable("The reply of the model is empty.")
        if response.finish_reason is None and self.tells_ends:
            raise ModelUnavailable("The reply of the model broke off before its end.")
        if calls and not response.conversation_id:
            said = (message for message in given["messages"] if message.role == "assistant")
            taken = {one.call_id for message in said for one in message.contents}
            for call in calls:
                call.call_id = free_id(call.call_id or call.name or "call", taken)
        for number, call in enumerate(calls):
            call.id = f"{self.path}:{self.count}:{number}"
        body: JsonObject = {name: getattr(response, name) for name in _KEPT}
        body["messages"] = [message.to_dict() for message in response.messages]
        self._kept.append(json.loads(json.dumps(body, default=str)))
        self._heard(response)
        await self._tell_usage(response)

    def _heard(self, response: ChatResponse[Any]) -> None:
        self.count += 1
        self.unreadable = {
            str(call.call_id)
            for call in _calls(response)
            if isinstance(call.arguments, str) and object_in(call.arguments) is None
        }

    def _mark_whole(self) -> None:
        if self.heard_at is not None:
            self.turn.segment.env.journal.mark_whole(self.heard_at)

    async def _tell_usage(self, response: ChatResponse[Any]) -> None:
        used = response.usage_details or {}
        call = ModelCall(
            model=response.model,
            agent_name=self.speaker,
            input_tokens=int(used.get("input_token_count") or 0),
            output_tokens=int(used.get("output_token_count") or 0),
            cached_tokens=int(used.get("cache_read_input_token_count") or 0),
            reasoning_tokens=int(used.get("reasoning_output_token_count") or 0),
        )
        thought = "".join(
            one.text or ""
            for message in response.messages
            for one in message.contents
            if one.type == "text_reasoning"
        )
        await self.turn.segment.env.model_replied(call if used else None, thought, self.speaker)

    async def _show_missing(self, response: ChatResponse[Any], options: Mapping[str, Any]) -> None:
        """Show the calls of tools that are not there; the framework tells the model."""
        turn = self.turn
        there = {getattr(tool, "name", None) for tool in options.get("tools") or ()}
        for call in _calls(response):
            if call.name in there:
                continue
            arguments = call.parse_arguments() or {}
            key = self.key(str(call.call_id))
            try:
                await turn.toolbox.call(key, str(call.name), arguments, agent_name=self.speaker)
            except Exception as exc:
                raise self.enclosing.stop(exc) from exc


def _calls(response: ChatResponse[Any]) -> Iterator[Content]:
    """Yield the calls that are ours to make; the provider makes others."""
    for message in response.messages:
        for one in message.contents:
            if one.type == "function_call" and not (one.informational_only or one.hosted):
                yield one


def _calls_alone(response: ChatResponse[Any]) -> Iterator[ChatResponseUpdate]:
    for message in response.messages:
        calls = [one for one in message.contents if one.type == "function_call"]
        if calls:
            yield ChatResponseUpdate(
                contents=calls,
                role="assistant",
                message_id=message.message_id,
                finish_reason=response.finish_reason,
            )


def _has_more_than_words(response: ChatResponse[Any]) -> bool:
    found = [one.type for message in response.messages for one in message.contents]
    return any(kind not in ("text", "usage") for kind in found)
