"""The older prebuilt agent."""

from langgraph.prebuilt import create_react_agent

from sayso import App, Rule, Verdict


def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


agent = create_react_agent("openai:gpt-5-mini", tools=[pay], name="desk")
app = App(agent, policies=[Rule(tool="pay", then=Verdict.ASK)])
PLAY = {
    "calls": [("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
