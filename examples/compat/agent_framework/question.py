"""A call that a person answers."""

from agent_framework import Agent, FunctionTool
from agent_framework.openai import OpenAIChatCompletionClient

ask_size = FunctionTool(
    name="ask_size",
    description="Ask the customer for the size.",
    func=None,  # declared here, done by whoever runs the agent
    input_model={"type": "object", "properties": {"question": {"type": "string"}}},
)
agent = Agent(client=OpenAIChatCompletionClient(model="gpt-5-mini"), name="desk", tools=[ask_size])
PLAY = {
    "calls": [("ask_size", {"question": "Which size?"})],
    "answers": [{"additional_notes": "size 42"}],
    "says": "I was told: size 42",
}
