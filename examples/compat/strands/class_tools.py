"""Tools of a class."""

import asyncio
from collections.abc import AsyncIterator

from strands import Agent, tool
from strands.models.openai import OpenAIModel

from sayso import App, Rule, Verdict


class Bank:
    def __init__(self) -> None:
        self.paid = 0

    @tool
    def pay(self, amount: int) -> str:
        """Pay."""
        self.paid += amount
        return f"paid {self.paid}"

    @tool
    async def audit(self) -> AsyncIterator[str]:
        """Audit."""
        yield "half"
        await asyncio.sleep(0)
        yield "audited"


bank = Bank()
agent = Agent(
    model=OpenAIModel(model_id="gpt-5-mini"), tools=[bank.pay, bank.audit], callback_handler=None
)
app = App(agent, policies=[Rule(tool="pay", then=Verdict.ASK)])
PLAY = {
    "calls": [("audit", {}), ("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
