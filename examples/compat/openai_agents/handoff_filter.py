"""A handoff with an input, a filter and a function."""

from typing import Any

from agents import Agent, RunContextWrapper, function_tool, handoff, set_default_openai_api
from agents.extensions import handoff_filters
from agents.extensions.handoff_prompt import RECOMMENDED_PROMPT_PREFIX
from pydantic import BaseModel

set_default_openai_api("chat_completions")


class Escalation(BaseModel):
    reason: str


async def on_handoff(context: RunContextWrapper[Any], data: Escalation) -> None:
    print(data.reason)


@function_tool(needs_approval=True)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


payer = Agent(name="payer", model="gpt-5-mini", instructions=RECOMMENDED_PROMPT_PREFIX, tools=[pay])
agent = Agent(
    name="desk",
    model="gpt-5-mini",
    handoffs=[
        handoff(
            payer,
            on_handoff=on_handoff,
            input_type=Escalation,
            input_filter=handoff_filters.remove_all_tools,
            tool_name_override="escalate",
        )
    ],
)
PLAY = {
    "calls": [("escalate", {"reason": "money"}), ("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
