"""Tools: a function, with what the toolbox must know of it.

`@tool` makes one; the function stays callable as it was. `@mytool.prepare` computes what the
approval card shows.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from types import MethodType
from typing import Generic, Literal, ParamSpec, Protocol, TypeVar, overload

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from sayso.core.attachments import File, WebLink
from sayso.core.cards import Column
from sayso.core.digest import JsonObject
from sayso.core.errors import NotSupportedError
from sayso.core.interactions import OnExpiry
from sayso.tools.idempotency import KEY, Found, as_found, check_key
from sayso.tools.questions import as_on_expiry, as_timedelta
from sayso.tools.signature import Parameters
from sayso.tools.suspension import ProposalStale, ToolMistake
from sayso.tools.threads import call_function, is_async, slot_for

__all__ = [
    "Approval",
    "Prepared",
    "ProposalStale",
    "Tool",
    "ToolMistake",
    "Traits",
    "as_tool",
    "tool",
]

P = ParamSpec("P")
R = TypeVar("R")
PrepareT = TypeVar("PrepareT", bound=Callable[..., object])

#: What an exception out of a body says of what the body has done.
OnError = Literal["uncertain", "failed"]

#: True, a predicate on the arguments, or the name of a policy.
Approval = bool | str | Callable[[Mapping[str, JsonValue]], bool]


class Prepared(BaseModel):
    """What `prepare` found out, with no side effect: it becomes the proposal and its card."""

    model_config = ConfigDict(extra="forbid")

    summary: str = ""
    #: The one sentence above the card.
    message: str | None = None
    entity_type: str = ""
    action: str = ""
    #: Exactly what will run or be written; the arguments themselves when None.
    details: JsonObject | None = None
    #: Decided one by one. `row_id` names a row, else its number does.
    rows: list[JsonObject] = Field(default_factory=list)
    #: Keys of the rows in the order to show them, or columns with labels of their own; all keys
    #: when empty.
    columns: list[str | Column] = Field(default_factory=list)
    impact: str | None = None
    warnings: list[str] = Field(default_factory=list)
    #: For the body (`ctx.proposal.data`), under the digest, not drawn.
    data: JsonObject = Field(default_factory=dict)
    #: Arguments a person may change on the card ("amount"), or cells of the rows
    #: ("exchanges.amount"); all of them when None.
    editable: list[str] | None = None
    context: JsonObject = Field(default_factory=dict)
    #: What is there now, by the name of the argument that replaces it: the card shows the change.
    before: JsonObject = Field(default_factory=dict)
    #: What it rests on: files, shown where they are images, and links.
    attachments: list[File | WebLink] = Field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What a tool declares of itself. `declared` is False where nobody has said whether its calls
    need a person: a bare function, or a framework's tool without a confirmation flag."""

    declared: bool = True
    approval: Approval = False
    read_only: bool = False
    idempotent: bool = False
    destructive: bool = False
    final_confirmation: bool = False
    requires_reason: bool = True
    expires_in: timedelta | None = None
    on_expiry: OnExpiry = field(default_factory=OnExpiry)
    assignees: tuple[str, ...] = ()
    title: str = ""
    secrets: frozenset[str] = frozenset()
    editable: tuple[str, ...] | None = None
    #: The argument that is a list of rows to decide one by one: the body gets the approved ones
    #: alone.
    rows: str | None = None
    #: Whether its calls may be approved together with others where no rule speaks of them.
    bulk: bool = False
    #: Whether its results are read for approval payloads, as those of undeclared tools are.
    detect: bool = False
    #: What it means when its body raises: nobody knows whether it acted, or its author says that
    #: it has not.
    on_error: OnError = "uncertain"
    #: Looks up what became of a call that was interrupted.
    reconcile: Callable[..., object] | None = None
    #: The business key of what it does, over the arguments that run: "refund:{order}".
    key: str | None = None
    #: How long an approved call waits before it begins, so that the yes can be taken back.
    hold: timedelta | None = None
    #: How many characters of a result its model gets; the row in the chat has it whole.
    longest_for_model: int | None = None

    @property
    def declares_that_it_acts(self) -> bool:
        return self.destructive or self.key is not None or self.reconcile is not None


_UNDECLARED = Traits(declared=False)


class Runnable(Protocol):
    """What the toolbox can call: our tools, and any framework's own tool that an adapter wraps."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def traits(self) -> Traits: ...
    @property
    def schema(self) -> JsonObject: ...
    @property
    def is_ours(self) -> bool:
        """False for tools that nobody made with `@tool`: their results may be approval payloads."""

    def check(self, arguments: Mapping[str, JsonValue]) -> JsonObject:
        """Return the arguments whole, as JSON. Raises ArgumentsInvalid."""

    async def propose(self, arguments: JsonObject, ctx: object) -> Prepared | None:
        """Return what the card should show, with no side effect; None when the arguments say it
        all."""

    def start(self, arguments: JsonObject, ctx: object) -> Awaitable[object]:
        """Run the body. A thread that cannot be stopped is marked by `in_thread`."""

    @property
    def in_thread(self) -> bool: ...


class ToolSource(Protocol):
    """Tools that may change while the application runs: those of MCP servers."""

    @property
    def known(self) -> Sequence[Runnable]:
        """The tools as far as they are known without asking anybody."""

    async def tools(self, person: str | None) -> Sequence[Runnable]:
        """Return the tools for a segment of this person's."""


class Tool(Generic[P, R]):
    """A function that agents may call through the toolbox."""

    is_ours = True

    def __init__(
        self, function: Callable[P, R], *, name: str, description: str, traits: Traits
    ) -> None:
        self.function = function
        self.name = name
        self.description = description
        self.traits = traits
        self.parameters = Parameters(function, name)
        changed = {name.partition(".")[0] for name in traits.editable or ()}
        unknown = (traits.secrets | changed | ({traits.rows} if traits.rows else set())) - set(
            self.parameters.names
        )
        if unknown:
            raise NotSupportedError(f"The tool '{name}' has no parameter '{sorted(unknown)[0]}'.")
        if traits.bulk and traits.final_confirmation:
            raise NotSupportedError(
                f"The tool '{name}' wants a final confirmation, so it cannot be approved in bulk.",
                fix="Take one of `bulk` and `final_confirmation` away.",
            )
        if traits.key is not None:
            check_key(traits.key, name, self.parameters.names)
        self._look_up = (
            _Companion(traits.reconcile, "reconcile", name, [*self.parameters.names, KEY])
            if traits.reconcile
            else None
        )
        if traits.read_only and (traits.key is not None or traits.reconcile is not None):
            raise NotSupportedError(
                f"The tool '{name}' is read_only: it does nothing that could be done twice.",
                fix="Take `read_only` away, or `key` and `reconcile`.",
            )
        self._prepare: _Companion | None = None
        self.__doc__ = function.__doc__
        self.__name__ = name
        self.__wrapped__ = function

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> Tool[..., R]:
        """Return the tool of this object, where a method was made one."""
        if instance is None or not self.is_method:
            return self
        of_it: Tool[..., R] = type(self)(
            MethodType(self.function, instance),
            name=self.name,
            description=self.description,
            traits=self.traits,
        )
        if self._prepare is not None:
            of_it.prepare(MethodType(self._prepare.function, instance))
        return of_it

    def __repr__(self) -> str:
        return f"<sayso tool {self.name}>"

    @property
    def is_method(self) -> bool:
        """Whether it still lacks the object that it is a method of."""
        return self.parameters.names[:1] == ["self"]

    def is_made_of(self, thing: object) -> bool:
        return self.function == getattr(thing, "function", thing)

    @property
    def in_thread(self) -> bool:
        return not is_async(self.function)

    @property
    def schema(self) -> JsonObject:
        return self.parameters.schema

    def prepare(self, function: PrepareT) -> PrepareT:
        """Register what computes the proposal. It takes the tool's parameters, or some of them, by
        name.

        It must not act. It returns a Prepared (or its fields as a dict), or raises ToolMistake to
        refuse.
        """
        self._prepare = _Companion(function, "prepare", self.name, self.parameters.names)
        return function

    def check(self, arguments: Mapping[str, JsonValue]) -> JsonObject:
        return self.parameters.check(arguments)[0]

    async def propose(self, arguments: JsonObject, ctx: object) -> Prepared | None:
        if self._prepare is None:
            return None
        values = self.parameters.check(arguments)[1]
        async with slot_for(self._prepare.function, ctx):
            found = await self._prepare.call(ctx, values)
        try:
            return found if isinstance(found, Prepared) else Prepared.model_validate(found)
        except ValidationError as exc:
            raise TypeError(f"prepare of '{self.name}' needs to return Prepared: {exc}") from exc

    async def look_up(self, arguments: JsonObject, ctx: object, key: str) -> Found:
        """Return what became of a call with these arguments, as `reconcile` finds it; None where it
        cannot be known."""
        if self._look_up is None:
            return None
        values = {KEY: key, **self.parameters.check(arguments)[1]}
        return as_found(await self._look_up.call(ctx, values), self.name)

    def start(self, arguments: JsonObject, ctx: object) -> Awaitable[object]:
        values = self.parameters.check(arguments)[1]
        return call_function(self.function, self.parameters.takes_context, ctx, values)


class _Companion:
    """A function beside a tool's body (`prepare`, `reconcile`), called with those of the tool's
    arguments that it takes."""

    def __init__(
        self, function: Callable[..., object], role: str, tool: str, known: Sequence[str]
    ) -> None:
        self.function = function
        self._parameters = Parameters(function, f"{tool}.{role}")
        unknown = set(self._parameters.names) - set(known)
        if unknown:
            raise NotSupportedError(
                f"{role} of '{tool}' takes '{sorted(unknown)[0]}', which the tool has not."
            )

    async def call(self, ctx: object, values: Mapping[str, object]) -> object:
        wanted = {name: values[name] for name in self._parameters.names}
        return await call_function(self.function, self._parameters.takes_context, ctx, wanted)


class BareFunction(Tool[P, R]):
    """A callable that was given as a tool and that nobody declared."""

    is_ours = False


@overload
def tool(function: Callable[P, R], /) -> Tool[P, R]: ...


@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    approval: Approval = False,
    read_only: bool = False,
    idempotent: bool = False,
    destructive: bool = False,
    final_confirmation: bool = False,
    requires_reason: bool = True,
    expires_in: timedelta | float | None = None,
    on_expiry: OnExpiry | str = "reject",
    assignees: Sequence[str] = (),
    title: str = "",
    secrets: Sequence[str] = (),
    editable: Sequence[str] | None = None,
    rows: str | None = None,
    bulk: bool = False,
    detect: bool = False,
    on_error: OnError = "uncertain",
    reconcile: Callable[..., object] | None = None,
    key: str | None = None,
    hold: timedelta | float | None = None,
) -> Callable[[Callable[P, R]], Tool[P, R]]: ...


def tool(
    function: Callable[P, R] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    approval: Approval = False,
    read_only: bool = False,
    idempotent: bool = False,
    destructive: bool = False,
    final_confirmation: bool = False,
    requires_reason: bool = True,
    expires_in: timedelta | float | None = None,
    on_expiry: OnExpiry | str = "reject",
    assignees: Sequence[str] = (),
    title: str = "",
    secrets: Sequence[str] = (),
    editable: Sequence[str] | None = None,
    rows: str | None = None,
    bulk: bool = False,
    detect: bool = False,
    on_error: OnError = "uncertain",
    reconcile: Callable[..., object] | None = None,
    key: str | None = None,
    hold: timedelta | float | None = None,
) -> Tool[P, R] | Callable[[Callable[P, R]], Tool[P, R]]:
    """Make a function a tool. `expires_in` is a timedelta or seconds; `secrets` names arguments to
    mask; `editable` those that a person may change on the card ("amount"), or cells of the rows
    ("exchanges.amount"); `detect` reads its results for approval payloads. `on_error="failed"` says
    that a body which raises has done nothing; `reconcile` looks up whether it has: it returns
    Done(result), NotDone(), or None where it cannot know. `key="refund:{order}"` names what it
    does: it is done once for all chats. `hold` is how long an approved call waits before it begins:
    until then the yes can be taken back."""
    traits = Traits(
        approval=approval,
        read_only=read_only,
        idempotent=idempotent,
        destructive=destructive,
        final_confirmation=final_confirmation,
        requires_reason=requires_reason,
        expires_in=as_timedelta(expires_in),
        on_expiry=as_on_expiry(on_expiry),
        assignees=tuple(assignees),
        title=title,
        secrets=frozenset(secrets),
        editable=tuple(editable) if editable is not None else None,
        rows=rows,
        bulk=bulk,
        detect=detect,
        on_error=on_error,
        reconcile=reconcile,
        key=key,
        hold=as_timedelta(hold, name="hold"),
    )

    def make(fn: Callable[P, R]) -> Tool[P, R]:
        own_name = name or _name(fn)
        said = description if description is not None else _first_paragraph(fn)
        return Tool(fn, name=own_name, description=said, traits=traits)

    return make if function is None else make(function)


def as_tool(thing: object) -> Runnable:
    """Return a Tool as it is; make any other callable a tool that needs no approval of its own."""
    if isinstance(thing, Tool):
        if thing.is_method:
            raise NotSupportedError(
                f"The tool '{thing.name}' is a method, and no object is there to call it on.",
                fix=f"Give it of an object: `bank.{thing.name}` with `bank = Bank()`.",
            )
        return thing
    if hasattr(thing, "traits") and hasattr(thing, "propose"):
        return thing  # type: ignore[return-value]  # an adapter's own Runnable
    if callable(thing):
        return BareFunction(
            thing, name=_name(thing), description=_first_paragraph(thing), traits=_UNDECLARED
        )
    raise NotSupportedError(
        f"{thing!r} is not a tool.", fix="Give a function, or one made with @tool."
    )


def _name(function: Callable[..., object]) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _first_paragraph(function: Callable[..., object]) -> str:
    return (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ").strip()
