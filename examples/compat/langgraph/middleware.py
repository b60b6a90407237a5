"""Middleware around the model and the tools."""

from langchain.agents import create_agent
from langchain.agents.middleware import (
    ModelRequest,
    ToolCallLimitMiddleware,
    before_model,
    wrap_model_call,
    wrap_tool_call,
)
from langchain.messages import ToolMessage
from langchain.tools import tool

from sayso import App, Rule, Verdict


@tool
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@before_model
def log(state, runtime):
    return None


@wrap_model_call
def choose_model(request: ModelRequest, handler):
    return handler(request.override(model=request.model))


@wrap_tool_call
def handle_tool_errors(request, handler):
    try:
        return handler(request)
    except Exception as e:
        return ToolMessage(content=f"Tool error: {e}", tool_call_id=request.tool_call["id"])


agent = create_agent(
    "openai:gpt-5-mini",
    tools=[pay],
    middleware=[log, choose_model, handle_tool_errors, ToolCallLimitMiddleware(run_limit=3)],
    name="desk",
)
app = App(agent, policies=[Rule(tool="pay", then=Verdict.ASK)])
PLAY = {
    "calls": [("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
