"""AutoGen passes the contract of an adapter: an agent alone, and an agent in a team."""

from pathlib import Path
from typing import ClassVar

import pytest

pytest.importorskip("autogen_agentchat")

from sayso.testing.adapter_contract import AdapterContract, Idiom, programs_of

BUILDERS = Path(__file__).with_name("autogen_builder.py")


class TestAutoGen(AdapterContract):
    builder = f"{BUILDERS}:autogen"
    own_tools = f"{BUILDERS}:autogen_own_tools"
    nested = f"{BUILDERS}:autogen_nested"
    more: ClassVar = programs_of(
        BUILDERS, prefix="autogen_", lacks=("output_tool", "output_prompted", "output_validated")
    )
    idioms: ClassVar = {
        "a handoff to the person": Idiom(
            builder=f"{BUILDERS}:autogen_handoff_to_a_person",
            title="desk hands over to you. What do you say?",
            answer={"additional_notes": "size 42"},
            said="I was told: size 42",
        ),
        "a person in the team": Idiom(
            builder=f"{BUILDERS}:autogen_user_proxy",
            title="What do you say?",
            answer={"additional_notes": "APPROVE"},
            said="Results: ",
        ),
    }


class TestAutoGenTeam(AdapterContract):
    builder = f"{BUILDERS}:autogen_team"
    own_tools = f"{BUILDERS}:autogen_team_own_tools"
    nested = f"{BUILDERS}:autogen_team_nested"
