"""A reply of a model: whether it is whole, what it took, and what the model thought before it."""

from __future__ import annotations

from pydantic_ai.messages import ModelResponse, ThinkingPart

from sayso.adapters.model_reply import free_id
from sayso.core.errors import ModelUnavailable
from sayso.core.usage import ModelCall
from sayso.tools.segment_env import SegmentEnv

#: The providers whose word for how a reply ended the framework keeps as they gave it.
_SAY_THE_END = {"openai", "azure", "openrouter", "anthropic", "groq", "mistral"}


def whole(response: ModelResponse) -> ModelResponse:
    """Return the reply, each of its calls under an id of its own. Raises ModelUnavailable where it
    broke off: a provider says how each of its replies ended, and half of one is no answer."""
    said = response.provider_details or {}
    if response.provider_name in _SAY_THE_END and response.parts and "finish_reason" not in said:
        raise ModelUnavailable("The reply of the model broke off before its end.")
    seen: set[str] = set()
    for call in response.tool_calls:
        call.tool_call_id = free_id(call.tool_call_id, seen)
    return response


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
