"""The support desk: what `sayso demo` runs, and an example of an application on the public API."""

from __future__ import annotations

import os
from pathlib import Path

from sayso import App
from sayso.packs.support.agent import support_desk
from sayso.packs.support.orders import OrderBook
from sayso.packs.support.tools import support_tools

__all__ = ["support_app"]


def support_app(data_dir: Path | str) -> App:
    """The demo application; its order book lies in `data_dir`. With SAYSO_MODEL a model drives it."""
    tools = support_tools(OrderBook(Path(data_dir) / "orders.db"))
    model = os.environ.get("SAYSO_MODEL")
    if not model:
        return App({"support_desk": support_desk}, tools=tools)
    from sayso.packs.support.model import MODEL_POLICIES, model_agent

    return App({"support_desk": model_agent(model)}, tools=tools, policies=MODEL_POLICIES)
