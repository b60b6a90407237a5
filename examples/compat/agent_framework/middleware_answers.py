"""Middleware that answers in place of the agent."""

from collections.abc import Awaitable, Callable

from agent_framework import Agent, AgentContext, AgentMiddleware, AgentResponse, Message
from agent_framework import MiddlewareTermination as Termination
from agent_framework.openai import OpenAIChatClient


class BlockWords(AgentMiddleware):
    def __init__(self, *words: str) -> None:
        self.words = words

    async def process(self, context: AgentContext, call_next: Callable[[], Awaitable[None]]):
        if any(word in context.messages[-1].text.lower() for word in self.words):
            refusal = Message("assistant", ["I do not talk about that."])
            context.result = AgentResponse(messages=[refusal])
            raise Termination(result=context.result)
        await call_next()


agent = Agent(
    client=OpenAIChatClient(model="gpt-5-mini"), name="desk", middleware=[BlockWords("password")]
)
PLAY = {"words": "My password is 123", "says": "I do not talk about that."}
