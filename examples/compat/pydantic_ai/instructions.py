"""Instructions that a function makes, and a limit of usage within a tool's agent."""

from pydantic_ai import Agent, RunContext, UsageLimits

writer = Agent("openai-chat:gpt-5-mini", name="writer", output_type=str)
agent = Agent("openai-chat:gpt-5-mini", name="desk")


@agent.instructions
def today(ctx: RunContext) -> str:
    return "It is Monday."


@agent.system_prompt
def polite() -> str:
    return "Be polite."


@agent.tool
async def write(ctx: RunContext, topic: str) -> str:
    """Let the writer write."""
    result = await writer.run(topic, usage=ctx.usage, usage_limits=UsageLimits(request_limit=9))
    return f"written: {result.output}"


PLAY = {"calls": [("write", {"topic": "cats"})], "says": "written: I know nothing."}
