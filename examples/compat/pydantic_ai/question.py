"""A call that a person answers."""

from pydantic_ai import Agent, CallDeferred, DeferredToolRequests

agent = Agent("openai-chat:gpt-5-mini", name="desk", output_type=[str, DeferredToolRequests])


@agent.tool_plain
def ask_owner(question: str) -> str:
    """Ask the owner."""
    raise CallDeferred


PLAY = {
    "calls": [("ask_owner", {"question": "Which size?"})],
    "answers": [{"additional_notes": "size 42"}],
    "says": "I was told: size 42",
}
