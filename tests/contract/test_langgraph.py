"""LangGraph passes the contract, with LangChain's agent."""

from pathlib import Path
from typing import ClassVar

import pytest

pytest.importorskip("langgraph")
pytest.importorskip("langchain")

from sayso.testing.adapter_contract import AdapterContract, Idiom, Turn, programs_of
from sayso.testing.contract.tools import OWN_REFUND

BUILDER = Path(__file__).with_name("langgraph_builder.py")


class TestLangGraph(AdapterContract):
    builder = f"{BUILDER}:langgraph"
    own_tools = f"{BUILDER}:langgraph_own_tools"
    nested = f"{BUILDER}:langgraph_nested"
    own_state = f"{BUILDER}:langgraph_own_state"
    more: ClassVar = programs_of(BUILDER, lacks=("output_prompted",))
    idioms: ClassVar = {
        "middleware": Idiom(
            builder=f"{BUILDER}:middleware",
            script=[Turn("so ", [OWN_REFUND])],
            title="own_refund",
            answer={"decision": "approve"},
            said="refunded 42.0",
            done=["own_refund 1001 42.0"],
        ),
        "an answer with a field": Idiom(
            builder=f"{BUILDER}:human_assistance",
            script=[Turn("so ", [("human_assistance", {"query": "Which size?"})])],
            title="Which size?",
            answer={"data": "size 42"},
            said="size 42",
        ),
        "an action to confirm": Idiom(
            builder=f"{BUILDER}:send_email",
            script=[Turn("so ", [("send_email", {"to": "ana", "subject": "hi"})])],
            title="Approve sending this email?",
            answer={"action": "approve", "to": "eva"},
            said="Email sent to eva",
            done=["sent eva hi"],
        ),
        "a yes": Idiom(
            builder=f"{BUILDER}:yes_or_no",
            title="Do you want to proceed?",
            answer={"decision": "approve"},
            said="proceeds",
        ),
        "a no": Idiom(
            builder=f"{BUILDER}:yes_or_no",
            title="Do you want to proceed?",
            answer={"decision": "reject", "reason": "not now"},
            said="stops",
        ),
        "review and edit": Idiom(
            builder=f"{BUILDER}:review_and_edit",
            title="Review the summary",
            answer={"edited_summary": "A better text"},
            said="A better text",
        ),
        "a number": Idiom(
            builder=f"{BUILDER}:asks_until_it_fits",
            title="What is your age?",
            answer={"additional_notes": "30"},
            said="age 30",
        ),
    }
