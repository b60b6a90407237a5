"""A tool that asks before it acts, in one of several ways."""

from typing import Any

from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import interrupt


@tool
def query(sql: str) -> str:
    """Ask the database."""
    response: Any = interrupt({"action": "query", "args": {"sql": sql}, "description": "Review it"})
    if response["type"] == "accept":
        return f"3 rows of {sql}"
    if response["type"] == "edit":
        return f"3 rows of {response['args']['sql']}"
    return "left alone"


model = init_chat_model("openai:gpt-5-mini")
agent = create_agent(model, tools=[query], name="desk", checkpointer=InMemorySaver())
PLAY = {
    "calls": [("query", {"sql": "select 1"})],
    "answers": [{"type": "accept"}],
    "says": "3 rows of select 1",
}
