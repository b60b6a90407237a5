"""OpenAI Agents passes the contract."""

from pathlib import Path
from typing import ClassVar

import pytest

pytest.importorskip("agents", reason="openai-agents is not installed")

from sayso.testing.adapter_contract import AdapterContract, Idiom, Turn
from sayso.testing.contract.tools import OWN_REFUND, REFUND

BUILDER = Path(__file__).with_name("openai_agents_builder.py")


class TestOpenAIAgents(AdapterContract):
    builder = f"{BUILDER}:openai_agents"
    own_tools = f"{BUILDER}:own_tools"
    nested = f"{BUILDER}:nested"
    own_state = f"{BUILDER}:own_state"
    more: ClassVar = {
        "own_blocking": f"{BUILDER}:own_blocking",
        "output_tool": None,
        "output_native": f"{BUILDER}:output_native",
        "output_prompted": None,
        "output_validated": None,
        # A session is given to the framework's Runner, never to an agent: the chat is Sayso's.
        "own_memory": None,
        "ends_on_result": f"{BUILDER}:ends_on_result",
        "asks_as_object": f"{BUILDER}:asks_as_object",
        "asks_as_text": f"{BUILDER}:asks_as_text",
        "speakers": f"{BUILDER}:speakers",
        "refused": f"{BUILDER}:refused",
    }
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
