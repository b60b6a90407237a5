"""AutoGen passes the contract of an adapter: an agent alone, and an agent in a team."""

from pathlib import Path
from typing import ClassVar

import pytest

pytest.importorskip("autogen_agentchat")

from sayso.testing.adapter_contract import AdapterContract, Idiom

BUILDERS = Path(__file__).with_name("autogen_builder.py")


class TestAutoGen(AdapterContract):
    builder = f"{BUILDERS}:autogen"
    own_tools = f"{BUILDERS}:autogen_own_tools"
    nested = f"{BUILDERS}:autogen_nested"
    more: ClassVar = {
        "own_blocking": f"{BUILDERS}:autogen_own_blocking",
        "output_tool": None,
        "output_native": f"{BUILDERS}:autogen_output_native",
        "output_prompted": None,
        "output_validated": None,
        "own_memory": f"{BUILDERS}:autogen_own_memory",
        "ends_on_result": f"{BUILDERS}:autogen_ends_on_result",
        "asks_as_object": f"{BUILDERS}:autogen_asks_as_object",
        "asks_as_text": f"{BUILDERS}:autogen_asks_as_text",
        "speakers": f"{BUILDERS}:autogen_speakers",
        "refused": f"{BUILDERS}:autogen_refused",
    }
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
