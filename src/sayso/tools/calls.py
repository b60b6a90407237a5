"""One tool call, and the two ways it comes out of the toolbox: returned, or suspended."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from pydantic import JsonValue

from sayso.core.children import Request
from sayso.core.digest import JsonObject
from sayso.core.record import Allowed
from sayso.tools.answer_messages import with_note
from sayso.tools.idempotency import business_key
from sayso.tools.masking import Mask
from sayso.tools.signature import ArgumentsInvalid, not_finite
from sayso.tools.tool import Runnable


@dataclass(frozen=True, slots=True)
class Returned:
    """The call has ended. `value` is for the model; `result` is the tool's own, without the
    notes."""

    result: JsonValue
    notes: tuple[str, ...] = ()
    #: "Type: message" where the call failed: an error of the body, wrong arguments, no such tool.
    error: str | None = None
    #: The exception itself, where this segment saw it raised.
    exception: BaseException | None = None
    #: A person has said what became of it, where nobody knew.
    was_asked_about: bool = False
    #: How many characters of the result a model gets.
    longest: int | None = None

    @property
    def value(self) -> JsonValue:
        return with_note(shortened(self.result, self.longest), list(self.notes))


@dataclass(frozen=True, slots=True)
class CallSuspended:
    """The call waits for these requests, and is made again once they are answered."""

    requests: tuple[Request, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of a known tool. `key` names it within its run, `id` in its chat."""

    key: str
    id: str
    tool: Runnable
    arguments: JsonObject
    agent_name: str
    mask: Mask
    #: Who or what allowed it; empty while nothing has been decided.
    allowed: Allowed = field(default_factory=Allowed)

    def with_arguments(self, arguments: JsonObject) -> Call:
        mask = Mask(self.tool.traits.secrets, arguments)
        return replace(self, arguments=arguments, mask=mask)

    def with_checked(self, arguments: JsonObject) -> Call:
        """Return the call with these arguments whole. Raises ArgumentsInvalid, also for numbers
        that no rule can compare: NaN would pass as neither large nor small."""
        whole = self.tool.check(arguments)
        wrong = [*not_finite(arguments), *not_finite(whole)]
        if wrong:
            raise ArgumentsInvalid(wrong)
        return self.with_arguments(whole)


def shortened(result: JsonValue, longest: int | None) -> JsonValue:
    """Return a result as a model gets it; a longer one is cut, and says so."""
    if longest is None or not is_cut(result, longest):
        return result
    text = _as_text(result)
    return f"{text[:longest]}\n[cut: {longest:,} of {len(text):,} characters]"


def is_cut(result: JsonValue, longest: int | None) -> bool:
    return longest is not None and len(_as_text(result)) > longest


def _as_text(result: JsonValue) -> str:
    return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)


def key_of(call: Call) -> str | None:
    """Return the business key of this call, if its tool declares one."""
    template = call.tool.traits.key
    return business_key(template, call.arguments) if template is not None else None


class ToolCaller(Protocol):
    """What a context calls tools through; the toolbox implements it."""

    def has(self, tool: object) -> bool:
        """Return whether it is one of the agents' tools. Raises NotSupportedError for another one
        of the same name."""

    async def call(
        self,
        call_key: str,
        tool_name: str,
        arguments: Mapping[str, JsonValue],
        *,
        agent_name: str = "",
        tool: Runnable | None = None,
    ) -> Returned | CallSuspended: ...
