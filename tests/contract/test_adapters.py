"""Every adapter passes the contract."""

from pathlib import Path

import pytest

from sayso.testing.adapter_contract import AdapterContract

BUILDERS = Path(__file__).with_name("builders.py")


class TestFunction(AdapterContract):
    builder = f"{BUILDERS}:function"


class TestScripted(AdapterContract):
    builder = f"{BUILDERS}:scripted"


class TestPydanticAI(AdapterContract):
    builder = f"{BUILDERS}:pydantic_ai"
    own_tools = f"{BUILDERS}:pydantic_ai_own_tools"
    nested = f"{BUILDERS}:pydantic_ai_nested"

    @pytest.fixture(autouse=True)
    def _installed(self) -> None:
        pytest.importorskip("pydantic_ai")
