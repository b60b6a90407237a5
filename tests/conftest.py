"""What every suite shares: async tests run on asyncio, as the product does."""

import pytest


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"
