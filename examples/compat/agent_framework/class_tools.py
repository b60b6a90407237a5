"""Tools of a class."""

from typing import Annotated

from agent_framework import Agent, tool
from agent_framework.openai import OpenAIChatClient
from pydantic import BaseModel, Field


class Line(BaseModel):
    sku: str
    count: int = 1


class Shop:
    def __init__(self) -> None:
        self.stock = {"A1": 3}

    @tool(approval_mode="always_require")
    def order(
        self, lines: Annotated[list[Line], Field(description="What to order")], rush: bool = False
    ) -> str:
        """Order."""
        return f"ordered {len(lines)}"

    @tool(approval_mode="never_require")
    def look(self, sku: Annotated[str, Field(description="Which")]) -> int:
        """Look."""
        return self.stock[sku]


shop = Shop()
agent = Agent(
    OpenAIChatClient(model="gpt-5-mini"), "You order.", name="desk", tools=[shop.order, shop.look]
)
PLAY = {
    "calls": [("look", {"sku": "B2"}), ("order", {"lines": [{"sku": "A1"}]})],
    "answers": [{"decision": "approve"}],
    "says": "ordered 1",
}
