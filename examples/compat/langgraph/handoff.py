"""An agent that another one hands over to."""

from langchain.agents import create_agent
from langchain.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command

from sayso import App, Rule, Verdict


@tool
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@tool
def to_payer() -> Command:
    """Hand over to the payer."""
    return Command(goto="payer", graph=Command.PARENT)


desk = create_agent("openai:gpt-5-mini", tools=[to_payer], name="desk")
payer = create_agent("openai:gpt-5-mini", tools=[pay], name="payer")
builder = StateGraph(MessagesState)
builder.add_node("desk", desk, destinations=("payer",))
builder.add_node("payer", payer)
builder.add_edge(START, "desk")
app = App(builder.compile(name="shop"), policies=[Rule(tool="pay", then=Verdict.ASK)])
PLAY = {
    "calls": [("to_payer", {}), ("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
