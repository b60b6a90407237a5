"""The same desk driven by a real model: `SAYSO_MODEL=openai:gpt-… sayso demo`.

Any OpenAI-compatible server will do: `SAYSO_MODEL=openai:its-model` and `SAYSO_MODEL_BASE_URL`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sayso import Rule, Verdict
from sayso.packs.chosen_model import chosen_model

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
    """Return a Pydantic AI agent for the support desk's tools.

    Raises NotSupportedError where the extra is missing, or the model cannot be used.
    """
    chosen = chosen_model(model, env) if isinstance(model, str) else model
    from pydantic_ai import Agent

    return Agent(chosen, name="support_desk", instructions=INSTRUCTIONS)
