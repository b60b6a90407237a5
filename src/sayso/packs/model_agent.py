"""The model that SAYSO_MODEL names, and an agent of it, for the packs that can do with one.

Any OpenAI-compatible server will do: `SAYSO_MODEL=openai:its-model` and `SAYSO_MODEL_BASE_URL`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sayso import NotSupportedError

if TYPE_CHECKING:
    from pydantic_ai import Agent
    from pydantic_ai.models import Model


def model_agent(
    model: str, name: str, instructions: str, env: Mapping[str, str] = os.environ
) -> Agent[None, str]:
    """Return a Pydantic AI agent that is told this; the application gives it its tools.

    Raises NotSupportedError as `chosen_model` does.
    """
    chosen = chosen_model(model, env)
    from pydantic_ai import Agent

    return Agent(chosen, name=name, instructions=instructions)


def chosen_model(name: str, env: Mapping[str, str] = os.environ) -> Model:
    """Return the model of this name. Raises NotSupportedError where the extra is missing, or the
    model cannot be used."""
    try:
        from pydantic_ai import UserError
    except ImportError as exc:
        raise NotSupportedError(
            "SAYSO_MODEL is set, but pydantic-ai is not installed.",
            fix="Install it with `pip install 'sayso[pydantic-ai]'`, or unset SAYSO_MODEL.",
        ) from exc
    try:
        return _model(name, env)
    except (UserError, ImportError, ValueError) as exc:
        raise NotSupportedError(
            f"The model '{name}' cannot be used: {exc}",
            fix="Write SAYSO_MODEL as provider:name (openai:gpt-…), set its key "
            "(OPENAI_API_KEY …), or unset SAYSO_MODEL to do without a model.",
        ) from exc


def _model(model: str, env: Mapping[str, str]) -> Model:
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
