"""Microsoft Agent Framework passes the contract."""

from pathlib import Path
from typing import ClassVar

import pytest

pytest.importorskip("agent_framework", reason="agent-framework-core is not installed")

from sayso.testing.adapter_contract import AdapterContract, Idiom, Turn, programs_of
from sayso.testing.contract.tools import OWN_REFUND, REFUND

BUILDER = Path(__file__).with_name("agent_framework_builder.py")


class TestAgentFramework(AdapterContract):
    builder = f"{BUILDER}:agent_framework"
    own_tools = f"{BUILDER}:own_tools"
    nested = f"{BUILDER}:nested"
    own_state = f"{BUILDER}:own_state"
    more: ClassVar = programs_of(
        BUILDER, lacks=("output_tool", "output_prompted", "output_validated")
    )
    idioms: ClassVar = {
        "approval_mode": Idiom(
            builder=f"{BUILDER}:approval_mode",
            script=[Turn("so ", [OWN_REFUND])],
            title="own_refund",
            answer={"decision": "approve"},
            said="refunded 42.0",
            done=["own_refund 1001 42.0"],
        ),
        "a tool without a body": Idiom(
            builder=f"{BUILDER}:declaration_only",
            script=[Turn("so ", [("ask_user", {"question": "Which region?"})])],
            title="Which region?",
            answer={"additional_notes": "Europe"},
            said='Results: "Europe"',
        ),
        "an agent that a tool runs by itself": Idiom(
            builder=f"{BUILDER}:run_in_a_tool",
            script=[Turn("inner ", [REFUND])],
            title="refund",
            answer={"decision": "approve"},
            said="refunded",
            done=["refund 1001 42.0"],
        ),
        "an agent that a tool makes": Idiom(
            builder=f"{BUILDER}:made_in_a_tool",
            script=[Turn("inner ", [REFUND])],
            title="refund",
            answer={"decision": "approve"},
            said="refunded",
            done=["refund 1001 42.0"],
        ),
    }
