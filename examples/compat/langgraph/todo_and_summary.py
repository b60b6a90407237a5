"""Ready-made middleware: a list of what is to be done, a summary, a limit of calls."""

from langchain.agents import create_agent
from langchain.agents.middleware import (
    ModelCallLimitMiddleware,
    SummarizationMiddleware,
    TodoListMiddleware,
    dynamic_prompt,
)
from langchain.tools import tool

from sayso import App, Rule, Verdict


@tool
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@dynamic_prompt
def prompt(request):
    return f"You have {len(request.messages)} messages."


agent = create_agent(
    "openai:gpt-5-mini",
    tools=[pay],
    middleware=[
        TodoListMiddleware(),
        SummarizationMiddleware(model="openai:gpt-5-mini", trigger=("messages", 50)),
        ModelCallLimitMiddleware(run_limit=9),
        prompt,
    ],
    name="desk",
)
app = App(agent, policies=[Rule(tool="pay", then=Verdict.ASK)])
PLAY = {
    "calls": [
        ("write_todos", {"todos": [{"content": "pay", "status": "in_progress"}]}),
        ("pay", {"amount": 7}),
    ],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
