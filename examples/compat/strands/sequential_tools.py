"""Tools that run one after another."""

from strands import Agent, tool
from strands.models.openai import OpenAIModel
from strands.tools.executors import SequentialToolExecutor
from strands.vended_interventions.hitl import HumanInTheLoop


@tool
def reserve(what: str) -> str:
    """Reserve something."""
    return f"reserved {what}"


@tool
async def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


agent = Agent(
    model=OpenAIModel(model_id="gpt-5-mini"),
    tools=[reserve, pay],
    tool_executor=SequentialToolExecutor(),
    interventions=[HumanInTheLoop()],
)
PLAY = {
    "calls": [("reserve", {"what": "a room"}), ("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}, {"decision": "approve"}],
    "says": "paid 7",
}
