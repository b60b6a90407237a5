"""What can be said of an agent of ADK before it runs: of the App that it is or stands for, and of
the agents within it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from types import FunctionType

from google.adk.agents.base_agent import BaseAgent
from google.adk.agents.llm_agent import LlmAgent
from google.adk.apps.app import App
from google.adk.code_executors.built_in_code_executor import BuiltInCodeExecutor
from google.adk.runners import Runner
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.state import State
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.load_memory_tool import LoadMemoryTool
from google.adk.tools.preload_memory_tool import PreloadMemoryTool

from sayso.adapters.findings import AppSide, Finding, caveat, refused, twice_named
from sayso.adapters.reach import functions_that_name, reachable

#: State that ADK keeps for more than a chat. Here it goes with each chat alone.
WIDE = (State.USER_PREFIX, State.APP_PREFIX)
_WIDE_NAME = re.compile(r"(?:user|app):\w*")
#: Where an instruction asks for a value of it.
_WIDE_ASKED = re.compile(r"{((?:user|app):\w+)")
#: What leads to other agents, or into the model's own code.
_ELSEWHERE = ("parent_agent", "sub_agents", "model")


def app_of(agent: object) -> App:
    if isinstance(agent, Runner):
        agent = agent.app
    if isinstance(agent, App):
        return agent
    assert isinstance(agent, BaseAgent)
    return App(name="sayso", root_agent=agent)


def all_agents(agent: BaseAgent) -> Iterator[LlmAgent]:
    """Yield the agents of the tree that have tools, and those within their tools."""
    if isinstance(agent, LlmAgent):
        yield agent
        for tool in agent.tools:
            if isinstance(tool, AgentTool):
                yield from all_agents(tool.agent)
    for below in agent.sub_agents:
        yield from all_agents(below)


def own_tools(agent: LlmAgent) -> list[BaseTool]:
    """Return an agent's tools; what a toolset will bring is not known before it is asked."""
    return [
        tool if isinstance(tool, BaseTool) else FunctionTool(tool)
        for tool in agent.tools
        if not isinstance(tool, BaseToolset)
    ]


def findings(agent: object, app: AppSide) -> Iterator[Finding]:
    root = app_of(agent).root_agent
    if app.deps is not None:
        yield caveat(
            app.agent_name,
            "ADK hands no deps to its tools.",
            "Close over them where you make the tool, or keep them in the session's state.",
        )
    if isinstance(agent, Runner) and not isinstance(agent.session_service, InMemorySessionService):
        yield caveat(
            app.agent_name,
            "The session service of its Runner is not used: a session is kept with its chat.",
            "Give the Runner an InMemorySessionService.",
        )
    if isinstance(root, BaseAgent):
        memory = isinstance(agent, Runner) and agent.memory_service is not None
        if wide := _wide_names(all_agents(root)):
            yield caveat(
                app.agent_name,
                f"What it keeps under {', '.join(wide)} stays with each chat, and is not there in "
                "the next one.",
                "Keep what outlasts a chat where its tools can look it up.",
            )
        for one in all_agents(root):
            yield from _of_one(one, app, _path(app.agent_name, root, one), memory=memory)


def refusal_of_code(agent: object) -> str | None:
    """Return why an agent is refused that would run code outside of the toolbox."""
    executor = getattr(agent, "code_executor", None)
    if executor is None or isinstance(executor, BuiltInCodeExecutor):
        return None
    return "its code_executor would run code of a model without any policy, once for each answer."


RUN_CODE_BY_A_TOOL = "Give the agent a tool that runs the code."


def _of_one(agent: LlmAgent, app: AppSide, path: str, *, memory: bool) -> Iterator[Finding]:
    code = refusal_of_code(agent)
    if code is not None:
        yield refused(path, code, RUN_CODE_BY_A_TOOL)
    own = own_tools(agent)
    searches = [tool.name for tool in own if _is_of_the_model(tool)]
    if searches:
        yield caveat(
            path,
            f"Gemini takes no functions beside its own {', '.join(searches)}: this agent has no "
            "tools of the application.",
            "Put that tool into an agent of its own, and give it as an AgentTool.",
        )
    if any(isinstance(tool, LoadMemoryTool | PreloadMemoryTool) for tool in own) and not memory:
        yield caveat(
            path,
            "It has no memory service: what it searches for in its memory is never found.",
            "Give `App` a Runner that has one: `Runner(agent=…, memory_service=…)`.",
        )
    given = {tool.name: tool for tool in app.tools}
    for tool in own:
        same = given.get(tool.name)
        if same is not None and getattr(tool, "func", None) is not same:
            yield twice_named(path, tool.name)
    for function in [tool.func for tool in own if isinstance(tool, FunctionTool)]:
        if reachable([function], Runner) or functions_that_name([function], Runner):
            yield refused(
                path,
                f"'{getattr(function, '__name__', function)}' runs an agent by a Runner of its "
                "own, where no policy holds its calls.",
                "Give that agent as an AgentTool.",
            )


def _wide_names(agents: Iterable[LlmAgent]) -> list[str]:
    """Return the names of wide state that the instructions and functions of these agents hold."""
    held = [value for one in agents for name, value in one if name not in _ELSEWHERE]
    found = {name for text in held if isinstance(text, str) for name in _WIDE_ASKED.findall(text)}
    for function in reachable(held, FunctionType):
        if not (function.__module__ or "").startswith("google."):
            texts = [text for text in function.__code__.co_consts if isinstance(text, str)]
            found |= {text for text in texts if _WIDE_NAME.fullmatch(text)}
    return sorted(found)


def _is_of_the_model(tool: BaseTool) -> bool:
    """Tell whether a model runs this tool by itself: it is declared to nobody, and has no body."""
    return type(tool).run_async is BaseTool.run_async


def _path(name: str, root: BaseAgent, agent: BaseAgent) -> str:
    return name if agent is root else f"{name} > {agent.name}"
