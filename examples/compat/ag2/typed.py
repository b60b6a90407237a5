"""A tool that takes objects, and raises."""

from ag2 import Agent, tool
from ag2.config import OpenAIConfig
from pydantic import BaseModel

from sayso import App, Rule, Verdict


class Line(BaseModel):
    sku: str
    count: int = 1


@tool
def order(lines: list[Line], rush: bool = False) -> str:
    """Order."""
    if not lines:
        raise ValueError("nothing to order")
    return f"ordered {lines[0].sku} x {lines[0].count}"


agent = Agent(
    "desk", "You order.", config=OpenAIConfig("gpt-5-mini", streaming=True), tools=[order]
)
app = App(agent, policies=[Rule(tool="order", then=Verdict.ASK)])
PLAY = {
    "calls": [("order", {"lines": [{"sku": "A1"}]})],
    "answers": [{"decision": "approve"}],
    "says": "ordered A1 x 1",
}
