"""The tools that the body of a call adds to a run, or takes out of it: done again when the turn is
played again, where the body does not run."""

from __future__ import annotations

from copy import copy
from types import FunctionType
from typing import Any

from agent_framework import FunctionInvocationContext, FunctionTool, normalize_tools

from sayso.adapters.reach import reachable

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
