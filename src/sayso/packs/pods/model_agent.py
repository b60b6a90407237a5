"""The same tools driven by a real model: `SAYSO_MODEL=openai:gpt-…`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sayso.packs.chosen_model import chosen_model

if TYPE_CHECKING:
    from pydantic_ai import Agent
    from pydantic_ai.models import Model

INSTRUCTIONS = """You look after the pods of a Kubernetes cluster.

When a person wants to see pods, call pods_list, or pods_top for what they use: their UIs show it
all, so say in a sentence or two what matters, and do not repeat the table. Before you delete a pod,
look it up with pods_get for its namespace and uid; where several fit, use request_user_input with
them as options. pods_delete asks the person itself, so never ask for permission in words, and never
say that something is deleted before the tool has said so. When a person refuses, take their reason
seriously. If the cluster is a sample, say that it is made up."""


def model_agent(
    model: str | Model, name: str, env: Mapping[str, str] = os.environ
) -> Agent[None, str]:
    """Return a Pydantic AI agent for these tools.

    Raises NotSupportedError where the extra is missing, or the model cannot be used.
    """
    chosen = chosen_model(model, env) if isinstance(model, str) else model
    from pydantic_ai import Agent

    return Agent(chosen, name=name, instructions=INSTRUCTIONS)
