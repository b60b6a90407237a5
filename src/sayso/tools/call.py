"""One tool call on its way through the toolbox, and the two ways it comes out: returned, or waiting
for people."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pydantic import JsonValue

from sayso.core.children import Request
from sayso.core.digest import JsonObject
from sayso.tools.masking import Mask
from sayso.tools.outcomes import with_note
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

    @property
    def value(self) -> JsonValue:
        return with_note(self.result, list(self.notes))


@dataclass(frozen=True, slots=True)
class NeedsPerson:
    """The call waits: these are to be asked, and the call made again with what they answer."""

    requests: tuple[Request, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of a tool that is there. `key` names it within its run, `id` in its chat."""

    key: str
    id: str
    tool: Runnable
    arguments: JsonObject
    agent_name: str
    mask: Mask

    def with_arguments(self, arguments: JsonObject) -> Call:
        mask = Mask(self.tool.traits.secrets, arguments)
        return replace(self, arguments=arguments, mask=mask)
