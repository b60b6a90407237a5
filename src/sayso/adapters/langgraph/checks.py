"""What can be said of a graph before it runs."""

from __future__ import annotations

from collections.abc import Iterator

from langgraph.checkpoint.base import BaseCheckpointSaver

from sayso.adapters.findings import AppSide, Finding, caveat, refused, works
from sayso.adapters.langgraph.agent_copy import inner_graphs, own_tools
from sayso.adapters.langgraph.checkpoints import own_saver
from sayso.adapters.langgraph.create_agent import (
    Graph,
    hosted_tools,
    is_agent,
    model_nodes,
    with_tools_node,
)
from sayso.adapters.langgraph.native_tool import OfferedTool


def findings(graph: Graph, app: AppSide) -> list[Finding]:
    return [*_app_tools(graph, app), *_checkpointer(graph, app), *_hosted(graph, app)]


def _app_tools(graph: Graph, app: AppSide) -> Iterator[Finding]:
    names = [tool.name for tool in app.tools]
    own = list(own_tools(graph))
    for name in {tool.name for tool in own if not isinstance(tool, OfferedTool)} & {*names}:
        yield refused(
            app.agent_name,
            f"two tools are named '{name}': the graph's own and the application's.",
            "Give one of them another name.",
        )
    whole = with_tools_node(graph)
    missing = {*names} - {tool.name for tool in own}
    if not missing or model_nodes(whole):
        return
    if is_agent(whole):
        yield refused(
            app.agent_name,
            f"it has nowhere to run the application's tool '{min(missing)}'.",
            "Make it with `create_agent(…, middleware=[SaysoMiddleware(), …])`.",
        )
        return
    yield caveat(
        app.agent_name,
        "Its nodes bind their models' tools themselves, and none of the application's: "
        f"{', '.join(sorted(missing))}.",
        "Bind `sayso.adapters.langgraph.langchain_tool(tool)` there and give it to the ToolNode.",
    )


def _checkpointer(graph: Graph, app: AppSide) -> Iterator[Finding]:
    if isinstance(graph.checkpointer, BaseCheckpointSaver) and own_saver(graph) is None:
        text = "Its checkpointer keeps things in memory only; Sayso's own is used in its place."
        yield works(app.agent_name, text)


def _hosted(graph: Graph, app: AppSide) -> Iterator[Finding]:
    """Find tools that run at the model's provider, where no call can be held."""
    for each in (graph, *inner_graphs(graph)):
        for name in hosted_tools(each):
            yield caveat(
                app.agent_name,
                f"The tool '{name}' runs at the model's provider: no policy holds its calls.",
            )
