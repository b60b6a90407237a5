"""Tools that end the run with their result (`return_direct`) end it with a result only. Where a
person answered what such a tool asked, or did not let it run, the model goes on with that.

A graph decides where to go after its tools in a branch that looks at the names of the calls. In the
copy of a graph that branch sees other names where a person's answer stands in place of a result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import is_dataclass, replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph._internal._runnable import RunnableCallable
from langgraph.graph._branch import BranchSpec
from langgraph.pregel._read import PregelNode
from pydantic import BaseModel

#: Whether a person's answer stands where a result of this message's calls would.
Answered = Callable[[AIMessage], bool]


def writers_for_answers(node: PregelNode, is_answered: Answered) -> list[Runnable[Any, Any]]:
    """Return the node's writers; their branches go on to the model where a person has answered."""
    return [_rewritten(writer, is_answered) for writer in node.writers]


def _rewritten(writer: Runnable[Any, Any], is_answered: Answered) -> Runnable[Any, Any]:
    branch = getattr(getattr(writer, "func", None), "__self__", None)
    if not isinstance(writer, RunnableCallable) or not isinstance(branch, BranchSpec):
        return writer
    path = _shown(branch.path, is_answered)
    return branch._replace(path=path).run(writer.kwargs["writer"], writer.kwargs["reader"])


def _shown(path: Runnable[Any, Any], is_answered: Answered) -> RunnableCallable:
    def route(state: Any, config: RunnableConfig) -> Any:
        return path.invoke(_as_shown(state, is_answered), config)

    async def aroute(state: Any, config: RunnableConfig) -> Any:
        return await path.ainvoke(_as_shown(state, is_answered), config)

    return RunnableCallable(route, aroute, trace=False)


def _as_shown(state: Any, is_answered: Answered) -> Any:
    """Return the state as the branch sees it: the last calls under names that end nothing."""
    messages = state.get("messages") if isinstance(state, Mapping) else None
    messages = getattr(state, "messages", state) if messages is None else messages
    if not isinstance(messages, list):
        return state
    last = next((m for m in reversed(messages) if isinstance(m, AIMessage)), None)
    if last is None or not is_answered(last):
        return state
    after = messages.index(last)
    shown = [*messages[:after], *map(_renamed, messages[after:])]
    if isinstance(state, Mapping):
        return {**state, "messages": shown}
    if isinstance(state, BaseModel):
        return state.model_copy(update={"messages": shown})
    if is_dataclass(state) and not isinstance(state, type):
        return replace(state, messages=shown)
    return shown


def _renamed(message: BaseMessage) -> BaseMessage:
    match message:
        case AIMessage():
            calls = [{**call, "name": _answer_to(call["name"])} for call in message.tool_calls]
            return message.model_copy(update={"tool_calls": calls})
        case ToolMessage():
            return message.model_copy(update={"name": _answer_to(message.name or "")})
        case _:
            return message


def _answer_to(name: str) -> str:
    return f"answer to {name}"
