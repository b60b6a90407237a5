"""Make a verb a method of the store: awaiting it runs the verb's transaction.

mypy knows the whole signature of what comes out, so that a store which misses a verb of the port,
or takes other arguments, does not type-check.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

from sayso.core.ports import Clock
from sayso.core.store_results import AnsweredTooLate, Moved, Settled
from sayso.store.transaction import Driver, Transaction

P = ParamSpec("P")
T = TypeVar("T")


class Bindable(Protocol):
    """What a bound verb needs of its store."""

    driver: Driver
    clock: Clock


Method = Callable[Concatenate[Bindable, P], Coroutine[Any, Any, T]]
Timed = Callable[Concatenate[Clock, P], Transaction[T]]


def read(verb: Callable[P, Transaction[T]]) -> Method[P, T]:
    """Bind a verb that only reads."""

    @wraps(verb)
    async def method(store: Bindable, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await store.driver.read(verb(*args, **kwargs))

    return method


def read_with_clock(verb: Timed[P, T]) -> Method[P, T]:
    """Bind a verb that only reads, and is given the store's clock."""

    @wraps(verb)
    async def method(store: Bindable, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await store.driver.read(verb(store.clock, *args, **kwargs))

    return method


def write(verb: Callable[P, Transaction[T]]) -> Method[P, T]:
    """Bind a verb that writes."""

    @wraps(verb)
    async def method(store: Bindable, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await store.driver.write(verb(*args, **kwargs))

    return method


def write_with_clock(verb: Timed[P, T]) -> Method[P, T]:
    """Bind a verb that writes, and is given the store's clock."""

    @wraps(verb)
    async def method(store: Bindable, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await store.driver.write(verb(store.clock, *args, **kwargs))

    return method


@overload
def write_in_time(verb: Timed[P, Settled | AnsweredTooLate]) -> Method[P, Settled]: ...
@overload
def write_in_time(
    verb: Timed[P, Settled | Moved | AnsweredTooLate],
) -> Method[P, Settled | Moved]: ...
def write_in_time(verb: Timed[P, Settled | Moved | AnsweredTooLate]) -> Method[P, Settled | Moved]:
    """Bind a verb that may find its card overdue: the expiry is committed, and then raised."""

    @wraps(verb)
    async def method(store: Bindable, /, *args: P.args, **kwargs: P.kwargs) -> Settled | Moved:
        outcome = await store.driver.write(verb(store.clock, *args, **kwargs))
        if isinstance(outcome, AnsweredTooLate):
            raise outcome
        return outcome

    return method


def write_blocking(verb: Callable[P, Transaction[T]]) -> Callable[Concatenate[Bindable, P], T]:
    """Bind a verb that writes, for a thread without a loop."""

    @wraps(verb)
    def method(store: Bindable, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return store.driver.write_blocking(verb(*args, **kwargs))

    return method
