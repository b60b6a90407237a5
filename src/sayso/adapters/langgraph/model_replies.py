"""The replies of models: their calls as the models wrote them, what each took, and what was thought
before it.

LangChain mends JSON that is cut off, and leaves out of the calls what is no object: a person would
be asked about arguments that no model gave, or the run would end without a word. So such a call
stays a call, and is marked: nobody is asked, and it never runs.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolCall
from langchain_core.outputs import ChatGeneration, LLMResult
from pydantic import JsonValue

from sayso.adapters.model_reply import free_id, object_in
from sayso.core.usage import ModelCall
from sayso.tools.segment_env import SegmentEnv

#: In a call's arguments: what the model wrote is no JSON object. With its first characters, for the
#: model itself.
UNREADABLE = "sayso_unreadable"
_SHOWN = 500


class WrittenCalls:
    """What the models of one segment write as the arguments of their calls."""

    def __init__(self) -> None:
        #: By run of a model: the text of each call, by its index in the reply.
        self._texts: dict[UUID, dict[int | str | None, list[str]]] = defaultdict(dict)
        self._ids: dict[UUID, dict[str, int | str | None]] = defaultdict(dict)

    def hear(self, run_id: UUID, message: BaseMessage) -> None:
        """Take a piece of a reply."""
        if not isinstance(message, AIMessageChunk):
            return
        for chunk in message.tool_call_chunks:
            index = chunk.get("index")
            if chunk["id"]:
                self._ids[run_id][chunk["id"]] = index
            self._texts[run_id].setdefault(index, []).append(chunk["args"] or "")

    def mark(self, run_id: UUID, message: BaseMessage) -> None:
        """Mark the calls of a whole reply that cannot be read."""
        texts, ids = self._texts.pop(run_id, {}), self._ids.pop(run_id, {})
        if not isinstance(message, AIMessage):
            return
        for call in message.tool_calls:
            written = "".join(texts.get(ids.get(call["id"] or ""), ()))
            if object_in(written) is None:
                call["args"] = {UNREADABLE: written[:_SHOWN]}
        for invalid in message.invalid_tool_calls:
            shown = {UNREADABLE: (invalid["args"] or "")[:_SHOWN]}
            name, id_ = invalid["name"] or "", invalid["id"]
            message.tool_calls.append(ToolCall(name=name, args=shown, id=id_, type="tool_call"))
        message.invalid_tool_calls.clear()
        seen: set[str] = set()
        for call in message.tool_calls:
            call["id"] = free_id(call["id"] or "", seen) or call["id"]


def is_unreadable(arguments: Mapping[str, JsonValue]) -> bool:
    """Tell whether these arguments were marked."""
    return set(arguments) == {UNREADABLE}


class ReplyWatch(AsyncCallbackHandler):
    """Tells of each reply of a model."""

    def __init__(self, env: SegmentEnv) -> None:
        self._env, self._loop = env, asyncio.get_running_loop()

    async def on_llm_end(self, response: LLMResult, **kwargs: Any) -> None:
        for generation in (one for many in response.generations for one in many):
            if isinstance(generation, ChatGeneration) and isinstance(generation.message, AIMessage):
                message = generation.message
                # One that was asked in a thread is told of in a loop of its own.
                is_here = asyncio.get_running_loop() is self._loop
                thought = _thought(message) if is_here else ""
                await self._env.model_replied(_call(message), thought, message.name)


def _call(message: AIMessage) -> ModelCall | None:
    used = message.usage_metadata
    if used is None:
        return None
    model = message.response_metadata.get("model_name")
    return ModelCall(
        model=model if isinstance(model, str) else None,
        agent_name=message.name,
        input_tokens=used["input_tokens"],
        output_tokens=used["output_tokens"],
        cached_tokens=used.get("input_token_details", {}).get("cache_read", 0),
        reasoning_tokens=used.get("output_token_details", {}).get("reasoning", 0),
    )


def _thought(message: AIMessage) -> str:
    blocks = [block for block in message.content_blocks if block["type"] == "reasoning"]
    return "\n\n".join(str(block.get("reasoning", "")) for block in blocks)
