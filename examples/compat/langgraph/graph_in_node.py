"""An agent that a node calls, with a tool that needs approval."""

from langchain.agents import create_agent
from langchain.tools import tool
from langgraph.graph import START, MessagesState, StateGraph

from sayso import App, Rule, Verdict


@tool
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


payer = create_agent("openai:gpt-5-mini", tools=[pay], name="payer")


def call_payer(state: MessagesState) -> dict:
    response = payer.invoke({"messages": state["messages"]})
    return {"messages": response["messages"][-1]}


builder = StateGraph(MessagesState)
builder.add_node("call_payer", call_payer)
builder.add_edge(START, "call_payer")
app = App(builder.compile(name="shop"), policies=[Rule(tool="pay", then=Verdict.ASK)])
PLAY = {
    "calls": [("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
