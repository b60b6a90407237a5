"""Tools of a workbench that keeps state, with a tool of a class."""

from autogen_agentchat.agents import AssistantAgent
from autogen_core import CancellationToken
from autogen_core.tools import BaseTool, StaticWorkbench
from autogen_ext.models.openai import OpenAIChatCompletionClient
from pydantic import BaseModel

from sayso import App, Rule, Verdict


class Args(BaseModel):
    amount: int


class Result(BaseModel):
    said: str


class Pay(BaseTool[Args, Result]):
    def __init__(self) -> None:
        super().__init__(Args, Result, "pay", "Pay.")

    async def run(self, args: Args, cancellation_token: CancellationToken) -> Result:
        return Result(said=f"paid {args.amount}")


model = OpenAIChatCompletionClient(model="gpt-5-mini")
agent = AssistantAgent(
    "desk", model_client=model, workbench=StaticWorkbench([Pay()]), reflect_on_tool_use=True
)
app = App(agent, policies=[Rule(tool="pay", then=Verdict.ASK)])
PLAY = {"calls": [("pay", {"amount": 7})], "answers": [{"decision": "approve"}], "says": "paid 7"}
