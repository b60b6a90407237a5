"""Strands passes the contract."""

from pathlib import Path
from typing import ClassVar

import pytest

pytest.importorskip("strands", reason="strands-agents is not installed")

from sayso.testing.adapter_contract import AdapterContract, Idiom, Turn, programs_of
from sayso.testing.contract.tools import OWN_REFUND, REFUND

BUILDER = Path(__file__).with_name("strands_builder.py")


class TestStrands(AdapterContract):
    builder = f"{BUILDER}:strands"
    own_tools = f"{BUILDER}:own_tools"
    nested = f"{BUILDER}:nested"
    own_state = f"{BUILDER}:own_state"
    # An answer by the provider's own schema is no way of an agent of Strands: it is asked for
    # by a tool, and JSON text is taken where a provider cannot be made to call it.
    more: ClassVar = programs_of(BUILDER, lacks=("output_native", "output_prompted"))
    idioms: ClassVar = {
        "an interrupt of a hook": Idiom(
            builder=f"{BUILDER}:hook",
            script=[Turn("so ", [OWN_REFUND])],
            title="Refund?",
            answer={"decision": "approve"},
            said="refunded 42.0",
            done=["own_refund 1001 42.0"],
        ),
        "an interrupt in a tool": Idiom(
            builder=f"{BUILDER}:interrupt_in_a_tool",
            script=[Turn("so ", [("close", {"order": 7})])],
            title="Why?",
            answer={"additional_notes": "it is lost"},
            said="closed: it is lost",
            done=["close 7"],
        ),
        "handoff_to_user": Idiom(
            builder=f"{BUILDER}:handoff",
            script=[Turn("so ", [("handoff_to_user", {"message": "Which region?"})])],
            title="Which region?",
            answer={"additional_notes": "Europe"},
            said="Europe",
        ),
        "HumanInTheLoop": Idiom(
            builder=f"{BUILDER}:human_in_the_loop",
            script=[Turn("so ", [OWN_REFUND])],
            title='Approve "own_refund"?\n  Input: {"order": 1001, "amount": 42.0}',
            answer={"decision": "approve"},
            said="refunded 42.0",
            done=["own_refund 1001 42.0"],
        ),
        "an agent that a tool makes and runs": Idiom(
            builder=f"{BUILDER}:run_in_a_tool",
            script=[Turn("inner ", [REFUND])],
            title="refund",
            answer={"decision": "approve"},
            said="refunded",
            done=["refund 1001 42.0"],
        ),
        "an agent that a tool runs": Idiom(
            builder=f"{BUILDER}:named_in_a_tool",
            script=[Turn("inner ", [REFUND])],
            title="refund",
            answer={"decision": "approve"},
            said="refunded",
            done=["refund 1001 42.0"],
        ),
    }
