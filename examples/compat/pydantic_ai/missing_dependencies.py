"""Dependencies that nobody gives."""

from dataclasses import dataclass

from pydantic_ai import Agent


@dataclass
class Shop:
    name: str


agent = Agent("openai-chat:gpt-5-mini", name="desk", deps_type=Shop)
PLAY = {"refused": True}
