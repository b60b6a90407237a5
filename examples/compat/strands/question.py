"""A call that a person answers."""

from strands import Agent
from strands.models.openai import OpenAIModel
from strands.vended_tools.handoff_to_user import handoff_to_user

agent = Agent(model=OpenAIModel(model_id="gpt-5-mini"), tools=[handoff_to_user])
PLAY = {
    "calls": [("handoff_to_user", {"message": "Which size?"})],
    "answers": [{"additional_notes": "size 42"}],
    "says": "I was told: size 42",
}
