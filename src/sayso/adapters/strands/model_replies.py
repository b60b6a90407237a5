"""The replies of a model: what it says, what it took, and calls that the framework would mend by
guessing."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from copy import copy
from typing import Any

from strands.middleware import InvokeModelContext, ModelStopReason, TypedEvent

from sayso.adapters.model_reply import free_id, object_in
from sayso.adapters.strands.state import AgentRow
from sayso.core.errors import ModelUnavailable
from sayso.core.json_limits import CUT, is_too_deep
from sayso.core.usage import ModelCall

NextModel = Callable[[InvokeModelContext], AsyncGenerator[TypedEvent, None]]


class Reply:
    """One reply as it comes."""

    def __init__(self, context: InvokeModelContext) -> None:
        self._model = context.model
        #: The arguments of its calls, as the model wrote them.
        self._written: list[tuple[str, str]] = []
        self._has_end = self._is_cut = False
        self.thought, self.text = "", ""

    def context(self, given: InvokeModelContext) -> InvokeModelContext:
        """Return the context with a model that tells whether its provider ended the reply: the
        client of OpenAI's API makes an end of its own where there was none."""
        if not any(cls.__module__ == "strands.models.openai" for cls in type(given.model).__mro__):
            return given
        model: Any = copy(given.model)
        formatted = model.format_chunk

        def format_chunk(event: dict[str, Any], **more: Any) -> Any:
            if event.get("chunk_type") == "message_stop" and event.get("data") == "end_turn":
                self._is_cut = True
            return formatted(event, **more)

        model.format_chunk = format_chunk
        return given.replace(model=model)

    def hear(self, event: TypedEvent) -> None:
        self.thought += str(event.get("reasoningText") or "")
        self.text += str(event.get("data") or "")
        chunk = event.get("event")
        if not isinstance(chunk, dict):
            return
        begun = chunk.get("contentBlockStart", {}).get("start", {}).get("toolUse")
        if begun:
            self._written.append((str(begun.get("toolUseId")), ""))
        more = chunk.get("contentBlockDelta", {}).get("delta", {}).get("toolUse")
        if more and self._written:
            call_id, text = self._written[-1]
            self._written[-1] = call_id, text + str(more.get("input", ""))
        self._has_end = self._has_end or "messageStop" in chunk

    def keep(self, event: ModelStopReason, row: AgentRow, taken: set[str]) -> None:
        """Note what the framework forgets of a reply: arguments that are no JSON object, for which
        it takes none. Its calls get ids that no earlier call has."""
        message = event.message
        content = message["content"]
        if event.stop_reason != "cancelled":
            self._check_whole(content, is_first=row.replies == 0)
        row.replies += 1
        row.unreadable = []
        written = list(self._written)
        for block in content:
            if "toolUse" not in block:
                continue
            call: Any = block["toolUse"]
            given = next((one for one in written if one[0] == call["toolUseId"]), None)
            if given is not None:
                written.remove(given)
            call["toolUseId"] = free_id(call["toolUseId"], taken)
            is_read = given is None or object_in(given[1].strip()) is not None
            if not isinstance(call["input"], dict) or not is_read:
                call["input"] = {}
                row.unreadable.append(call["toolUseId"])
            elif is_too_deep(call["input"]):
                call["input"] = dict(CUT)

    def _check_whole(self, content: list[Any], *, is_first: bool) -> None:
        if self._is_cut or (not self._has_end and (self.text or self._written)):
            raise ModelUnavailable("The reply of the model broke off before its end.")
        is_said = any(set(block) - {"text"} or block["text"].strip() for block in content)
        if is_first and not is_said:
            raise ModelUnavailable("The reply of the model is empty.")


def used(event: ModelStopReason, model: object) -> ModelCall | None:
    """Return what a reply took, where its provider tells that."""
    usage = event.usage
    if not usage.get("totalTokens") and not usage.get("inputTokens"):
        return None
    config = getattr(model, "config", None)
    name = config.get("model_id") if isinstance(config, dict) else None
    return ModelCall(
        model=str(name) if name is not None else None,
        input_tokens=usage.get("inputTokens", 0),
        output_tokens=usage.get("outputTokens", 0),
        cached_tokens=usage.get("cacheReadInputTokens", 0),
    )


def calls_in(messages: list[Any]) -> list[str]:
    """Return the ids of all calls."""
    blocks = (block for message in messages for block in message["content"])
    return [str(block["toolUse"]["toolUseId"]) for block in blocks if "toolUse" in block]
