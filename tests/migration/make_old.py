"""Makes `old/040e3c4.sqlite.gz` and its ledger. Run it on the code of that commit, never on newer:

git worktree add --detach OLD 040e3c4
cp tests/migration/desk.py tests/migration/make_old.py OLD/tests/migration/
cd OLD && PYTHONPATH=src:. python tests/migration/make_old.py FOLDER
"""

from __future__ import annotations

import asyncio
import gzip
import os
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from sayso.app import build_engine, open_store
from sayso.core.digest import JsonObject
from sayso.core.inbox import InteractionFilter
from sayso.core.interactions import Interaction, InteractionState
from sayso.engine.engine import Engine
from sayso.engine.runtime import EngineSettings
from sayso.testing.contract.tools import use_ledger
from tests.migration.desk import DIES, FRAMEWORKS, programs

COMMIT = "040e3c4"
#: How many cards wait in each chat once all is as it should be in the file.
CARDS: Mapping[str, int] = {
    "decider": 1,
    "gatherer": 3,
    "asker": 4,
    "settler": 1,
    "collided": 1,
    "payer": 1,
    "parent": 1,
    "gated": 1,
    **dict.fromkeys(FRAMEWORKS, 2),
}
GUARD_SECONDS = 120


async def make(path: Path) -> None:
    engine = build_engine(programs(), open_store(path), EngineSettings(own_thread=False))
    await engine.start()
    try:
        async with asyncio.timeout(GUARD_SECONDS):
            for chat in CARDS:
                await say(engine, chat, "go" if chat != "gated" else TRIP)
            await cards(engine, "decider", 1)
            # Settled by an edit, so that the file has a decision with its effect as well.
            [first] = await cards(engine, "decider", 1)
            await approve(engine, first, edits={"amount": 12.5})
            [one, *_] = await cards(engine, "gatherer", 4)
            await approve(engine, one)
            [sure] = await cards(engine, "settler", 1)
            await engine.answer("default", sure.id, {"decision": "approve"}, key=None, by="ann")
            await say(engine, "gated", "create the checklist", "m2")
            for chat, count in CARDS.items():
                if chat != "payer":
                    await cards(engine, chat, count)
    finally:
        await engine.stop()


TRIP = "I'm flying from New York to Tokyo for 10 days with my wife"


async def say(engine: Engine, chat: str, words: str, message: str = "m1") -> None:
    if message == "m1":
        await engine.store.create_chat("default", agent=chat, chat_id=chat)
    else:
        while True:
            view = await engine.store.load_view("default", chat)
            if view is not None and view.run is not None and view.run.status == "completed":
                break
            await asyncio.sleep(0.01)
    await engine.post_message("default", chat, content=words, client_message_id=message, by="ann")


async def cards(engine: Engine, chat: str, count: int) -> list[Interaction]:
    wanted = InteractionFilter(chat_id=chat, status=InteractionState.PENDING)
    while True:
        found = await engine.store.interactions("default", wanted)
        if len(found) == count:
            return sorted(found, key=lambda it: it.created_at)
        await asyncio.sleep(0.01)


async def approve(engine: Engine, it: Interaction, **more: object) -> None:
    assert it.proposal is not None
    body: JsonObject = {"decision": "approve", "digest": it.meta.digest, **more}  # type: ignore[dict-item]
    await engine.answer("default", it.id, body, key=None, by="ann")


async def die_paying(path: Path) -> None:
    """Approve the payer's payment in a process that the payment kills."""
    engine = build_engine(programs(), open_store(path), EngineSettings(own_thread=False))
    await engine.start()
    [it] = await cards(engine, "payer", 1)
    await approve(engine, it)
    await asyncio.sleep(GUARD_SECONDS)


async def find_out(path: Path) -> None:
    """Take over the run of the dead process: the person is asked what became of the payment."""
    engine = build_engine(programs(), open_store(path), EngineSettings(own_thread=False))
    await engine.start()
    async with asyncio.timeout(GUARD_SECONDS):
        while True:
            [it] = await cards(engine, "payer", 1)
            if it.card.card.value == "uncertain_effect":
                break
            await asyncio.sleep(0.01)
    await engine.stop()


def main() -> None:
    folder = Path(sys.argv[1])
    path, ledger = folder / "sayso.db", folder / f"{COMMIT}.ledger"
    use_ledger(ledger)
    if len(sys.argv) > 2:
        asyncio.run(die_paying(path))
        return
    asyncio.run(make(path))
    died = subprocess.run(
        [sys.executable, __file__, str(folder), "die"], env={**os.environ, DIES: "1"}, check=False
    )
    assert died.returncode < 0, "it was to die"
    asyncio.run(find_out(path))
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        raw.execute("PRAGMA journal_mode = DELETE")
        raw.execute("VACUUM")
    (folder / f"{COMMIT}.sqlite.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    path.unlink()


if __name__ == "__main__":
    main()
