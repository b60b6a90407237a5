"""An answer that a function makes."""

from pydantic_ai import Agent


def shout(words: str) -> str:
    """Say it loud."""
    return words.upper()


agent = Agent("openai-chat:gpt-5-mini", name="desk", output_type=shout)
PLAY = {"calls": [("final_result", {"words": "hello"})], "says": "HELLO"}
