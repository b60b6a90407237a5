"""An agent that hands over to the person."""

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.base import Handoff
from autogen_agentchat.conditions import HandoffTermination, TextMentionTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_ext.models.openai import OpenAIChatCompletionClient

lazy = AssistantAgent(
    "lazy_assistant",
    model_client=OpenAIChatCompletionClient(model="gpt-5-mini"),
    handoffs=[Handoff(target="user", message="Transfer to user.")],
    system_message="If you cannot complete the task, transfer to user. "
    "Otherwise, when finished, respond with 'TERMINATE'.",
)
ends = HandoffTermination(target="user") | TextMentionTermination("TERMINATE")
agent = RoundRobinGroupChat([lazy], termination_condition=ends)
PLAY = {
    "calls": [("transfer_to_user", {})],
    "answers": [{"additional_notes": "The weather in Bergen is fine. TERMINATE"}],
    "says": "Transfer to user.",
}
