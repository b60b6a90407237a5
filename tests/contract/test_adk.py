"""The adapter of Google ADK passes the contract."""

from pathlib import Path
from typing import ClassVar

import pytest

pytest.importorskip("google.adk")

from sayso.testing.adapter_contract import AdapterContract, Idiom, Turn, programs_of
from sayso.testing.contract.tools import OWN_REFUND

BUILDERS = Path(__file__).with_name("adk_builder.py")


class TestADK(AdapterContract):
    builder = f"{BUILDERS}:adk"
    arguments_are_text = False
    own_tools = f"{BUILDERS}:adk_own_tools"
    nested = f"{BUILDERS}:adk_nested"
    own_state = f"{BUILDERS}:adk_own_state"
    more: ClassVar = programs_of(BUILDERS, prefix="adk_", lacks=("output_prompted",))
    idioms: ClassVar = {
        "require_confirmation": Idiom(
            builder=f"{BUILDERS}:adk_requires_confirmation",
            script=[Turn("so ", [OWN_REFUND])],
            title="own_refund",
            answer={"decision": "approve"},
            said="refunded 42.0",
            done=["own_refund 1001 42.0"],
        ),
        "a confirmation with a payload": Idiom(
            builder=f"{BUILDERS}:adk_confirmation_payload",
            script=[Turn("so ", [("request_time_off", {"days": 7})])],
            title="request_time_off",
            answer={"decision": "approve", "edits": {"approved_days": 5}},
            said='"approved_days": 5',
            done=["approved 5"],
        ),
        "a long-running tool": Idiom(
            builder=f"{BUILDERS}:adk_long_running",
            script=[Turn("so ", [("ask_for_approval", {"purpose": "trip", "amount": 200})])],
            title="ask_for_approval is done outside of the agent. What came of it?",
            answer={"values": {"status": "approved"}},
            said='{"status": "approved", "amount": 200, "ticketId": "ticket-1"}',
        ),
        "a choice": Idiom(
            builder=f"{BUILDERS}:adk_user_choice",
            script=[Turn("so ", [("get_user_choice", {"options": ["EU", "US"]})])],
            title="Which one?",
            answer={"selected_option": "EU"},
            said='Results: "EU"',
        ),
    }
