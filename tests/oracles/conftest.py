"""What the oracles share: how many examples they look at, and an event loop for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import HealthCheck, seed, settings

from tests.seeds import SEED, SOAK


def looks(examples: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """This many examples, from this run's seed; `SAYSO_SOAK=20` looks twenty times as long."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        chosen = settings(
            max_examples=examples * SOAK,
            deadline=None,
            database=None,
            derandomize=False,
            suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
        )
        return seed(SEED)(chosen(test))

    return decorate


@pytest.fixture(scope="module")
def portal() -> Iterator[BlockingPortal]:
    """An event loop that outlives an example: a server is started once for all of them."""
    with start_blocking_portal("asyncio") as it:
        yield it


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("oracle")
