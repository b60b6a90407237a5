"""Callbacks that change a call and its result."""

from typing import Any

from google.adk.agents import Agent
from google.adk.tools import BaseTool, ToolContext

from sayso import App, Rule, Verdict


def pay(amount: int, currency: str = "EUR") -> dict[str, Any]:
    """Pay."""
    return {"result": f"paid {amount} {currency}"}


def before(
    tool: BaseTool, args: dict[str, Any], tool_context: ToolContext
) -> dict[str, Any] | None:
    if tool.name == "pay" and args.get("currency") == "XXX":
        return {"result": "blocked"}
    args["currency"] = "SEK"
    return None


def after(
    tool: BaseTool, args: dict[str, Any], tool_context: ToolContext, tool_response: dict[str, Any]
) -> dict[str, Any] | None:
    return {"result": tool_response["result"] + " (checked)"}


agent = Agent(
    name="desk",
    model="gemini-2.5-flash",
    instruction="Pay.",
    tools=[pay],
    before_tool_callback=before,
    after_tool_callback=after,
)
app = App(agent, policies=[Rule(tool="pay", then=Verdict.ASK)])
PLAY = {
    "calls": [("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7 SEK (checked)",
}
