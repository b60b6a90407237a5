"""Tools of a class."""

from ag2 import Agent
from ag2.config import OpenAIConfig

from sayso import App, Rule, Verdict


class Bank:
    def __init__(self) -> None:
        self.name = "north"

    def pay(self, amount: int) -> str:
        """Pay."""
        return f"{self.name} paid {amount}"


agent = Agent(
    "desk", "You pay.", config=OpenAIConfig("gpt-5-mini", streaming=True), tools=[Bank().pay]
)
app = App(agent, policies=[Rule(tool="pay", then=Verdict.ASK)])
PLAY = {
    "calls": [("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "north paid 7",
}
