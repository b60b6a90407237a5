"""A tool that asks the model to try again."""

from pydantic_ai import Agent, ModelRetry

agent = Agent("openai-chat:gpt-5-mini", name="desk")
seen: list[str] = []


@agent.tool_plain(retries=2)
def find(name: str) -> str:
    """Find someone."""
    seen.append(name)
    if len(seen) == 1:
        raise ModelRetry("Give the full name.")
    return f"found {name}"


PLAY = {"calls": [("find", {"name": "Ada"})], "says": "Give the full name."}
