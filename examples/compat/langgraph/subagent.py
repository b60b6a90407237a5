"""An agent that a tool runs, with a tool that needs approval."""

from langchain.agents import create_agent
from langchain.tools import tool

from sayso import App, Rule, Verdict


@tool
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


payer = create_agent("openai:gpt-5-mini", tools=[pay], name="payer")


@tool
def let_pay(request: str) -> str:
    """Let the payer pay."""
    result = payer.invoke({"messages": [{"role": "user", "content": request}]})
    return result["messages"][-1].text


agent = create_agent("openai:gpt-5-mini", tools=[let_pay], name="desk")
app = App(agent, policies=[Rule(tool="pay", then=Verdict.ASK)])
PLAY = {
    "calls": [("let_pay", {"request": "Pay 7"}), ("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
