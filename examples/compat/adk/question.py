"""A call that a person answers."""

from google.adk.agents import Agent
from google.adk.tools.get_user_choice_tool import get_user_choice_tool

agent = Agent(name="desk", model="gemini-2.5-flash", tools=[get_user_choice_tool])
PLAY = {
    "calls": [("get_user_choice", {"options": ["red", "blue"]})],
    "answers": [{"selected_option": "blue"}],
    "says": "blue",
}
