"""Calls as a model wrote them. LangChain mends JSON that is cut off, and leaves out of the calls
what is no object: a person would be asked about arguments that no model gave, or the run would end
without a word. So such a call stays a call, and is marked: nobody is asked, and it never runs.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from uuid import UUID

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolCall
from pydantic import JsonValue

#: In a call's arguments: what the model wrote is no JSON object. With its first characters, for the
#: model itself.
MARK = "sayso_unreadable"
_SHOWN = 500


class WrittenCalls:
    """What the models of one segment write as the arguments of their calls."""

    def __init__(self) -> None:
        #: By run of a model: the text of each call, by its index in the reply.
        self._texts: dict[UUID, dict[int | str | None, list[str]]] = defaultdict(dict)
        self._ids: dict[UUID, dict[str, int | str | None]] = defaultdict(dict)

    def hear(self, run_id: UUID, message: BaseMessage) -> None:
        """Take a piece of a reply."""
        if not isinstance(message, AIMessageChunk):
            return
        for chunk in message.tool_call_chunks:
            index = chunk.get("index")
            if chunk["id"]:
                self._ids[run_id][chunk["id"]] = index
            self._texts[run_id].setdefault(index, []).append(chunk["args"] or "")

    def mark(self, run_id: UUID, message: BaseMessage) -> None:
        """Mark the calls of a whole reply that cannot be read."""
        texts, ids = self._texts.pop(run_id, {}), self._ids.pop(run_id, {})
        if not isinstance(message, AIMessage):
            return
        for call in message.tool_calls:
            written = "".join(texts.get(ids.get(call["id"] or ""), ()))
            if written and not _is_object(written):
                call["args"] = {MARK: written[:_SHOWN]}
        for invalid in message.invalid_tool_calls:
            shown = {MARK: (invalid["args"] or "")[:_SHOWN]}
            name, id_ = invalid["name"] or "", invalid["id"]
            message.tool_calls.append(ToolCall(name=name, args=shown, id=id_, type="tool_call"))
        message.invalid_tool_calls.clear()
        _give_each_its_id(message.tool_calls)


def _give_each_its_id(calls: list[ToolCall]) -> None:
    """Part calls of one reply to which the model gave the same id."""
    seen: dict[str | None, int] = defaultdict(int)
    for call in calls:
        seen[call["id"]] += 1
        if seen[call["id"]] > 1:
            call["id"] = f"{call['id']}~{seen[call['id']]}"


def is_unreadable(arguments: Mapping[str, JsonValue]) -> bool:
    """Tell whether these arguments were marked."""
    return set(arguments) == {MARK}


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
