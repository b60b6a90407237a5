"""What every suite shares: asyncio as in the product, and no test that fails for being slow."""

import gc

import pytest
from hypothesis import HealthCheck, settings

# On top of Hypothesis' own profile, which is another one in CI: a busy machine is not a bug.
settings.register_profile(
    "sayso",
    parent=settings(),
    deadline=None,
    suppress_health_check={*settings().suppress_health_check, HealthCheck.too_slow},
)
settings.load_profile("sayso")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


def pytest_collection_finish() -> None:
    """What is imported stays: the collector need not walk through five frameworks at each turn."""
    gc.collect()
    gc.freeze()
