"""What the replies of models took, and what the models thought before them: LangChain tells its
callbacks of each, wherever in the graph it is asked for."""

from __future__ import annotations

import asyncio
from typing import Any

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, LLMResult

from sayso.core.usage import ModelCall
from sayso.tools.segment_env import SegmentEnv


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
