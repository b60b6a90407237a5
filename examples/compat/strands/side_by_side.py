"""Agents side by side, which all ask."""

from strands import Agent, tool
from strands.models.openai import OpenAIModel
from strands.multiagent import GraphBuilder

from sayso import App, Rule, Verdict

model = OpenAIModel(model_id="gpt-5-mini")


@tool
def look_up(topic: str) -> str:
    """Look a topic up."""
    return f"all about {topic}"


graph = GraphBuilder()
for name in ("wind", "sun"):
    graph.add_node(Agent(model=model, name=name, tools=[look_up]), name)
    graph.set_entry_point(name)
graph.add_node(Agent(model=model, name="merger"), "merger")
graph.add_edge("wind", "merger")
graph.add_edge("sun", "merger")
app = App(graph.build(), policies=[Rule(tool="look_up", then=Verdict.ASK)])
PLAY = {
    "calls": [("look_up", {"topic": "power"})],
    "answers": [{"decision": "approve"}, {"decision": "approve"}],
    "says": "all about power",
}
