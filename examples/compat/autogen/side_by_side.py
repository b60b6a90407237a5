"""Agents side by side, which all ask."""

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.teams import DiGraphBuilder, GraphFlow
from autogen_ext.models.openai import OpenAIChatCompletionClient

from sayso import App, Rule, Verdict

model = OpenAIChatCompletionClient(model="gpt-5-mini")


def look_up(topic: str) -> str:
    """Look a topic up."""
    return f"all about {topic}"


planner = AssistantAgent("planner", model)
wind = AssistantAgent("wind", model, tools=[look_up], reflect_on_tool_use=True)
sun = AssistantAgent("sun", model, tools=[look_up], reflect_on_tool_use=True)
merger = AssistantAgent("merger", model, system_message="You merge.")
graph = DiGraphBuilder().add_node(planner).add_node(wind).add_node(sun).add_node(merger)
graph.add_edge(planner, wind).add_edge(planner, sun).add_edge(wind, merger).add_edge(sun, merger)
team = GraphFlow(participants=graph.get_participants(), graph=graph.build())
app = App(team, policies=[Rule(tool="look_up", then=Verdict.ASK)])
PLAY = {
    "calls": [("look_up", {"topic": "power"})],
    "answers": [{"decision": "approve"}, {"decision": "approve"}],
    "says": "all about power",
}
