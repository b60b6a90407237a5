"""Each transaction of each story fails once, at each place; then what the world saw, the effects,
the cards, the audit and the page agree.

The oracle is a ledger file that the bodies of the tools write: it knows nothing of Sayso.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import sqlite3
import tempfile
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sayso import AgentContext, App, tool
from sayso.app import open_store
from sayso.clock import SystemClock
from sayso.core.chat_view import ChatView
from sayso.core.errors import AlreadySettled, SaysoError
from sayso.core.events import ChatEvent
from sayso.core.inbox import InteractionFilter
from sayso.core.interactions import Interaction, InteractionState
from sayso.engine import background, effect_writer
from sayso.engine.engine import Engine
from sayso.engine.runtime import EngineSettings
from sayso.feed import LocalFeed
from sayso.store.store import SqlStore
from sayso.testing.fold import fold
from tests.oracles.faults import (
    BY_ITSELF,
    KEYS,
    CountedTransaction,
    Fault,
    Kind,
    Place,
    Plan,
    faulty_store,
)
from tests.seeds import SEED, SOAK

#: Nothing here takes this long; it only ends a story that hangs.
GUARD_SECONDS = 30


@dataclass
class Desk:
    """What a story is played with: the ledger, the application, and the person's hand in it."""

    place: Path
    released: threading.Event = field(default_factory=threading.Event)

    @property
    def ledger(self) -> list[str]:
        file = self.place / "ledger.txt"
        return file.read_text().split() if file.exists() else []

    def write(self, item: str) -> None:
        with (self.place / "ledger.txt").open("a") as file:
            file.write(f"{item}\n")


class Played:
    """A story under way: its engine, its chat, and what its person does with what is asked."""

    def __init__(self, desk: Desk, app: App, plan: Plan) -> None:
        self.desk, self.app, self.plan = desk, app, plan
        self.chat = ""
        self.engine = self._engine(plan)

    @property
    def path(self) -> Path:
        return self.desk.place / "sayso.db"

    def _engine(self, plan: Plan) -> Engine:
        return Engine(
            store=faulty_store(self.path, plan),
            feed=LocalFeed(),
            clock=SystemClock(),
            programs=self.app.programs(),
            settings=EngineSettings(own_thread=False, grace_seconds=0.0, sweep_seconds=0.05),
        )

    async def die_and_live(self) -> None:
        """Its process ends as a kill ends it: nothing more of it reaches the file. Then another
        one starts."""
        self.plan.is_dead = True
        await self.engine.stop()
        self.plan.is_dead = False
        self.engine = self._engine(self.plan)
        await self.insist(self.engine.start)  # whoever keeps it running starts it again

    async def insist(self, act: Callable[[], Awaitable[object]]) -> None:
        """As a good browser does: the same request again until the server has answered it."""
        while True:
            try:
                await act()
                return
            except AlreadySettled:
                raise  # somebody else was first, so it will never be taken
            except (SaysoError, sqlite3.Error):
                await asyncio.sleep(0.005)

    async def view(self) -> ChatView:
        view = await self.engine.store.load_view("default", self.chat, limit=1000)
        assert view is not None
        return view

    async def pending(self) -> list[Interaction]:
        wanted = InteractionFilter(status=InteractionState.PENDING, chat_id=self.chat)
        return await self.engine.store.interactions("default", wanted)

    async def answer(self, it: Interaction, body: dict[str, Any]) -> None:
        if it.proposal is not None:
            body = {**body, "metadata": {"digest": it.digest}}
        await self.insist(
            lambda: self.engine.answer("default", it.id, body, key=f"k-{it.id}", by="ana")
        )

    async def say_what_became(self, it: Interaction) -> None:
        """A person who is asked what became of a call looks at the world."""
        item = json.dumps(it.card.tool_params)  # type: ignore[union-attr]
        done = any(f'"{line}"' in item for line in self.desk.ledger)
        option = "mark_done" if done else "run_again"
        # The end that was kept may come first: then the truth has settled the card by itself.
        with suppress(AlreadySettled):
            await self.answer(it, {"selected_option": option})

    def end_leases(self) -> None:
        """Time passes: whoever has given a run up, or died over it, has it no longer."""
        if self.engine.health["segments"] == 0:
            with closing(sqlite3.connect(self.path, timeout=30)) as db, db:
                db.execute("UPDATE run SET lease_until = 0 WHERE state = 'running'")


Person = Callable[[Played], Awaitable[None]]


@dataclass(frozen=True)
class Story:
    """An application, and a person who is looked in upon again and again until it is over."""

    name: str
    app: Callable[[Desk], App]
    person: Person
    #: What the world must have seen in the end.
    expected: tuple[str, ...]
    final: tuple[str, ...] = ("completed",)


def one_call(desk: Desk, **options: Any) -> App:
    @tool(approval=True, **options)
    async def send(item: str) -> str:
        desk.write(item)
        return f"sent {item}"

    async def agent(ctx: AgentContext) -> None:
        try:
            await ctx.say(str(await ctx.call(send, item="one")))
        except Exception as exc:  # as the frameworks of models do
            await ctx.say(f"It failed: {exc}")

    return App(agent, tools=[send])


def three_calls(desk: Desk) -> App:
    @tool(approval=True)
    async def send(item: str) -> str:
        desk.write(item)
        return f"sent {item}"

    async def agent(ctx: AgentContext) -> None:
        calls = [ctx.call(send, item=item) for item in ("one", "two", "three")]
        await ctx.say(str(await ctx.gather(*calls)))

    return App(agent, tools=[send])


def slow_call(desk: Desk) -> App:
    @tool(approval=True)
    def send(item: str) -> str:
        desk.write(item)
        assert desk.released.wait(GUARD_SECONDS)
        return f"sent {item}"

    async def agent(ctx: AgentContext) -> None:
        await ctx.say(str(await ctx.call(send, item="one")))

    return App(agent, tools=[send])


def endless_call(desk: Desk) -> App:
    @tool(approval=True)
    async def send(item: str) -> str:
        desk.write(item)
        if not desk.released.is_set():
            await asyncio.Event().wait()
        return f"sent {item}"

    async def agent(ctx: AgentContext) -> None:
        await ctx.say(str(await ctx.call(send, item="one")))

    return App(agent, tools=[send])


def says(*bodies: dict[str, Any]) -> Person:
    """A person with an answer to each proposal in its order, who looks at the world when asked what
    became of it."""

    async def person(played: Played) -> None:
        for it in await played.pending():
            if it.card.card.value == "uncertain_effect":
                await played.say_what_became(it)
            else:
                items = ("one", "two", "three")
                number = items.index(str(it.proposal.arguments["item"]))  # type: ignore[union-attr]
                await played.answer(it, bodies[number])

    return person


APPROVE = {"decision": "approve", "reason": "go"}
REJECT = {"decision": "reject", "reason": "not this"}


async def cancels(played: Played) -> None:
    """Approves, and cancels as soon as the tool has begun."""
    if played.desk.ledger and not played.desk.released.is_set():
        await played.insist(
            lambda: played.engine.cancel(
                "default", chat_id=played.chat, reason="changed my mind", by="ana"
            )
        )
        played.desk.released.set()
    await says(APPROVE)(played)


async def kills(played: Played) -> None:
    """Approves; the process dies in the middle of the tool."""
    if played.desk.ledger and not played.desk.released.is_set():
        await played.die_and_live()
        played.desk.released.set()
    await says(APPROVE)(played)


async def waits(played: Played) -> None:
    """Lets the card's time pass."""


STORIES = [
    Story("approve", one_call, says(APPROVE), ("one",)),
    Story("edit", one_call, says({**APPROVE, "edits": {"item": "two"}}), ("two",)),
    Story("reject", one_call, says(REJECT), ()),
    Story("batch", three_calls, says(APPROVE, REJECT, APPROVE), ("one", "three")),
    Story("expire", lambda desk: one_call(desk, expires_in=0.02), waits, ()),
    Story("cancel", slow_call, cancels, ("one",), final=("cancelled",)),
    Story("takeover", endless_call, kills, ("one",)),
]


async def play(story: Story, blank: Path, name: str, fault: Fault | None) -> Plan:
    """Play it to its end, in spite of the fault; then compare what everybody says."""
    place = blank.with_name(name)
    place.mkdir()
    shutil.copy(blank, place / "sayso.db")
    plan = Plan()
    played = Played(desk := Desk(place), story.app(desk), plan)
    await played.engine.start()
    try:
        async with asyncio.timeout(GUARD_SECONDS):
            played.chat = (await played.engine.create_chat("default")).id
            plan.arm(fault)
            await played.insist(
                lambda: played.engine.post_message(
                    "default", played.chat, content="go", client_message_id="m1", by="ana"
                )
            )
            while not await is_over(played, story):
                await story.person(played)
                played.end_leases()
                played.engine.runtime.sweep.nudge()
                await asyncio.sleep(0.005)
    finally:
        desk.released.set()
        await played.engine.stop()
    await compare(story, played)
    return plan


async def is_over(played: Played, story: Story) -> bool:
    view = await played.view()
    if view.run is None or view.run.status not in story.final or played.engine.health["segments"]:
        return False
    if await played.pending() or played.engine.runtime.effect_writer.unwritten:
        return False
    # A call that the end of its run has left behind ends a moment after it.
    left = {str(effect["state"]) for effect in effects_of(played.path).values()}
    return not left & {"started", "uncertain"}


async def compare(story: Story, played: Played) -> None:
    seen = tuple(sorted(played.desk.ledger))
    assert seen == tuple(sorted(story.expected)), f"the world saw {seen}"
    store = SqlStore.sqlite(played.path, keys=KEYS)
    await store.open()
    try:
        view = await store.load_view("default", played.chat, limit=1000)
        assert view is not None
        frames = await store.events_after("default", played.chat, 0)
        cards = await store.interactions(
            "default", InteractionFilter(chat_id=played.chat), limit=1000
        )
        lines = await store.audit("default", chat_id=played.chat, limit=1000)
        assert not (await store.verify_audit("default")).broken
    finally:
        await store.close()
    events = [frame.body for frame in frames if isinstance(frame.body, ChatEvent)]
    assert fold(empty(view), events) == view, "the page is not what the log says"
    assert view.run is not None
    assert view.run.status in story.final

    assert left_started(played.path) == []
    newest = effects_of(played.path)
    done = sorted(str(e["item"]) for e in newest.values() if e["state"] == "done")
    assert done == list(seen), f"recorded as done: {done}; the world saw {list(seen)}"
    assert {e["state"] for e in newest.values()} <= {"done"}
    shown = [call for call in view.tool_calls if call.status.value == "done"]
    assert sorted(str(call.arguments["item"]) for call in shown) == list(seen)

    assert {it.state for it in cards} & {InteractionState.PENDING} == set()
    told = Counter(line.action for line in lines)
    assert told["effect.done"] == len(done)
    for state in InteractionState:
        if state is not InteractionState.PENDING:
            count = sum(it.state is state for it in cards)
            assert told[f"interaction.{state.value}"] == count, f"{state}: {told}"


def effects_of(path: Path) -> dict[str, dict[str, object]]:
    """The newest attempt of each call, read from the file itself."""
    with closing(sqlite3.connect(path)) as db:
        rows = list(db.execute("SELECT key, state, arguments FROM effect ORDER BY key, attempt"))
    return {key: {"state": state, **json.loads(arguments)} for key, state, arguments in rows}


def left_started(path: Path) -> list[tuple[str, int]]:
    """Attempts that stand as under way in a run that has ended: there must be none."""
    with closing(sqlite3.connect(path)) as db:
        return list(
            db.execute(
                "SELECT key, attempt FROM effect JOIN run ON run.id = run_id"
                " WHERE effect.state = 'started'"
                " AND run.state IN ('completed', 'failed', 'cancelled')"
            )
        )


def empty(view: ChatView) -> ChatView:
    """The view before anything happened in this chat."""
    return ChatView(
        id=view.id,
        app_id=view.app_id,
        log_id=view.log_id,
        agent=view.agent,
        created_at=view.created_at,
    )


def faults_of(seen: list[CountedTransaction], chance: random.Random) -> list[Fault]:
    """A fault for each transaction and place: of each statement and kind where it soaks, else of
    one by chance."""
    made = []
    for one in seen:
        first = 2 if one.verb in BY_ITSELF else 1
        if first > 1 and one.number > 1:
            continue  # how many there are is chance: one stands for the others
        for place in Place:
            begun = 0 if place is Place.BEGIN and first > 1 else one.number
            every = range(first, one.statements + 1) if place is Place.STATEMENT else range(1)
            statements = every if SOAK > 1 else [chance.choice(every)]
            kinds = list(Kind) if SOAK > 1 else [chance.choice(list(Kind))]
            made += [
                Fault(one.verb, begun, place, kind, statement)
                for statement in statements
                for kind in kinds
            ]
    return made


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept is tried again without delay: these stories are many."""
    monkeypatch.setattr(effect_writer, "FIRST_RETRY_SECONDS", 0.005)
    monkeypatch.setattr(effect_writer, "LAST_SECONDS", 0.05)
    monkeypatch.setattr(background, "LONGEST_SLEEP_SECONDS", 0.1)


@pytest.fixture
def place() -> Iterator[Path]:
    """Where no disk is waited for: thousands of commits are synced here."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as made:
        yield Path(made)


@pytest.fixture
async def blank(place: Path) -> Path:
    """A database with its tables, to be copied: making them costs more than a story."""
    store = open_store(place / "blank.db")
    await store.open()
    await store.close()
    return place / "blank.db"


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
async def test_every_transaction_of_a_story_fails_once(story: Story, blank: Path):
    whole = await play(story, blank, "whole", None)
    faults = faults_of(whole.seen, random.Random(SEED))
    missed = []
    for number, fault in enumerate(faults):
        try:
            plan = await play(story, blank, str(number), fault)
        except BaseException as exc:
            exc.add_note(f"story {story.name!r}, {fault}, SAYSO_SEED={SEED}")
            raise
        if not plan.fell:
            missed.append(fault)
    # What comes in another order in another playing may pass a fault by; most must not.
    assert len(missed) * 4 <= len(faults), f"never reached: {[str(fault) for fault in missed]}"
