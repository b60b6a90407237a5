"""Agents side by side, which all ask."""

import asyncio

from agents import Agent, Runner, function_tool


@function_tool(needs_approval=True)
def look_up(topic: str) -> str:
    """Look a topic up."""
    return f"all about {topic}"


wind = Agent(name="wind", model="gpt-5-mini", tools=[look_up])
sun = Agent(name="sun", model="gpt-5-mini", tools=[look_up])


@function_tool
async def research(task: str) -> str:
    """Let both do research."""
    found = await asyncio.gather(Runner.run(wind, task), Runner.run(sun, task))
    return " and ".join(each.final_output for each in found)


agent = Agent(name="desk", model="gpt-5-mini", tools=[research])
PLAY = {
    "calls": [("research", {"task": "power"}), ("look_up", {"topic": "power"})],
    "answers": [{"decision": "approve"}, {"decision": "approve"}],
    "says": "all about power and I was told",
}
