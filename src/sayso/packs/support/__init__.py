"""The support desk: what `sayso demo` runs, and an example of an application on the public API."""

from __future__ import annotations

import os
from pathlib import Path

from sayso import App, Rule, Verdict
from sayso.packs import app_at_first_use, data_dir
from sayso.packs.model_agent import model_agent
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

INSTRUCTIONS = """You are the support desk of a small shop that sells boxes by the month.

Look an order up before you speak about it. Say in a sentence what you are about to do, then call
the tool: where a person has to agree, the tool asks them itself, so never ask for permission in
words, and never say that something is done before the tool has said so. When a person refuses,
take their reason seriously. When you do not know which order is meant, use request_user_input
with the person's orders as options. Amounts are euros."""
#: A model may get an address wrong, so here a person sees it first.
MODEL_POLICIES = (Rule(tool="change_delivery", then=Verdict.ASK),)

#: Made at its first use, in SAYSO_DATA_DIR: `sayso serve sayso.packs.support:app`.
app: App


def support_app(data_dir: Path | str) -> App:
    """Return the demo application, with its order book in `data_dir`. With SAYSO_MODEL, a model
    drives."""
    tools = support_tools(OrderBook(Path(data_dir) / "orders.db"))
    model = os.environ.get("SAYSO_MODEL")
    if not model:
        return App({"support_desk": support_desk}, tools=tools, starters=STARTERS)
    agent = model_agent(model, "support_desk", INSTRUCTIONS)
    return App({"support_desk": agent}, tools=tools, policies=MODEL_POLICIES, starters=STARTERS)


__getattr__ = app_at_first_use(__name__, lambda: support_app(data_dir("demo")))
