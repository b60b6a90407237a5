"""Agents side by side, which all ask."""

import asyncio

from pydantic_ai import Agent

wind = Agent("openai-chat:gpt-5-mini", name="wind")
sun = Agent("openai-chat:gpt-5-mini", name="sun")


@wind.tool_plain(requires_approval=True)
@sun.tool_plain(requires_approval=True)
def look_up(topic: str) -> str:
    """Look a topic up."""
    return f"all about {topic}"


agent = Agent("openai-chat:gpt-5-mini", name="desk")


@agent.tool_plain
async def research(task: str) -> str:
    """Let both do research."""
    found = await asyncio.gather(wind.run(task), sun.run(task))
    return " and ".join(each.output for each in found)


PLAY = {
    "calls": [("research", {"task": "power"}), ("look_up", {"topic": "power"})],
    "answers": [{"decision": "approve"}, {"decision": "approve"}],
    "says": "all about power and I was told",
}
