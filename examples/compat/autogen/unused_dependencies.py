"""Dependencies that nobody takes."""

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient

from sayso import App

desk = AssistantAgent("desk", model_client=OpenAIChatCompletionClient(model="gpt-5-mini"))
app = App(desk, deps={"shop": "Bergen"})
PLAY = {"refused": True}
