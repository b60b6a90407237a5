"""What every suite shares: asyncio as in the product, and no test that fails for being slow."""

import pytest
from hypothesis import settings

# On top of Hypothesis' own profile, which is another one in CI: a busy machine is not a bug.
settings.register_profile("sayso", parent=settings(), deadline=None)
settings.load_profile("sayso")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"
