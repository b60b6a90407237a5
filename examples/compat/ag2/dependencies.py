"""What the application gives the agent's tools."""

from typing import Annotated

from ag2 import Agent, Inject, tool
from ag2.config import OpenAIConfig
from ag2.middleware import approval_required

from sayso import App


class Shop:
    name = "Bergen"


@tool(middleware=[approval_required()])
def order(what: str, shop: Annotated[Shop, Inject(Shop)]) -> str:
    """Order something."""
    return f"ordered {what} in {shop.name}"


desk = Agent("desk", config=OpenAIConfig("gpt-5-mini", streaming=True), tools=[order])
app = App(desk, deps={Shop: Shop()})
PLAY = {
    "calls": [("order", {"what": "tea"})],
    "answers": [{"decision": "approve"}],
    "says": "ordered tea in Bergen",
}
