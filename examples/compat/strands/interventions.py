"""A handler that confirms, denies and changes calls."""

from strands import Agent, tool
from strands.interventions import Confirm, Deny, InterventionHandler, Proceed, Transform
from strands.models.openai import OpenAIModel


@tool
def transfer(amount: int) -> str:
    """Transfer money."""
    return f"transferred {amount}"


@tool
def close_account() -> str:
    """Close the account."""
    return "closed"


class Money(InterventionHandler):
    name = "money"

    def before_tool_call(self, event):
        if event.tool_use["name"] == "close_account":
            return Deny(reason="nobody may")
        if event.tool_use["input"]["amount"] > 100:
            return Confirm(prompt="Transfer that much?")
        return Proceed()

    def after_tool_call(self, event):
        def check(found):
            found.result["content"][0]["text"] += " (checked)"

        return Transform(apply=check)


model = OpenAIModel(model_id="gpt-5-mini")
agent = Agent(model=model, tools=[transfer, close_account], interventions=[Money()])
PLAY = {
    "calls": [("close_account", {}), ("transfer", {"amount": 500})],
    "answers": [{"decision": "approve"}],
    "says": "transferred 500 (checked)",
}
