"""An agent of one's own class, in a team with another."""

from collections.abc import Sequence

from autogen_agentchat.agents import AssistantAgent, BaseChatAgent
from autogen_agentchat.base import Response
from autogen_agentchat.messages import BaseChatMessage, TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import CancellationToken
from autogen_ext.models.openai import OpenAIChatCompletionClient

from sayso import App, Rule, Verdict


class Countdown(BaseChatAgent):
    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        return (TextMessage,)

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken
    ) -> Response:
        inner = [TextMessage(content=f"{n}... ", source=self.name) for n in (3, 2, 1)]
        done = TextMessage(content="Done!", source=self.name)
        return Response(chat_message=done, inner_messages=inner)

    async def on_reset(self, cancellation_token: CancellationToken) -> None: ...


def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


model = OpenAIChatCompletionClient(model="gpt-5-mini")
payer = AssistantAgent("payer", model_client=model, tools=[pay], reflect_on_tool_use=True)
team = RoundRobinGroupChat([payer, Countdown("counter", "Counts down.")], max_turns=2)
app = App(team, policies=[Rule(tool="pay", then=Verdict.ASK)])
PLAY = {
    "calls": [("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "3... 2... 1... Done!",
}
