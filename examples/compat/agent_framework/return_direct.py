"""A tool whose result is the answer."""

from collections.abc import Awaitable, Callable

from agent_framework import Agent, FunctionInvocationContext, MiddlewareTermination
from agent_framework.openai import OpenAIChatClient


def opening_hours() -> str:
    """Say when the shop is open."""
    return "Nine to five."


async def end_on_result(
    context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]
) -> None:
    await call_next()
    raise MiddlewareTermination(result=context.result)


agent = Agent(
    client=OpenAIChatClient(model="gpt-5-mini"),
    name="desk",
    tools=[opening_hours],
    middleware=[end_on_result],
)
PLAY = {"calls": [("opening_hours", {})], "says": "Nine to five."}
