"""A call that a person answers."""

from autogen_agentchat.agents import AssistantAgent, UserProxyAgent
from autogen_agentchat.conditions import TextMentionTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_ext.models.openai import OpenAIChatCompletionClient

assistant = AssistantAgent(
    "assistant",
    model_client=OpenAIChatCompletionClient(model="gpt-5-mini"),
    model_client_stream=True,
)
person = UserProxyAgent("user_proxy", input_func=input)
agent = RoundRobinGroupChat(
    [assistant, person], termination_condition=TextMentionTermination("APPROVE")
)
PLAY = {
    "answer": "A poem about the sea.",
    "answers": [{"additional_notes": "shorter"}, {"additional_notes": "APPROVE"}],
    "says": "A poem about the sea.",
}
