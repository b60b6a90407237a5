"""The guard: a tool that a node calls by hand cannot be held for a person, so it is refused where
the policy would ask or deny.

LangChain tells its callbacks of each tool that starts, wherever it is called from. A call that has
come through the gate is let through; any other runs only where the policy allows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.outputs import LLMResult
from pydantic_core import to_jsonable_python

from sayso.core.depth import CUT, is_too_deep
from sayso.core.errors import NotSupportedError, SaysoError
from sayso.core.policy import Verdict
from sayso.tools.tool import tool
from sayso.tools.toolbox import Toolbox

#: The tool whose body runs here, let through by the gate.
_let_through: ContextVar[str] = ContextVar("sayso_langgraph_let_through", default="")


@contextmanager
def let_through(name: str) -> Iterator[None]:
    token = _let_through.set(name)
    try:
        yield
    finally:
        _let_through.reset(token)


class Guard(BaseCallbackHandler):
    """Refuses by an exception, before the body; a node that swallows it gets nothing done by it."""

    raise_error = True
    run_inline = True

    def __init__(self, toolbox: Toolbox, refused: Callable[[SaysoError], None]) -> None:
        self._toolbox = toolbox
        self._refused = refused

    def on_llm_end(self, response: LLMResult, **kwargs: Any) -> None:
        """Arguments that LangGraph could not write into its state go before they come there."""
        for generation in (one for many in response.generations for one in many):
            message = getattr(generation, "message", None)
            for call in getattr(message, "tool_calls", ()):
                if is_too_deep(call["args"]):
                    call["args"] = dict(CUT)
            for block in getattr(message, "content", ()):
                if isinstance(block, dict) and is_too_deep(block.get("input")):
                    block["input"] = dict(CUT)

    def on_tool_start(
        self,
        serialized: dict[str, Any],
        input_str: str,
        *,
        inputs: dict[str, Any] | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        name = str((serialized or {}).get("name"))
        if name == _let_through.get():
            return
        hints = metadata or {}
        seen = tool(
            name=name,
            description="",
            read_only=hints.get("readOnlyHint") is True,
            destructive=hints.get("destructiveHint") is True,
            idempotent=hints.get("idempotentHint") is True,
        )(_body_elsewhere)
        arguments = to_jsonable_python(inputs or {}, fallback=str)
        if self._toolbox.verdict(seen, arguments).verdict is Verdict.ALLOW:
            return
        where = hints.get("langgraph_node")
        error = NotSupportedError(
            f"The policy does not let '{name}' run by itself, and the node '{where}' calls it "
            "directly, where nobody can be asked.",
            fix="Call it in a ToolNode that is a node of the graph, or give the inner agent "
            "`middleware=[SaysoMiddleware()]`.",
        )
        self._refused(error)
        raise error


def _body_elsewhere() -> None:
    """The tool's body is the graph's."""
