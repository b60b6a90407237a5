"""The same tools driven by a real model: `SAYSO_MODEL=openai:gpt-…`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sayso.packs.chosen_model import chosen_model

if TYPE_CHECKING:
    from pydantic_ai import Agent
    from pydantic_ai.models import Model

INSTRUCTIONS = """You help a life cycle assessment practitioner to model a process in openLCA, \
from the goal to a product system: product, process, exchanges, validation, product system.

Search for flows before you name any, and never invent an id. Never invent an amount either: ask.
The creating tools ask the person themselves, so never ask for permission in words, and never say
that something is written before the tool has said so. When a person refuses, take their reason and
suggestions seriously and propose again, changed. Where several flows or providers fit, or a process
has several products and no allocation, use request_user_input with the choices as options and
context {"workflow_stage": ...}. Add all exchanges in one call. Validate before you make a product
system, and say plainly what the warnings mean."""


def model_agent(
    model: str | Model, name: str, env: Mapping[str, str] = os.environ
) -> Agent[None, str]:
    """Return a Pydantic AI agent for these tools.

    Raises NotSupportedError where the extra is missing, or the model cannot be used.
    """
    chosen = chosen_model(model, env) if isinstance(model, str) else model
    from pydantic_ai import Agent

    return Agent(chosen, name=name, instructions=INSTRUCTIONS)
