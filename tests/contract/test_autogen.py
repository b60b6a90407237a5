"""AutoGen passes the contract of an adapter: an agent alone, and an agent in a team."""

from pathlib import Path

import pytest

from sayso.testing.adapter_contract import AdapterContract

pytest.importorskip("autogen_agentchat")

BUILDERS = Path(__file__).with_name("autogen_builder.py")


class TestAutoGen(AdapterContract):
    builder = f"{BUILDERS}:autogen"
    own_tools = f"{BUILDERS}:autogen_own_tools"
    nested = f"{BUILDERS}:autogen_nested"


class TestAutoGenTeam(AdapterContract):
    builder = f"{BUILDERS}:autogen_team"
    own_tools = f"{BUILDERS}:autogen_team_own_tools"
    nested = f"{BUILDERS}:autogen_team_nested"
