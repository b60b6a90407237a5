"""OpenAI Agents passes the contract."""

from pathlib import Path
from typing import ClassVar

import pytest

pytest.importorskip("agents", reason="openai-agents is not installed")

from sayso.testing.adapter_contract import AdapterContract, Idiom, Turn, programs_of
from sayso.testing.contract.tools import OWN_REFUND, REFUND

BUILDER = Path(__file__).with_name("openai_agents_builder.py")


class TestOpenAIAgents(AdapterContract):
    builder = f"{BUILDER}:openai_agents"
    own_tools = f"{BUILDER}:own_tools"
    nested = f"{BUILDER}:nested"
    own_state = f"{BUILDER}:own_state"
    # A session is given to the framework's Runner, never to an agent: the chat is Sayso's.
    more: ClassVar = programs_of(
        BUILDER, lacks=("output_tool", "output_prompted", "output_validated", "own_memory")
    )
    idioms: ClassVar = {
        "needs_approval": Idiom(
            builder=f"{BUILDER}:needs_approval",
            script=[Turn("so ", [OWN_REFUND])],
            title="own_refund",
            answer={"decision": "approve"},
            said="refunded 42.0",
            done=["own_refund 1001 42.0"],
        ),
        "needs_approval by a function": Idiom(
            builder=f"{BUILDER}:needs_approval_by_function",
            script=[Turn("so ", [OWN_REFUND])],
            title="own_refund",
            answer={"decision": "approve"},
            said="refunded 42.0",
            done=["own_refund 1001 42.0"],
        ),
        "an agent that a tool runs by itself": Idiom(
            builder=f"{BUILDER}:run_in_a_tool",
            script=[Turn("inner ", [REFUND])],
            title="refund",
            answer={"decision": "approve"},
            said="refunded",
            done=["refund 1001 42.0"],
        ),
    }
