"""AG2 passes the contract of an adapter."""

from pathlib import Path

import pytest

from sayso.testing.adapter_contract import AdapterContract

pytest.importorskip("ag2")


BUILDERS = Path(__file__).with_name("ag2_builder.py")


class TestAG2(AdapterContract):
    builder = f"{BUILDERS}:ag2"
    own_tools = f"{BUILDERS}:ag2_own_tools"
    nested = f"{BUILDERS}:ag2_nested"
    own_state = f"{BUILDERS}:ag2_own_state"
