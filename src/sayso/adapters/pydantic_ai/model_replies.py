"""What a reply of a model took, and what the model thought before it."""

from __future__ import annotations

from pydantic_ai.messages import ModelResponse, ThinkingPart

from sayso.core.usage import ModelCall
from sayso.tools.segment_env import SegmentEnv


async def tell_reply(env: SegmentEnv, response: ModelResponse, agent_name: str) -> None:
    used = response.usage
    call = ModelCall(
        model=response.model_name,
        agent_name=agent_name,
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        cached_tokens=used.cache_read_tokens,
        reasoning_tokens=used.details.get("reasoning_tokens", 0),
    )
    thought = [part.content for part in response.parts if isinstance(part, ThinkingPart)]
    await env.model_replied(call if used.has_values() else None, "\n\n".join(thought), agent_name)
