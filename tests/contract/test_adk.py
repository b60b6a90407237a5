"""The adapter of Google ADK passes the contract."""

from pathlib import Path

import pytest

from sayso.testing.adapter_contract import AdapterContract

pytest.importorskip("google.adk")

BUILDERS = Path(__file__).with_name("adk_builder.py")


class TestADK(AdapterContract):
    builder = f"{BUILDERS}:adk"
    own_tools = f"{BUILDERS}:adk_own_tools"
    nested = f"{BUILDERS}:adk_nested"
    own_state = f"{BUILDERS}:adk_own_state"
