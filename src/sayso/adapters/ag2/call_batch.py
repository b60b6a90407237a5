"""A batch of calls as a model of AG2 made it: its calls are mended where AG2 could not go on with
them, and begin in the order in which they were made."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise

from ag2.events import ModelResponse, ToolCallEvent

from sayso.adapters.model_reply import free_id, object_in
from sayso.core.digest import JsonObject
from sayso.core.errors import ModelUnavailable

#: What stands in place of arguments that are no JSON object. AG2 reads a history's arguments as
#: JSON at each call of a model, and would fail there.
_UNREADABLE = "unreadable_arguments"
#: A call that its framework drops on its way to us must not hold up the one after it for longer.
_TURN_SECONDS = 1.0


def mend_calls(response: ModelResponse) -> None:
    """Keep arguments that are no JSON object as a text within one, and give two calls of one reply
    under the same id an id each."""
    seen: set[str] = set()
    for call in response.tool_calls.calls if response.tool_calls else ():
        call.id = free_id(call.id, seen)
        if object_in(call.arguments) is None:
            call.arguments = json.dumps({_UNREADABLE: call.arguments})
            call.serialized_arguments = json.loads(call.arguments)


def check_whole(response: ModelResponse, *, is_first: bool) -> None:
    """Raise ModelUnavailable where a reply broke off: a provider says how each of its replies
    ended, and half of one is no answer. Nor is a first one that says nothing."""
    if response.finish_reason is None and response.provider in _SAY_THE_END:
        raise ModelUnavailable("The reply of the model broke off before its end.")
    if is_first and not (response.content or response.tool_calls.calls or response.files):
        raise ModelUnavailable("The reply of the model is empty.")


#: The providers whose clients tell how a reply ended, whole or streamed.
_SAY_THE_END = {"openai", "mistral", "zai"}


def arguments_of(event: ToolCallEvent) -> JsonObject | None:
    """Return the arguments of a call; None where they are no JSON object."""
    found = object_in(event.arguments)
    return None if found is None or set(found) == {_UNREADABLE} else found


class CallOrder:
    """Lets the calls of a batch begin in the order in which the model made them."""

    def __init__(self, call_ids: Sequence[str]) -> None:
        self._begun = {call_id: asyncio.Event() for call_id in call_ids}
        self._before = {after: before for before, after in pairwise(call_ids)}

    async def turn_of(self, call_id: str) -> None:
        """Wait until the call before this one has begun."""
        before = self._before.get(call_id)
        if before is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_TURN_SECONDS):
                    await self._begun[before].wait()
        if call_id in self._begun:  # once this call has come to its first wait
            asyncio.get_running_loop().call_soon(self._begun[call_id].set)
