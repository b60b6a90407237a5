"""What can be said of an agent of Microsoft Agent Framework, and of those behind its tools, before
it runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agent_framework import (
    AgentExecutor,
    BaseAgent,
    BaseChatClient,
    FunctionTool,
    RawAgent,
    Workflow,
    WorkflowExecutor,
)

from sayso.adapters.agent_framework.agent_copy import agents_within, own_tools
from sayso.adapters.agent_framework.workflow_copy import member_of, workflow_of
from sayso.adapters.agent_framework.workflow_run import takes
from sayso.adapters.agent_name import is_made_up
from sayso.adapters.findings import AppSide, Finding, caveat, hosted, refused, twice_named, works
from sayso.adapters.reach import reachable

#: Run by the model's provider, and no more than looked up or made there.
_HARMLESS = ("web_search", "file_search", "code_interpreter", "image_generation")


def findings(agent: object, app: AppSide) -> Iterator[Finding]:
    name = app.agent_name
    flow = workflow_of(agent)
    if flow is not None:
        yield from _of_workflow(flow, name)
    elif not isinstance(agent, RawAgent):
        yield _unknown(agent, name)
        return
    if not (app.deps is None or isinstance(app.deps, Mapping) or callable(app.deps)):
        yield refused(
            name,
            f"its tools take what they are given by name, and these are one "
            f"{type(app.deps).__name__}.",
            "Give them as a dict: App(agent, deps={'name': value}).",
        )
    given = {tool.name for tool in app.tools}
    for path, each in agents_within(flow or agent, name):
        yield from _of(each, path, given)


def _of_workflow(flow: Workflow, path: str) -> Iterator[Finding]:
    if takes(flow) is None:
        yield refused(
            path,
            "it begins with neither words nor messages, and a chat gives nothing else.",
            "Let its start executor take `str` or `list[Message]`.",
        )
    elif takes(flow) is str:
        yield works(path, "It begins anew with the words of each message.")
    if any(map(is_made_up, flow.executors)):
        yield refused(
            path,
            "an agent in it has no name, and another id in each process: after a restart nothing "
            "would know where it was.",
            "Give each of its agents a name.",
        )
    for executor in flow.executors.values():
        if isinstance(executor, WorkflowExecutor):
            yield _unknown(executor.workflow, f"{path} > {executor.id}")
        elif isinstance(executor, AgentExecutor) and member_of(executor) is None:
            yield _unknown(executor.agent, f"{path} > {executor.id}")
    if any(not isinstance(one, AgentExecutor) for one in flow.executors.values()):
        yield works(
            path,
            "What its own executors do is done once, but for those that run beside a call that "
            "waits, or run an agent that waits: give what acts as a tool.",
        )


def _of(agent: RawAgent[Any], path: str, given: set[str]) -> Iterator[Finding]:
    if not isinstance(agent.client, BaseChatClient):
        yield refused(
            path,
            f"its client is a {type(agent.client).__name__}, which is no BaseChatClient: nothing "
            "here could see what its model says.",
            "Give it a client that is one.",
        )
    options = agent.default_options
    if options.get("store") or options.get("conversation_id"):
        yield caveat(
            path,
            "Its provider keeps the chat, and may forget it while a run waits.",
            "Leave `store` and `conversation_id` out: Sayso keeps the chat.",
        )
    for tool in own_tools(agent):
        yield from _of_tool(tool, path, given)
        if isinstance(tool, FunctionTool):
            for inner in reachable([tool.func], BaseAgent):
                if not isinstance(inner, RawAgent):
                    yield _unknown(inner, f"{path} > {inner.name or tool.name}")


def _of_tool(tool: object, path: str, given: set[str]) -> Iterator[Finding]:
    if isinstance(tool, FunctionTool):
        if tool.name in given:
            yield twice_named(path, tool.name)
        return
    kind = _kind(tool)
    if kind.startswith(_HARMLESS):
        yield hosted(path, kind)
    else:
        yield refused(
            path,
            f"'{kind}' is run by the model's provider: nothing here could hold its calls.",
            "Give what it does as a function tool, or as an MCP server of the agent's own "
            "(MCPStdioTool, MCPStreamableHTTPTool).",
        )


def _kind(tool: object) -> str:
    found = tool.get("type") if isinstance(tool, Mapping) else getattr(tool, "type", None)
    return str(found or type(tool).__name__)


def _unknown(agent: object, path: str) -> Finding:
    return refused(
        path,
        f"it is a {type(agent).__name__}, which runs in its own way: nothing here could hold its "
        "calls, nor go on with it after an answer.",
        "Serve its agents, or write it as a plain async function that calls them by `agent_tool`.",
    )
