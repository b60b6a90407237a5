"""A function tool of an agent of Microsoft Agent Framework, as the toolbox sees it, and the tools
that its body adds to a run, or takes out of it. That is done again when the turn is played again,
where the body does not run.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from types import FunctionType
from typing import Any

from agent_framework import Content, FunctionInvocationContext, FunctionTool, normalize_tools
from pydantic import JsonValue
from pydantic_core import PydanticSerializationError, to_jsonable_python

from sayso.adapters.agent_framework.state import (
    ENCLOSING,
    AgentFrameworkEnclosing,
    AgentFrameworkTurn,
)
from sayso.adapters.native import NativeTool, done_elsewhere, in_our_words, question
from sayso.adapters.reach import reachable
from sayso.core.digest import JsonObject
from sayso.tools.tool import Traits


def traits_of(tool: FunctionTool) -> Traits:
    # To run another agent does nothing by itself: that agent's calls are decided on one by one.
    return Traits(
        declared=False,
        approval=tool.approval_mode == "always_require",
        read_only=runs_an_agent(tool),
    )


def runs_an_agent(tool: FunctionTool) -> bool:
    """Tell whether it was made by `agent.as_tool()`."""
    name = getattr(tool.func, "__qualname__", "")
    return name.endswith("as_tool.<locals>._agent_wrapper")


class AgentFrameworkTool(NativeTool):
    """One of the agents' own tools, in one call."""

    def __init__(
        self,
        turn: AgentFrameworkTurn,
        key: str,
        tool: FunctionTool,
        context: FunctionInvocationContext | None,
        *,
        is_allowed: bool = False,
    ) -> None:
        traits = replace(traits_of(tool), approval=False) if is_allowed else traits_of(tool)
        super().__init__(tool.name, tool.description, traits, in_thread=_blocks(tool))
        self._turn, self._key, self._tool, self._context = turn, key, tool, context
        #: It has run in this segment.
        self.has_run = False

    @property
    def is_outside(self) -> bool:
        """Whether it has no body here: a person, or another system, says what came of it."""
        return self._tool.declaration_only

    @property
    def schema(self) -> JsonObject:
        return dict(self._tool.parameters())

    def check(self, arguments: Mapping[str, JsonValue]) -> JsonObject:
        model = self._tool.input_model
        if model is None:  # it was given a schema
            return super().check(arguments)
        with in_our_words(arguments):
            found = model.model_validate(dict(arguments))
        try:
            whole: JsonObject = found.model_dump(mode="json", exclude_unset=True)
        except PydanticSerializationError:
            return dict(arguments)
        return whole

    async def start(self, arguments: JsonObject, ctx: object) -> object:
        if self.is_outside:
            return _question(self.name, arguments)
        turn, session = self._turn, self._context.session if self._context is not None else None
        before = turn.shared(session)
        live = LiveTools(self._context) if self._context is not None else None
        enclosing = AgentFrameworkEnclosing(turn, self._key)
        with enclosing.body(ENCLOSING):
            found = await self._tool.invoke(
                arguments=arguments, context=live.seen if live else None, skip_parsing=True
            )
        self.has_run = True
        turn.keep_changes(self._key, session, before)
        if live is not None and any((changes := live.changes()).values()):
            turn.state.tools[self._key], turn.segment.env.changed = changes, True
        self._keep_told(found)
        return to_jsonable_python(_words_in(found), fallback=_plain)

    def play_again(self) -> None:
        """Change the run as the body did in an earlier segment: its session, and its tools."""
        context, key = self._context, self._key
        self._turn.restore_changes(key, context.session if context is not None else None)
        if context is not None and key in self._turn.state.tools:
            change_again(context, self._tool, self._turn.state.tools[key])

    def _keep_told(self, found: object) -> None:
        """Keep what the model is told, where that is more than the result as JSON."""
        parser = self._tool.result_parser
        if not callable(parser) and not _has_contents(_words_in(found)):
            return
        parsed: Any = parser(found) if callable(parser) else FunctionTool.parse_result(found)
        told = [Content.from_text(parsed)] if isinstance(parsed, str) else list(parsed)
        self._turn.state.told[self._key] = [one.to_dict() for one in told]
        self._turn.segment.env.changed = True


def _blocks(tool: FunctionTool) -> bool:
    """Tell whether it is a plain function, which the framework runs in a thread: nothing stops
    that."""
    body = tool.func.func if isinstance(tool.func, FunctionTool) else tool.func
    return body is not None and not inspect.iscoroutinefunction(body)


def _many(found: object) -> list[object]:
    return found if isinstance(found, list) else [found]


def _has_contents(found: object) -> bool:
    return any(isinstance(one, Content) for one in _many(found))


def _words_in(found: object) -> object:
    """Return the words of contents that are words alone, as MCP servers give them."""
    contents = [one for one in _many(found) if isinstance(one, Content) and one.type == "text"]
    if contents and len(contents) == len(_many(found)):
        return "\n".join(one.text or "" for one in contents)
    return found


def _plain(value: Any) -> object:
    """Return what the framework would tell a model of a value that is no JSON."""
    if isinstance(value, Content):
        return value.to_dict()
    if callable(getattr(value, "to_dict", None)):
        return value.to_dict()
    return str(value)


def _question(name: str, arguments: JsonObject) -> JsonObject:
    asked = next((arguments[n] for n in ("question", "message", "prompt") if n in arguments), None)
    return question(str(asked or done_elsewhere(name)), arguments.get("options"))


#: The names of tools that were added, and of those that were removed.
Changes = dict[str, list[str]]
#: On a tool whose calls come to us: the one that it is a copy of.
ROUTED = "_sayso_routed"


class LiveTools:
    """The tools of one run of an agent, as the body of a call sees and changes them."""

    def __init__(self, context: FunctionInvocationContext) -> None:
        self._context = context
        self._before = [getattr(tool, ROUTED, tool) for tool in context.tools or ()]
        #: For the body: with the tools that its code knows, not our copies.
        self.seen = copy(context)
        if context.tools is not None:
            self.seen.tools = list(self._before)

    def changes(self) -> Changes:
        """Do to the run what the body did, and return it by the names of the tools."""
        if self._context.tools is None:
            return {}
        now = list(self.seen.tools or ())
        added = [tool for tool in now if not _is_in(tool, self._before)]
        removed = [_name(tool) for tool in self._before if not _is_in(tool, now)]
        _change(self._context, added, removed)
        return {"added": [_name(tool) for tool in added], "removed": removed}


def change_again(context: FunctionInvocationContext, tool: FunctionTool, changes: Changes) -> None:
    """Do to the run what the body of this tool did in an earlier segment. It adds tools that its
    code names; one that it makes anew each time is not found."""
    wanted = changes["added"]
    found: dict[str, Any] = {}
    for named in (*reachable([tool.func], FunctionTool), *reachable([tool.func], FunctionType)):
        if _name(named) in wanted:
            found.setdefault(_name(named), named)
    _change(context, list(found.values()), changes["removed"])


def _change(context: FunctionInvocationContext, added: list[Any], removed: list[str]) -> None:
    tools = list(context.tools or ())
    there = {_name(tool) for tool in tools}
    tools += normalize_tools([one for one in added if _name(one) not in there])
    if context.tools is not None:  # the list of the run
        context.tools[:] = [tool for tool in tools if _name(tool) not in removed]


def _name(tool: object) -> str:
    return str(getattr(tool, "name", None) or getattr(tool, "__name__", ""))


def _is_in(tool: object, tools: list[Any]) -> bool:
    return any(tool is one for one in tools)
