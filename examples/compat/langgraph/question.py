"""A call that a person answers."""

from langchain.agents import create_agent
from langchain.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import interrupt


@tool
def human_assistance(query: str) -> str:
    """Request assistance from a human."""
    human_response = interrupt({"query": query})
    return human_response["data"]


agent = create_agent(
    "openai:gpt-5-mini", tools=[human_assistance], checkpointer=InMemorySaver(), name="desk"
)
PLAY = {
    "calls": [("human_assistance", {"query": "Which size?"})],
    "answers": [{"data": "size 42"}],
    "says": "I was told: size 42",
}
