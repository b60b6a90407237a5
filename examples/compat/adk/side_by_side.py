"""Agents side by side, which all ask."""

from google.adk.agents import LlmAgent, ParallelAgent, SequentialAgent
from google.adk.tools import FunctionTool


def look_up(topic: str) -> str:
    """Look a topic up."""
    return f"all about {topic}"


def researcher(name: str) -> LlmAgent:
    return LlmAgent(
        name=name,
        model="gemini-2.5-flash",
        instruction="You do research.",
        tools=[FunctionTool(look_up, require_confirmation=True)],
        output_key=name,
    )


both = ParallelAgent(name="both", sub_agents=[researcher("wind"), researcher("sun")])
merger = LlmAgent(name="merger", model="gemini-2.5-flash", instruction="Merge {wind} and {sun}.")
agent = SequentialAgent(name="desk", sub_agents=[both, merger])
PLAY = {
    "calls": [("look_up", {"topic": "power"})],
    "answers": [{"decision": "approve"}, {"decision": "approve"}],
    "says": "all about power",
}
