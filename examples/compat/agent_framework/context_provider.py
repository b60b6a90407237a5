"""A provider that adds instructions and tools to each turn."""

from typing import Any

from agent_framework import Agent, AgentSession, ContextProvider, SessionContext, tool
from agent_framework.openai import OpenAIChatClient


@tool(approval_mode="always_require")
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


class Payments(ContextProvider):
    async def before_run(
        self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        state["turns"] = state.get("turns", 0) + 1
        context.extend_instructions(self.source_id, "Pay what is due.")
        context.extend_tools(self.source_id, [pay])


agent = Agent(
    client=OpenAIChatClient(model="gpt-5-mini"),
    name="desk",
    context_providers=[Payments("payments")],
)
PLAY = {
    "calls": [("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
