"""Tools that a node calls directly. Such a call cannot wait for a person, so it is refused where
the policy would ask or deny.

LangChain tells its callbacks of each tool that starts, wherever it is called from. A call that the
toolbox makes goes on; any other runs only where the policy allows it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGenerationChunk, LLMResult
from pydantic_core import to_jsonable_python

from sayso.adapters.langgraph.model_replies import WrittenCalls
from sayso.adapters.native import hinted_traits
from sayso.core.errors import ModelUnavailable, NotSupportedError, SaysoError
from sayso.core.json_limits import CUT, is_too_deep
from sayso.core.policy_rules import Verdict
from sayso.tools.tool import Tool
from sayso.tools.toolbox import Toolbox

#: The tool whose body the toolbox runs here.
RUN_BY_TOOLBOX: ContextVar[str] = ContextVar("sayso_langgraph_run_by_toolbox", default="")


class DirectCallCheck(BaseCallbackHandler):
    """Refuses by an exception, before the body runs: a node that swallows it has gained nothing."""

    raise_error = True
    run_inline = True

    def __init__(self, toolbox: Toolbox, refused: Callable[[SaysoError], None]) -> None:
        self._toolbox = toolbox
        self._refused = refused
        self._written = WrittenCalls()
        self._error: SaysoError | None = None
        #: The runs of models that stream.
        self._streamed: set[UUID] = set()

    def on_llm_new_token(
        self, token: object, *, chunk: object = None, run_id: UUID, **kwargs: Any
    ) -> None:
        self._streamed.add(run_id)
        if isinstance(chunk, ChatGenerationChunk):
            self._written.hear(run_id, chunk.message)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """Mark calls that cannot be read, and drop arguments that nest too deeply for LangGraph to
        write them into its state."""
        for generation in (one for many in response.generations for one in many):
            message = getattr(generation, "message", None)
            if message is not None:
                if run_id in self._streamed:
                    _check_whole(message)
                self._written.mark(run_id, message)
            for call in getattr(message, "tool_calls", ()):
                if is_too_deep(call["args"]):
                    call["args"] = dict(CUT)
            for block in getattr(message, "content", ()):
                if isinstance(block, dict) and is_too_deep(block.get("input")):
                    block["input"] = dict(CUT)

    def on_chat_model_start(self, *args: object, **kwargs: Any) -> None:
        """Ask no model of what ends the run."""
        if self._error is not None:
            raise self._error

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
        if name == RUN_BY_TOOLBOX.get():
            return
        hints = metadata or {}
        seen = Tool(
            body_elsewhere, name=name, description="", traits=hinted_traits(hints, declared=True)
        )
        arguments = to_jsonable_python(inputs or {}, fallback=str)
        if self._toolbox.verdict(seen, arguments).verdict is Verdict.ALLOW:
            return
        where = hints.get("langgraph_node")
        error = NotSupportedError(
            f"The policy does not let '{name}' run by itself, and the node '{where}' calls it "
            "directly, where nobody can be asked.",
            fix="Let a model call it: in a ToolNode of the graph, or of an agent that the function "
            "names.",
        )
        self._error = error
        self._refused(error)
        raise error


def _check_whole(message: object) -> None:
    """Raise ModelUnavailable where a streamed reply broke off: a provider says how each of its
    replies ended, and half of one is no answer."""
    if not isinstance(message, AIMessage) or not (message.text or message.tool_calls):
        return
    said = message.response_metadata
    if said.get("model_provider") and not any(said.get(name) for name in _ENDS):
        raise ModelUnavailable("The reply of the model broke off before its end.")


#: Where the providers say how a reply ended.
_ENDS = ("finish_reason", "stop_reason", "done_reason", "status", "incomplete_details")


def body_elsewhere() -> None:
    """Stand for the tool's body, which is the graph's."""
