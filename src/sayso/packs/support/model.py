"""The same desk driven by a real model: `SAYSO_MODEL=openai:gpt-… sayso demo`.

Any OpenAI-compatible server will do: `SAYSO_MODEL=openai:its-model` and `SAYSO_MODEL_BASE_URL`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sayso import NotSupportedError, Rule, Verdict

if TYPE_CHECKING:
    from pydantic_ai import Agent
    from pydantic_ai.models import Model

INSTRUCTIONS = """You are the support desk of a small shop that sells boxes by the month.

Look an order up before you speak about it. Say in a sentence what you are about to do, then call
the tool: where a person has to agree, the tool asks them itself, so never ask for permission in
words, and never say that something is done before the tool has said so. When a person refuses,
take their reason seriously. When you do not know which order is meant, use request_user_input
with the person's orders as options. Amounts are euros."""

#: A model may get an address wrong, so here a person sees it first.
MODEL_POLICIES = (Rule(tool="change_delivery", then=Verdict.ASK),)


def model_agent(model: str | Model, env: Mapping[str, str] = os.environ) -> Agent[None, str]:
    """A Pydantic AI agent for the support desk's tools.

    Raises NotSupportedError where the extra is missing, or the model cannot be used.
    """
    try:
        from pydantic_ai import Agent
        from pydantic_ai.exceptions import UserError
    except ImportError as exc:
        raise NotSupportedError(
            "SAYSO_MODEL is set, but pydantic-ai is not installed.",
            fix="Install it with `pip install 'sayso[pydantic-ai]'`, or unset SAYSO_MODEL.",
        ) from exc
    try:
        chosen = _model(model, env) if isinstance(model, str) else model
        return Agent(chosen, name="support_desk", instructions=INSTRUCTIONS)
    except (UserError, ImportError, ValueError) as exc:
        raise NotSupportedError(
            f"The model '{model}' cannot be used: {exc}",
            fix="Write SAYSO_MODEL as provider:name (openai:gpt-…), set its key "
            "(OPENAI_API_KEY …), or unset SAYSO_MODEL to use the desk without a model.",
        ) from exc


def _model(model: str, env: Mapping[str, str]) -> Model | str:
    base_url = env.get("SAYSO_MODEL_BASE_URL") or env.get("OPENAI_BASE_URL")
    provider, _, name = model.rpartition(":")
    if not base_url or provider not in ("", "openai", "openai-chat"):
        from pydantic_ai.models import infer_model

        return infer_model(model)
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    # Local servers want no key, but the client wants one to send.
    key = env.get("SAYSO_MODEL_API_KEY") or env.get("OPENAI_API_KEY") or "none"
    return OpenAIChatModel(name, provider=OpenAIProvider(base_url=base_url, api_key=key))
