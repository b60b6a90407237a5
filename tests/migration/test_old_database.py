"""A database that an older Sayso left, with runs of every kind waiting in it, opens and goes on."""

from __future__ import annotations

import asyncio
import gzip
from collections import Counter
from pathlib import Path

import pytest

from sayso.app import build_engine, open_store
from sayso.core.cards import CardKind, OptionsCard
from sayso.core.digest import JsonObject
from sayso.core.inbox import InteractionFilter
from sayso.core.interactions import Interaction, InteractionState
from sayso.engine.engine import Engine
from sayso.engine.runtime import EngineSettings
from sayso.testing.contract.tools import deeds, use_ledger
from tests.migration.desk import FRAMEWORKS, programs

OLD = Path(__file__).with_name("old")
GUARD_SECONDS = 120
#: What had been done when the file was made, and what is done once the rest is approved.
BEFORE = ["look_up 8", "look_up 7", "pay 7 12.5", "pay 3 10.0", "pay 9 begins"]
AFTER = [
    "close 6 10.0",
    *("pay 1 10.0", "pay 2 10.0", "pay 2 10.0"),
    *("close 5 3.0", "pay 5 3.5"),
    "refund 1001 42.0",
    *("refund 1001 42.0", "refund 1002 42.0") * len(FRAMEWORKS),
]
ANSWERS: dict[CardKind, JsonObject] = {
    CardKind.OPTIONS: {"selected_option": "energy", "additional_notes": "because"},
    CardKind.FORM: {"street": "Main", "number": 2},
    CardKind.UNCERTAIN_EFFECT: {"selected_option": "mark_done", "values": {"result": "it was"}},
}


async def test_runs_that_wait_in_an_old_database_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "sayso.db").write_bytes(gzip.decompress((OLD / "040e3c4.sqlite.gz").read_bytes()))
    (tmp_path / "ledger").write_bytes((OLD / "040e3c4.ledger").read_bytes())
    use_ledger(tmp_path / "ledger")
    monkeypatch.setenv("GATE_LEDGER", str(tmp_path / "gate"))
    assert deeds() == BEFORE
    engine = build_engine(
        programs(), open_store(tmp_path / "sayso.db"), EngineSettings(own_thread=False)
    )
    await engine.start()
    try:
        async with asyncio.timeout(GUARD_SECONDS):
            while await _open_runs(engine):
                for it in await _pending(engine):
                    await _answer(engine, it)
                await asyncio.sleep(0.01)
            ended = {chat: await _ended(engine, chat) for chat in programs() if chat != "clerk"}
    finally:
        await engine.stop()
    assert Counter(deeds()) == Counter([*BEFORE, *AFTER])
    assert (tmp_path / "gate").read_text().splitlines() == ["checklist Tokyo 10 2"]
    failed = {chat: said for chat, (status, said) in ended.items() if status != "completed"}
    assert list(failed) == ["collided"]
    assert "call 'pay' never ran" in failed["collided"]
    assert ended["payer"][1].endswith("it was")
    assert (
        "Choice(id='energy', notes='because') Address(street='Main', number=2) True because"
        in ended["asker"][1]
    )


async def _open_runs(engine: Engine) -> list[str]:
    return [
        chat
        for chat in programs()
        if chat != "clerk" and (await _ended(engine, chat))[0] in ("ready", "running", "waiting")
    ]


async def _ended(engine: Engine, chat: str) -> tuple[str, str]:
    view = await engine.store.load_view("default", chat)
    assert view is not None
    assert view.run is not None
    said = "".join(m.content for m in view.messages if m.role == "assistant")
    return view.run.status, f"{said}{view.run.error or ''}"


async def _pending(engine: Engine) -> list[Interaction]:
    wanted = InteractionFilter(status=InteractionState.PENDING)
    return await engine.store.interactions("default", wanted)


async def _answer(engine: Engine, it: Interaction) -> None:
    shown = it.meta.digest
    kind = CardKind(it.card.card)
    body: JsonObject = dict(ANSWERS.get(kind, {"decision": "approve"}))
    if isinstance(it.card, OptionsCard) and not it.card.options:
        body = {"additional_notes": "because"}
    named: JsonObject = {"metadata": {"digest": shown}} if shown is not None else {}
    await engine.answer("default", it.id, {**body, **named}, key=None, by="ann")
