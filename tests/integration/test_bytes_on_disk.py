"""What a turn costs on the disk: late in a long chat as much as early, beyond its own text."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from sayso import AgentContext, App, tool
from sayso.adapters.scripted import CallTool, Say, ScriptedAgent
from tests.integration.test_engine import running, until

TURNS = 200
#: A few turns together: the file grows by pages.
SPAN = 20


@tool
async def order_part(part: str) -> str:
    """Order a part."""
    return f"{part} is ordered"


@tool(approval=True)
async def refund(order: int) -> str:
    """Pay it back."""
    return f"{order} is paid back"


async def asks(ctx: AgentContext) -> str:
    """Know the whole chat, act, wait for a person, and answer."""
    await ctx.call("order_part", part="chain")
    paid = await ctx.call("refund", order=7)
    return f"{paid}, after {len(ctx.history)} messages"


SCRIPTED = ScriptedAgent([Say("I see. "), CallTool("order_part", {"part": "chain"}), Say("Done.")])


@pytest.mark.parametrize("agent", [SCRIPTED, asks], ids=["calls a tool", "waits for a person"])
async def test_a_late_turn_adds_what_an_early_one_does(agent: object, tmp_path: Path):
    sizes = list[int]()
    async with running(App({"clerk": agent}, tools=[order_part, refund]), tmp_path) as engine:
        chat = await engine.create_chat("default")
        for turn in range(TURNS):
            await engine.post_message(
                "default", chat.id, content="please " * 10, client_message_id=f"m{turn}"
            )
            view = await until(engine, chat.id, "waiting", "completed", "failed")
            for card in view.messages:
                if card.ui_tool.get("ui_tool_status") == "pending":
                    body = {"approved": True, "metadata": {"digest": _digest(card.ui_tool)}}
                    await engine.answer("default", card.event_id, body, key=None, by="ada")
                    await until(engine, chat.id, "completed", "failed")
            sizes.append(_bytes_in(tmp_path))
    early = (sizes[10 + SPAN] - sizes[10]) / SPAN
    late = (sizes[-1] - sizes[-1 - SPAN]) / SPAN
    assert late <= 1.2 * early, (early, late)
    assert late < 20_000, late


def _digest(tool: Mapping[str, object]) -> object:
    payload = tool["payload"]
    assert isinstance(payload, dict)
    return payload["sayso"]["digest"]


def _bytes_in(place: Path) -> int:
    """Return what the rows of the database take; pages that are free are taken again first."""
    (path,) = place.glob("*.db")
    with closing(sqlite3.connect(path)) as db:
        pages, free, size = (
            db.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
    return int((pages - free) * size)
