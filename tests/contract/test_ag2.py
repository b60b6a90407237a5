"""AG2 passes the contract of an adapter."""

from pathlib import Path
from typing import ClassVar

import pytest

pytest.importorskip("ag2")

from sayso.testing.adapter_contract import AdapterContract, Idiom, Turn
from sayso.testing.contract.tools import OWN_REFUND

BUILDERS = Path(__file__).with_name("ag2_builder.py")


class TestAG2(AdapterContract):
    builder = f"{BUILDERS}:ag2"
    own_tools = f"{BUILDERS}:ag2_own_tools"
    nested = f"{BUILDERS}:ag2_nested"
    own_state = f"{BUILDERS}:ag2_own_state"
    more: ClassVar = {
        "own_blocking": f"{BUILDERS}:ag2_own_blocking",
        "output_tool": None,
        "output_native": f"{BUILDERS}:ag2_output_native",
        "output_prompted": f"{BUILDERS}:ag2_output_prompted",
        "output_validated": None,
        "own_memory": None,
        "ends_on_result": f"{BUILDERS}:ag2_ends_on_result",
        "asks_as_object": f"{BUILDERS}:ag2_asks_as_object",
        "asks_as_text": f"{BUILDERS}:ag2_asks_as_text",
        "speakers": None,
        "refused": f"{BUILDERS}:ag2_refused",
    }
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
