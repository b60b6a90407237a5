"""Guardrails around an agent, one of which asks another agent."""

from typing import Any

from agents import (
    Agent,
    GuardrailFunctionOutput,
    RunContextWrapper,
    Runner,
    function_tool,
    input_guardrail,
    output_guardrail,
    set_default_openai_api,
)

set_default_openai_api("chat_completions")
judge = Agent(name="judge", model="gpt-5-mini", instructions="Is this homework?")


@input_guardrail
async def no_homework(
    context: RunContextWrapper[Any], agent: Agent[Any], said: Any
) -> GuardrailFunctionOutput:
    result = await Runner.run(judge, said, context=context.context)
    return GuardrailFunctionOutput(result.final_output, tripwire_triggered=False)


@output_guardrail
async def no_secret(
    context: RunContextWrapper[Any], agent: Agent[Any], said: Any
) -> GuardrailFunctionOutput:
    return GuardrailFunctionOutput(None, tripwire_triggered="secret" in said)


@function_tool(needs_approval=True)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


agent = Agent(
    name="desk",
    model="gpt-5-mini",
    tools=[pay],
    input_guardrails=[no_homework],
    output_guardrails=[no_secret],
)
PLAY = {
    "calls": [("pay", {"amount": 7})],
    "answers": [{"decision": "approve"}],
    "says": "paid 7",
}
