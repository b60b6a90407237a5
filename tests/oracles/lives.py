"""Lives of real processes: each tells a program over the same file, and one may be killed in it.

A life is a picklable object with `live()`, like those of the adapters' contract. Their fork server
starts it: a fork of a process that has everything imported.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sayso import AgentContext
from sayso.testing.contract.lives import kill_here
from tests.oracles.client import Client
from tests.oracles.desk import GUARD_SECONDS, Ledger, Story, desk
from tests.oracles.fates import Fate
from tests.oracles.programs import Block, Call, Failed, Person, Told, tell, tools_of

POLL_SECONDS = 0.004
Yeses = Mapping[tuple[str, int | None], int]


@dataclass
class Life:
    folder: Path
    #: Its chat is the one that the lives of this name share.
    name: str
    program: Block
    yeses: Yeses
    #: Die by SIGKILL at this await; 0 is to live on.
    at: int = 0

    passed: int = 0
    value: Any = "never ended"
    ran: list[Any] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)

    @property
    def chat(self) -> Path:
        return self.folder / f"{self.name}.chat"

    @property
    def left(self) -> Path:
        """What was open in the life that was killed."""
        return self.folder / f"{self.name}.left"

    def live(self) -> None:
        asyncio.run(self._live())

    async def _live(self) -> None:
        ledger, stories = Ledger(self.folder / "ledger"), dict[str, Story]()
        fate = Fate(self.at, self._killed)
        tools = tools_of(ledger, lambda: fate)

        async def story(ctx: AgentContext) -> None:
            try:
                self.value = await tell(self.program, Told(ctx, tools, fate.passes))
            except Failed:
                self.value = "failed"
            await fate.passes()

        async with (
            asyncio.timeout(GUARD_SECONDS),
            desk(self.folder, *tools.values(), ledger=ledger, stories=stories) as here,
        ):
            if self.chat.exists():
                stories[chat := self.chat.read_text()] = story
            else:
                chat = await here.open_chat()
                stories[chat] = story
                self.chat.write_text(chat)
                await here.say(chat, chat)
            client = Client(here, chat, Person(self.yeses, counts=False), ledger)
            while (status := await client.status()) != "completed":
                cards = await client.open_cards() if status == "waiting" else []
                for card in cards[:1]:
                    await client.answer(card)
                await asyncio.sleep(POLL_SECONDS)
            self.asked = await client.asked_what_ran()
        self.passed, self.ran = fate.passed, ledger.of(chat)

    async def _killed(self, fate: Fate) -> None:
        self.left.write_text(json.dumps(fate.open))
        kill_here()


def warm_up(_: object) -> None:
    """Live once where all others are forked: they then begin with everything imported."""
    with tempfile.TemporaryDirectory() as place:
        Life(Path(place), "warm", Block((Call("both"), Call("refund"))), {}).live()
