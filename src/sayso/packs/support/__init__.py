"""The support desk: what `sayso demo` runs, and an example of an application on the public API."""

from __future__ import annotations

import os
from pathlib import Path

from sayso import App
from sayso.packs.support.agent import support_desk
from sayso.packs.support.orders import OrderBook
from sayso.packs.support.tools import support_tools

__all__ = ["app", "support_app"]

STARTERS = [
    "refund order 1001",
    "refund orders 1001, 1002 and 1003",
    "change my delivery",
    "check my orders",
    "write a summary",
]

#: Made at its first use, in SAYSO_DATA_DIR: `sayso serve sayso.packs.support:app`.
app: App


def support_app(data_dir: Path | str) -> App:
    """Return the demo application, with its order book in `data_dir`. With SAYSO_MODEL, a model
    drives."""
    tools = support_tools(OrderBook(Path(data_dir) / "orders.db"))
    model = os.environ.get("SAYSO_MODEL")
    if not model:
        return App({"support_desk": support_desk}, tools=tools, starters=STARTERS)
    from sayso.packs.support.model_agent import MODEL_POLICIES, model_agent

    agents = {"support_desk": model_agent(model)}
    return App(agents, tools=tools, policies=MODEL_POLICIES, starters=STARTERS)


def __getattr__(name: str) -> App:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sayso.settings import default_data_dir

    place = os.environ.get("SAYSO_DATA_DIR")
    made = support_app(Path(place) if place else default_data_dir() / "demo")
    globals()["app"] = made
    return made
