"""Middleware around the model and the tools."""

import time
from collections.abc import Awaitable, Callable

from agent_framework import (
    Agent,
    AgentContext,
    AgentMiddleware,
    ChatContext,
    FunctionInvocationContext,
    FunctionMiddleware,
    chat_middleware,
)
from agent_framework.openai import OpenAIChatClient

from sayso import App, Rule, Verdict


def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


class SecurityAgentMiddleware(AgentMiddleware):
    async def process(self, context: AgentContext, call_next: Callable[[], Awaitable[None]]):
        last = context.messages[-1] if context.messages else None
        if last and last.text and "password" in last.text.lower():
            return
        await call_next()


class LoggingFunctionMiddleware(FunctionMiddleware):
    async def process(
        self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]
    ):
        started = time.monotonic()
        await call_next()
        print(f"{context.function.name}: {time.monotonic() - started} s")


@chat_middleware
async def count_messages(context: ChatContext, call_next: Callable[[], Awaitable[None]]):
    print(len(context.messages))
    await call_next()


agent = Agent(
    client=OpenAIChatClient(model="gpt-5-mini"),
    name="desk",
    tools=[pay],
    middleware=[SecurityAgentMiddleware(), LoggingFunctionMiddleware(), count_messages],
)
app = App(agent, policies=[Rule(tool="pay", then=Verdict.ASK)])
PLAY = {
    "calls": [("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
