"""An answer that is an object, by the provider's schema."""

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient
from pydantic import BaseModel


class Receipt(BaseModel):
    order: str
    ok: bool


agent = AssistantAgent(
    name="desk",
    model_client=OpenAIChatCompletionClient(model="gpt-5-mini"),
    output_content_type=Receipt,
)
PLAY = {
    "answer": '{"order":"A1","ok":true}',
    "says": '"order":"A1"',
}
