"""A use case runs to its end once it has begun, whoever stops waiting for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class HasInFlight(Protocol):
    """Owns the tasks of its use cases."""

    in_flight: set[asyncio.Task[Any]]


Self = TypeVar("Self", bound=HasInFlight)
Method = Callable[Concatenate[Self, P], Coroutine[Any, Any, T]]


def shielded(method: Method[Self, P, T]) -> Method[Self, P, T]:
    """Run the method to its end once it has begun. If it were cancelled between the commit and what
    follows, a run would be claimed here and not started until its lease is over."""

    @wraps(method)
    async def whole(engine: Self, /, *args: P.args, **kwargs: P.kwargs) -> T:
        task = asyncio.create_task(method(engine, *args, **kwargs))
        engine.in_flight.add(task)
        task.add_done_callback(engine.in_flight.discard)
        return await asyncio.shield(task)

    return whole
