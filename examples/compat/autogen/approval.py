"""A tool that needs approval."""

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient

from sayso import App, Rule, Verdict


async def delete_file(path: str) -> str:
    """Delete a file."""
    return f"File {path!r} deleted"


agent = AssistantAgent(
    name="desk",
    model_client=OpenAIChatCompletionClient(model="gpt-5-mini"),
    tools=[delete_file],
    reflect_on_tool_use=True,
    model_client_stream=True,
)
app = App(agent, policies=[Rule(tool="delete_file", then=Verdict.ASK)])
PLAY = {
    "calls": [("delete_file", {"path": ".env"})],
    "answers": [{"decision": "approve"}],
    "says": "'.env' deleted",
}
