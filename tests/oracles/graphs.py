"""Approval payloads in LangGraph: the model calls a tool that does nothing but ask, and then does
what it was told. Here the request comes back as JSON text, and the tool may end the run on it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import StructuredTool

from tests.contract.langgraph_builder import ScriptedModel
from tests.oracles.desk import Ledger, Wire
from tests.oracles.stories import ROWS, foreign_request, to_do

#: The first call of each graph, and whether its tool says `return_direct`.
GRAPHS: dict[str, tuple[str, Wire, bool]] = {
    "graph": ("ask_for_product", {"name": "box"}, False),
    "graph_rows": ("ask_for_exchanges", {"exchanges": ROWS}, False),
    "graph_direct": ("ask_for_product", {"name": "box"}, True),
    "graph_direct_rows": ("ask_for_exchanges", {"exchanges": ROWS}, True),
}


class ActingModel(ScriptedModel):
    """Its script is the call that asks."""

    def _reply(self, messages: list[BaseMessage]) -> tuple[list[str], Sequence[Any]]:
        name, arguments = self.script
        spoken = [each for each in messages if isinstance(each, HumanMessage)]
        heard = [each.text for each in messages if isinstance(each, ToolMessage)]
        if len(spoken) > 1 or len(heard) > 1:
            return ["Done."], ()
        if not heard:
            return [], [(name, arguments)]
        now = to_do(arguments, _read(heard[0]))
        if now is None:
            return ["Not done."], ()
        done = {"story": spoken[0].text, "tool_name": name, "arguments": now}
        return [], [("graph_act", done)]


def graphs(ledger: Ledger) -> dict[str, Any]:
    """The graphs by name, over tools that take down what they did."""

    def graph_act(story: str, tool_name: str, arguments: dict[str, Any]) -> str:
        """Do what was agreed."""
        ledger.write(story, tool=tool_name, arguments=arguments)
        return "done"

    def ask_for_product(name: str) -> str:
        """Ask whether this may be a product."""
        return json.dumps(foreign_request("output_product", name=name))

    def ask_for_exchanges(exchanges: list[dict[str, Any]]) -> str:
        """Ask whether these may be added."""
        return json.dumps(foreign_request("exchanges_batch", exchanges=exchanges))

    def graph(name: str, arguments: Wire, direct: bool) -> Any:
        tools = [StructuredTool.from_function(graph_act)] + [
            StructuredTool.from_function(each, return_direct=direct)
            for each in (ask_for_product, ask_for_exchanges)
        ]
        return create_agent(ActingModel(script=(name, arguments)), tools)

    return {name: graph(*how) for name, how in GRAPHS.items()}


def _read(text: str) -> Wire:
    said = json.loads(text) if text.startswith("{") else None
    return said if isinstance(said, dict) else {}
