"""LangGraph passes the contract, with LangChain's agent."""

from pathlib import Path

import pytest

pytest.importorskip("langgraph")
pytest.importorskip("langchain")

from sayso.testing.adapter_contract import AdapterContract

BUILDER = Path(__file__).with_name("langgraph_builder.py")


class TestLangGraph(AdapterContract):
    builder = f"{BUILDER}:langgraph"
    own_tools = f"{BUILDER}:langgraph_own_tools"
    nested = f"{BUILDER}:langgraph_nested"
    own_state = f"{BUILDER}:langgraph_own_state"
