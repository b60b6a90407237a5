"""A run's own copy of an agent: what a run changes is its own, all else is the application's.

The application's objects are never touched: two runs of one agent never see each other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from copy import copy, deepcopy
from dataclasses import replace
from functools import cache
from types import MethodType
from typing import Any

from strands import Agent, Snapshot
from strands.handlers.callback_handler import PrintingCallbackHandler, null_callback_handler
from strands.hooks import HookRegistry
from strands.telemetry.metrics import EventLoopMetrics

#: What we need of an agent beyond what the framework documents.
NEEDED = (
    "_cancel_signal",
    "_checkpointing",
    "_concurrency",
    "_interrupt_state",
    "_middleware_registry",
    "_model_state",
    "_retry_strategy",
    "_session_manager",
)


def copy_of(agent: Agent) -> Agent:
    mine: Any = copy(agent)
    mine.__class__ = _undisposed(type(agent))
    mine.messages = deepcopy(agent.messages)
    mine.state = deepcopy(agent.state)
    mine.event_loop_metrics = EventLoopMetrics()
    mine.trace_span = None
    mine.tool_registry = _tools_of(agent)
    mine.tool_caller = type(agent.tool_caller)(mine)
    mine.conversation_manager = copy(agent.conversation_manager)
    # What it prints on a terminal nobody reads here.
    if isinstance(agent.callback_handler, PrintingCallbackHandler):
        mine.callback_handler = null_callback_handler
    mine._retry_strategy = copy(agent._retry_strategy)
    mine._session_manager = None
    mine._interrupt_state = type(agent._interrupt_state)()
    mine._concurrency = type(agent._concurrency)(agent._concurrency.mode)
    mine._cancel_signal = threading.Event()
    mine._checkpointing = False
    mine._model_state = deepcopy(agent._model_state)
    mine._middleware_registry = copy(agent._middleware_registry)
    handlers = agent._middleware_registry._handlers
    mine._middleware_registry._handlers = {stage: [*those] for stage, those in handlers.items()}
    mine.hooks = _hooks_of(agent, mine)
    made: Agent = mine
    return made


def callbacks_of(agent: Agent) -> list[Callable[..., Any]]:
    """Return the functions that an agent's hooks call."""
    lists = agent.hooks._registered_callbacks.values()
    return [entry.callback for entries in lists for entry in entries]


@cache
def _undisposed(kind: type[Agent]) -> type[Agent]:
    """Return the class without its end: the tools' connections are the application's."""
    return type(kind.__name__, (kind,), {"__module__": kind.__module__, "__del__": _nothing})


def snapshot_of(agent: Agent) -> dict[str, Any]:
    return dict(agent.take_snapshot(preset="session").data)


def load(agent: Agent, snapshot: dict[str, Any]) -> None:
    agent.load_snapshot(Snapshot("agent", "1.0", snapshot, {}))


def _nothing(agent: Agent) -> None:
    return None


def _tools_of(agent: Agent) -> Any:
    """Return the tools with nothing to close: the application's objects hold the connections."""
    mine: Any = copy(agent.tool_registry)
    mine.registry, mine.dynamic_tools = dict(mine.registry), dict(mine.dynamic_tools)
    mine.tool_config = None
    mine._tool_providers = []
    return mine


def _hooks_of(agent: Agent, mine: Agent) -> HookRegistry:
    """Return the hooks without the session manager's, and with those of our copies in place of
    what keeps something between two events."""
    ours: dict[int, object] = {
        id(agent.conversation_manager): mine.conversation_manager,
        id(agent._retry_strategy): mine._retry_strategy,
    }
    hooks = hooks_without(agent.hooks, agent._session_manager)
    for entries in hooks._registered_callbacks.values():
        entries[:] = [replace(one, callback=_bound(one.callback, ours)) for one in entries]
    return hooks


def hooks_without(given: HookRegistry, manager: object) -> HookRegistry:
    """Return these hooks without the session manager's."""
    hooks = HookRegistry()
    for event, entries in given._registered_callbacks.items():
        kept = [one for one in entries if not _is_of(one.callback, manager)]
        hooks._registered_callbacks[event] = kept
    return hooks


def _is_of(callback: Callable[..., Any], manager: object) -> bool:
    """Tell whether this is a hook of the session manager."""
    if manager is None:
        return False
    cells = getattr(callback, "__closure__", None) or ()
    held = [getattr(callback, "__self__", None), *(cell.cell_contents for cell in cells)]
    return any(one is manager for one in held)


def _bound(callback: Callable[..., Any], ours: dict[int, object]) -> Callable[..., Any]:
    mine = ours.get(id(getattr(callback, "__self__", None)))
    if mine is None or not isinstance(callback, MethodType):
        return callback
    return MethodType(callback.__func__, mine)
