"""A tool whose result is the answer."""

from strands import Agent
from strands.models.openai import OpenAIModel
from strands.vended_tools.stop import stop

agent = Agent(model=OpenAIModel(model_id="gpt-5-mini"), tools=[stop])
PLAY = {"calls": [("stop", {"message": "A1 is on its way"})], "says": "A1 is on its way"}
