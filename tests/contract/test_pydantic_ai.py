"""Pydantic AI passes the contract."""

from pathlib import Path
from typing import ClassVar

import pytest

pytest.importorskip("pydantic_ai")

from sayso.testing.adapter_contract import AdapterContract, Idiom, Turn, programs_of
from sayso.testing.contract.tools import OWN_REFUND

BUILDER = Path(__file__).with_name("pydantic_ai_builder.py")
ASK_OWNER = ("ask_owner", {"question": "Is it paid?"})


class TestPydanticAI(AdapterContract):
    builder = f"{BUILDER}:pydantic_ai"
    own_tools = f"{BUILDER}:own_tools"
    nested = f"{BUILDER}:nested"
    more: ClassVar = programs_of(BUILDER, lacks=("own_memory", "ends_on_result", "speakers"))
    idioms: ClassVar = {
        "requires_approval": Idiom(
            builder=f"{BUILDER}:requires_approval",
            script=[Turn("so ", [OWN_REFUND])],
            title="own_refund",
            answer={"decision": "approve"},
            said="refunded 42.0",
            done=["own_refund 1001 42.0"],
        ),
        "ApprovalRequired": Idiom(
            builder=f"{BUILDER}:approval_required",
            script=[Turn("so ", [OWN_REFUND])],
            title="own_refund",
            answer={"decision": "approve"},
            said="refunded 42.0",
            done=["own_refund 1001 42.0"],
        ),
        "CallDeferred": Idiom(
            builder=f"{BUILDER}:call_deferred",
            script=[Turn("so ", [ASK_OWNER])],
            title="Is it paid?",
            answer={"additional_notes": "Paid in May"},
            said="Paid in May",
        ),
    }
