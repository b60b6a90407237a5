"""A tool that changes the graph's state by a Command."""

from langchain.agents import AgentState, create_agent
from langchain.messages import ToolMessage
from langchain.tools import ToolRuntime, tool
from langgraph.types import Command

from sayso import App, Rule, Verdict


class DeskState(AgentState):
    paid: int


@tool
def pay(amount: int, runtime: ToolRuntime) -> Command:
    """Pay."""
    return Command(
        update={
            "paid": amount,
            "messages": [ToolMessage(f"paid {amount}", tool_call_id=runtime.tool_call_id)],
        }
    )


@tool
def total(runtime: ToolRuntime) -> str:
    """What was paid."""
    return f"in all {runtime.state.get('paid')}"


agent = create_agent("openai:gpt-5-mini", tools=[pay, total], state_schema=DeskState, name="desk")
app = App(agent, policies=[Rule(tool="pay", then=Verdict.ASK)])
PLAY = {
    "calls": [("pay", {"amount": 7}), ("total", {})],
    "answers": [{"decision": "approve"}],
    "says": "in all 7",
}
