"""Programs that call tools whose names and arguments collide, told twice: in plain Python, and
through Sayso. The tree of a program is the same for both; only `call`, `gather` and `ask` differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

from hypothesis import strategies as st

from sayso import AgentContext, StepFailed, ToolContext, tool
from tests.oracles.desk import Ledger, Wire, story_of
from tests.oracles.fates import Fate, Passes

#: What a gated call gives when the person said no.
NO = "NO"


class Failed(Exception):
    """A tool's error, wherever it was called."""


class Io(Protocol):
    """What a program may do."""

    async def call(self, name: str, **arguments: object) -> Any: ...
    async def gather(self, *branches: Awaitable[Any]) -> list[Any]: ...
    async def ask(self, question: str) -> Any: ...
    async def confirm(self, title: str) -> Any: ...


@dataclass(frozen=True)
class Call:
    name: str
    order: int | None = 7


@dataclass(frozen=True)
class Ask:
    question: str


@dataclass(frozen=True)
class Confirm:
    title: str


@dataclass(frozen=True)
class Block:
    steps: tuple[Node, ...]


@dataclass(frozen=True)
class Loop:
    times: int
    body: Node


@dataclass(frozen=True)
class Gather:
    branches: tuple[Node, ...]


@dataclass(frozen=True)
class Try:
    """The body, and what is done instead when it fails."""

    body: Node
    otherwise: Node


@dataclass(frozen=True)
class Unless:
    """The second only where the first was not refused."""

    first: Node
    then: Node


Node = Call | Ask | Confirm | Block | Loop | Gather | Try | Unless


async def tell(node: Node, io: Io) -> Any:
    """The program, step by step; its value is all that its steps gave."""
    match node:
        case Call(name, order):
            return await io.call(name, **({} if order is None else {"order": order}))
        case Ask(question):
            return await io.ask(question)
        case Confirm(title):
            return await io.confirm(title)
        case Block(steps):
            return [await tell(each, io) for each in steps]
        case Loop(times, body):
            return [await tell(body, io) for _ in range(times)]
        case Gather(branches):
            return list(await io.gather(*(tell(each, io) for each in branches)))
        case Try(body, otherwise):
            try:
                return await tell(body, io)
            except Failed:
                return ["failed", await tell(otherwise, io)]
        case Unless(first, then):
            value = await tell(first, io)
            return [value, None if value == NO else await tell(then, io)]


# What the tools do. A line is written at the end of a body: what stands before a question within it
# happens again when that is answered, as the documents say.
Body = Callable[..., Awaitable[Any]]


async def look_up(io: Io, order: int) -> Any:
    return f"order {order}"


async def refund(io: Io, order: int) -> Any:
    return f"refunded {order}"


async def cancel_subscription(io: Io, order: int) -> Any:
    return f"cancelled {order}"


async def note(io: Io, order: int) -> Any:
    return f"noted {order}"


async def log(io: Io, order: int) -> Any:
    return f"logged {order}"


async def both(io: Io, order: int) -> Any:
    return [await io.call("note", order=order), await io.call("log", order=order)]


async def settle(io: Io, order: int) -> Any:
    return [await io.call(name, order=order) for name in ("look_up", "refund")]


async def close(io: Io, order: int) -> Any:
    once = await io.gather(io.call("note", order=order), io.call("refund", order=order))
    return [once, await io.call("cancel_subscription", order=order)]


async def end_all(io: Io, order: int) -> Any:
    return [await io.call("settle", order=order), await io.call("refund", order=order)]


async def ping(io: Io) -> Any:
    return "pong"


async def beat(io: Io) -> Any:
    return "beaten"


async def wipe(io: Io) -> Any:
    return "wiped"


async def broken(io: Io, order: int) -> Any:
    raise Failed(f"no order {order}")


#: By name: what it does, and whether a person is asked.
BODIES: dict[str, tuple[Body, bool]] = {
    "look_up": (look_up, False),
    "refund": (refund, True),
    "cancel_subscription": (cancel_subscription, True),
    "note": (note, False),
    "log": (log, False),
    "both": (both, False),
    "settle": (settle, False),
    "close": (close, True),
    "end_all": (end_all, False),
    "ping": (ping, False),
    "beat": (beat, False),
    "wipe": (wipe, True),
    "broken": (broken, False),
}
NO_ARGUMENTS = ("ping", "beat", "wipe")
READ_ONLY = ("look_up", "broken")


class Person:
    """Says yes to a call so many times, and no from then on; and has words for each question."""

    def __init__(self, yeses: Mapping[tuple[str, int | None], int], *, counts: bool) -> None:
        self._yeses, self._asked, self._counts = yeses, Counter[str](), counts

    def allows(self, name: str, arguments: Wire) -> bool:
        yeses = self._yeses.get((name, arguments.get("order")), 1)
        if not self._counts:
            return yeses > 0
        self._asked[key := f"{name} {arguments}"] += 1
        return self._asked[key] <= yeses

    def agrees(self, title: str) -> bool:
        return self.allows(title, {})

    def answer(self, question: str) -> str:
        if self._counts:
            self._asked[question] += 1
        return f"{question} {self._asked[question]}"


class Plain:
    """Plain Python: plain calls, and the same yes and no."""

    def __init__(self, person: Person) -> None:
        self.person, self.ledger = person, list[Wire]()

    async def call(self, name: str, **arguments: Any) -> Any:
        body, gated = BODIES[name]
        if gated and not self.person.allows(name, arguments):
            return NO
        value = await body(self, **arguments)
        self.ledger.append({"tool": name, "arguments": arguments})
        return value

    async def gather(self, *branches: Awaitable[Any]) -> list[Any]:
        found: list[Any] = []
        for each in branches:
            try:
                found.append(await each)
            except Failed as exc:
                found.append(exc)
        for each in found:
            if isinstance(each, Failed):
                raise each
        return found

    async def ask(self, question: str) -> Any:
        return self.person.answer(question)

    async def confirm(self, title: str) -> Any:
        return self.person.agrees(title)


class Told:
    """The same through a context of Sayso. Before and after each await its process may end."""

    def __init__(
        self, ctx: AgentContext | ToolContext, tools: Mapping[str, object], passes: Passes
    ) -> None:
        self._ctx, self._tools, self._passes = ctx, tools, passes

    async def call(self, name: str, **arguments: object) -> Any:
        await self._passes()
        try:
            value = await self._ctx.call(self._tools[name], **arguments)
        except StepFailed as exc:
            await self._passes()
            raise Failed(str(exc)) from exc
        await self._passes()
        return NO if isinstance(value, dict) and value.get("status") == "rejected" else value

    async def gather(self, *branches: Awaitable[Any]) -> list[Any]:
        found = list(await self._ctx.gather(*branches))
        await self._passes()
        return found

    async def ask(self, question: str) -> Any:
        words = await self._ctx.ask(question)
        await self._passes()
        return words

    async def confirm(self, title: str) -> Any:
        agreed = await self._ctx.confirm(title)
        await self._passes()
        return agreed


def tools_of(ledger: Ledger, fate: Callable[[], Fate]) -> dict[str, object]:
    """The bodies as tools of Sayso, which write to this ledger. The process may end before and
    after they act."""
    found: dict[str, object] = {}

    def declare(name: str, body: Body, gated: bool) -> object:
        async def run(ctx: ToolContext, **arguments: Any) -> Any:
            with nullcontext() if name in READ_ONLY else fate().body(name):
                value = await body(Told(ctx, found, fate().passes), **arguments)
                await fate().passes()
                ledger.write(story_of(ctx), tool=name, arguments=arguments, value=value)
                await fate().passes()
                return value

        async def with_order(ctx: ToolContext, order: int) -> Any:
            return await run(ctx, order=order)

        async def alone(ctx: ToolContext) -> Any:
            return await run(ctx)

        made: Any = alone if name in NO_ARGUMENTS else with_order
        return tool(name=name, approval=gated, read_only=name in READ_ONLY)(made)

    for name, (body, gated) in BODIES.items():
        found[name] = declare(name, body, gated)
    return found


_orders = st.sampled_from([7, 7, 7, 5])
_calls: st.SearchStrategy[Node] = st.builds(
    Call, st.sampled_from([n for n in BODIES if n not in NO_ARGUMENTS]), _orders
) | st.builds(Call, st.sampled_from(NO_ARGUMENTS), st.none())
_asks: st.SearchStrategy[Node] = st.builds(Ask, st.sampled_from(["Why?", "7"])) | st.builds(
    Confirm, st.sampled_from(["Sure?", "Really?"])
)


def _larger(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(inner, min_size=1, max_size=3).map(tuple)
    return (
        st.builds(Block, several)
        | st.builds(Loop, st.integers(2, 3), inner)
        | st.builds(Gather, several)
        | st.builds(Try, inner, inner)
        | st.builds(Unless, inner, inner)
    )


_nodes: st.SearchStrategy[Node] = st.recursive(_calls | _calls | _asks, _larger, max_leaves=6)


PROGRAMS: st.SearchStrategy[Block] = st.builds(
    Block, st.lists(_nodes, min_size=1, max_size=4).map(tuple)
)


def gathers(node: Node) -> bool:
    """Whether steps of it run beside each other: their order is then nobody's promise."""
    match node:
        case Call(name, _):
            return name == "close"
        case Gather():
            return True
        case Block(steps):
            return any(gathers(each) for each in steps)
        case Loop(_, body):
            return gathers(body)
        case Try(one, other) | Unless(one, other):
            return gathers(one) or gathers(other)
        case _:
            return False


YESES: st.SearchStrategy[dict[tuple[str, int | None], int]] = st.dictionaries(
    st.tuples(st.sampled_from(["refund", "cancel_subscription", "close"]), _orders)
    | st.tuples(st.sampled_from(["wipe", "Sure?", "Really?"]), st.none()),
    st.sampled_from([0, 1, 1, 2, 9]),
    max_size=5,
)
