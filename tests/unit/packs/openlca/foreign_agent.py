"""An agent as others write one for openLCA: LangGraph's ready-made agent, whose tools speak to the
IPC server with its client and ask by `interrupt`, with the entities themselves in what they show.

It knows nothing of Sayso.
"""

from __future__ import annotations

from typing import Any

import olca_ipc
import olca_schema as o
from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt import create_react_agent
from langgraph.types import interrupt


def foreign_agent(url: str, model: BaseChatModel) -> Any:
    return create_react_agent(model, tools=[foundation(url)], checkpointer=InMemorySaver())


def foundation(url: str) -> BaseTool:
    @tool
    def create_foundation(product_name: str, amount: float = 1.0) -> dict[str, Any]:
        """Create a product, the process that makes it, and its product system."""
        client = olca_ipc.Client(url)
        product = o.new_product(product_name, client.get(o.FlowProperty, name="Mass"))
        process = o.new_process(f"{product_name} production")
        o.new_output(process, product, amount).is_quantitative_reference = True
        decision = interrupt(
            {
                "entity_type": "product_system_foundation",
                "entity_summary": f"Foundation: {product_name} ({amount})",
                "entity_details": {"will_create": [f"Product flow: {product_name}", process.name]},
                "action": "create",
                "impact": "Will create the foundation of a product system",
                "entity_data": {"output_product": product, "process": process},
            }
        )
        if decision.get("decision") != "approve":
            return {"status": "rejected", "reason": decision.get("reason", "none")}
        client.put(product)
        made = client.create_product_system(client.put(process), o.LinkingConfig())
        return {"status": "success", "product_system_id": made.id}

    return create_foundation
