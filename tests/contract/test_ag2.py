"""AG2 passes the contract of an adapter."""

from pathlib import Path
from typing import ClassVar

import pytest

pytest.importorskip("ag2")

from sayso.testing.adapter_contract import AdapterContract, Idiom, Turn, programs_of
from sayso.testing.contract.tools import OWN_REFUND

BUILDERS = Path(__file__).with_name("ag2_builder.py")


class TestAG2(AdapterContract):
    builder = f"{BUILDERS}:ag2"
    own_tools = f"{BUILDERS}:ag2_own_tools"
    nested = f"{BUILDERS}:ag2_nested"
    own_state = f"{BUILDERS}:ag2_own_state"
    more: ClassVar = programs_of(
        BUILDERS, prefix="ag2_", lacks=("output_tool", "output_validated", "own_memory", "speakers")
    )
    idioms: ClassVar = {
        "approval_required": Idiom(
            builder=f"{BUILDERS}:ag2_approval_required",
            script=[Turn("so ", [OWN_REFUND])],
            title="own_refund",
            answer={"decision": "approve"},
            said="refunded 42.0",
            done=["own_refund 1001 42.0"],
        ),
        "ctx.input": Idiom(
            builder=f"{BUILDERS}:ag2_input",
            script=[Turn("so ", [("ask_size", {})])],
            title="Which size?",
            answer={"additional_notes": "size 42"},
            said="size 42",
        ),
    }
