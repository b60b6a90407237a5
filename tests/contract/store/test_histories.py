"""Histories that Hypothesis invents from the verbs: however a chat got there, everybody sees the
same, each card ends once, and nothing waits for what will never come."""

import asyncio
import operator
from collections import Counter
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from sayso.core.chat_view import ChatView
from sayso.core.children import ChildRequest, Request
from sayso.core.effects import EffectEnd, EffectStart, EffectState
from sayso.core.errors import LeaseLost, SaysoError
from sayso.core.events import (
    EventData,
    MessageWritten,
    ProgressMade,
    Stage,
    ToolCallStatus,
    ToolReturned,
    UiToolCompleted,
    UiToolDismissed,
    UiToolExpired,
)
from sayso.core.inbox import InteractionFilter
from sayso.core.interactions import Interaction, InteractionState
from sayso.core.sessions import Run, RunState
from sayso.core.store_results import Fence, Lease, TextPiece
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from sayso.testing.fold import fold, merge_page
from tests.contract.store.story import (
    APP,
    BOTH,
    LEASE,
    OTHER_LEASE,
    SAVED,
    Story,
    approval,
    called,
    form,
    handed,
    in_time,
    no,
    question,
    text,
    yes,
)

T = TypeVar("T")

#: The second may run the agent that tasks are handed to.
LEASES = st.sampled_from([LEASE, OTHER_LEASE, BOTH, None])
CHATS = st.integers(0, 1)
WHICH = st.integers(0, 7)
REQUESTS = st.lists(
    st.sampled_from(
        [
            approval("a"),
            approval("a", amount=20),
            approval("a2", amount=30, revision=2, tool_call_id="call-a"),
            question("q"),
            question("q2"),
            form("f"),
            form("f2", **in_time(30)),
            question("d", **in_time(30, "answer", {"response_data": {"additional_notes": "x"}})),
            form("c", **in_time(45, "cancel")),
            handed("part"),
            handed("part2"),
        ]
    ),
    min_size=1,
    max_size=4,
    unique_by=operator.attrgetter("call_key"),
)


def task_of(fence: Fence, request: Request) -> Request:
    """A task that is handed over belongs to the run that hands it over."""
    if not isinstance(request, ChildRequest):
        return request
    task_id = f"{request.call_key} of {fence.run_id}"
    return replace(request, task=request.task.model_copy(update={"task_id": task_id}))


class Histories(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.clock = FakeClock()
        self.store = SqlStore.in_memory(clock=self.clock)
        self.story = Story(self.store, self.clock)
        self.do(self.store.open())
        begun = self.do(self.story.begin())
        self.chats = [begun.fence.chat_id, self.do(self.story.chat())]
        self.fences: list[Fence] = [begun.fence]
        self.attempts: list[tuple[Fence, int]] = []
        #: Whether a card was ever opened: only then is there something to answer.
        self.asked = False
        self.snapshots: dict[str, list[ChatView]] = {chat: [] for chat in self.chats}
        self.count = 0

    def teardown(self) -> None:
        self.do(self.store.close())
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    def attempt(self, work: Coroutine[Any, Any, T]) -> T | None:
        """What the store refuses in its own words is a fine outcome of a race."""
        try:
            return self.do(work)
        except SaysoError:
            return None

    def keep(self, outcome: Any) -> None:
        claimed = getattr(outcome, "claimed", None)
        for begun in [*getattr(outcome, "children", ()), *([claimed] if claimed else ())]:
            self.fences.append(begun.fence)

    def next_id(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def fence(self, which: int) -> Fence:
        """Any fence there ever was, the newest most likely."""
        return self.fences[-1 - which % min(len(self.fences), 3)]

    # ── people ──

    @rule(chat=CHATS, lease=LEASES, supersede=st.booleans())
    def say(self, chat: int, lease: Lease | None, supersede: bool) -> None:
        self.keep(self.do(self.story.say(self.chats[chat], lease=lease, supersede=supersede)))

    @precondition(lambda self: self.asked)
    @rule(which=WHICH, lease=LEASES, agree=st.booleans())
    def answer(self, which: int, lease: Lease | None, agree: bool) -> None:
        it = self.card(which)
        said = yes(it, additional_notes="so") if agree else no(it)
        self.keep(self.attempt(self.story.answer(it, said, lease=lease)))

    @precondition(lambda self: self.asked)
    @rule(which=WHICH, lease=LEASES)
    def dismiss(self, which: int, lease: Lease | None) -> None:
        it = self.card(which)
        self.keep(self.attempt(self.store.dismiss(APP, it.id, reason=None, by="ada", lease=lease)))

    @precondition(lambda self: self.asked)
    @rule(which=WHICH)
    def extend(self, which: int) -> None:
        it = self.card(which)
        self.attempt(self.store.extend(APP, it.id, seconds=20, seen=it.expires_at, by="ada"))

    @rule(chat=CHATS, lease=LEASES)
    def cancel(self, chat: int, lease: Lease | None) -> None:
        self.keep(
            self.do(
                self.store.cancel_run(
                    APP, reason="stop", by="ada", chat_id=self.chats[chat], lease=lease
                )
            )
        )

    # ── time ──

    @rule(seconds=st.sampled_from([1, 20, 31]), lease=LEASES)
    def time_passes(self, seconds: int, lease: Lease | None) -> None:
        self.clock.advance(seconds=seconds)
        settled = self.do(self.store.expire_one(now=self.clock.now(), lease=lease))
        self.keep(settled)

    @rule(lease=st.sampled_from([LEASE, OTHER_LEASE, BOTH]), at_once=st.booleans())
    def sweep(self, lease: Lease, at_once: bool) -> None:
        for claimed in self.do(self.store.claim_due(lease, limit=4, not_mine=[], at_once=at_once)):
            self.fences.append(claimed.fence)

    # ── segments ──

    @rule(which=WHICH, requests=REQUESTS, each=st.booleans(), lease=LEASES)
    def wait(self, which: int, requests: list[Request], each: bool, lease: Lease | None) -> None:
        fence = self.fence(which)
        own = [task_of(fence, request) for request in requests]
        waited = self.attempt(self.store.wait(fence, SAVED, own, resume_each=each, lease=lease))
        self.asked |= waited is not None and bool(waited.interactions)
        self.keep(waited)

    @rule(which=WHICH, kind=st.sampled_from(["text", "call", "returned", "progress"]))
    def record(self, which: int, kind: str) -> None:
        fence = self.fence(which)
        events: dict[str, EventData] = {
            "text": text(self.next_id("t"), "Some words", fence.run_id),
            "call": called(self.next_id("call"), fence),
            "returned": ToolReturned(
                tool_call_id=f"call{self.count}", status=ToolCallStatus.DONE, result=None
            ),
            "progress": ProgressMade(stages=[Stage(id="one", label="One")], current="one"),
        }
        self.attempt(self.store.record(fence, [events[kind]]))

    @rule(which=WHICH, close=st.booleans())
    def write_text(self, which: int, close: bool) -> None:
        fence, message_id = self.fence(which), self.next_id("open")
        piece = TextPiece(fence=fence, message_id=message_id, offset=0, text="Once upon")
        self.do(self.store.keep_texts([piece]))
        if close:
            self.attempt(
                self.store.record(fence, [text(message_id, "Once upon a time", fence.run_id)])
            )

    @rule(which=WHICH)
    def start_effect(self, which: int) -> None:
        fence, call = self.fence(which), self.next_id("call")
        start = EffectStart(
            key="k",
            attempt=self.count,
            tool_name="refund",
            arguments={},
            tool_call_id=call,
        )
        try:
            self.do(self.store.record(fence, [called(call, fence)]))
            self.do(self.store.start_effect(fence, start, SAVED))
        except LeaseLost:
            return
        self.attempts.append((fence, self.count))

    @precondition(lambda self: self.attempts)
    @rule(which=WHICH, state=st.sampled_from([EffectState.DONE, EffectState.UNCERTAIN]))
    def end_effect(self, which: int, state: EffectState) -> None:
        fence, attempt = self.attempts[which % len(self.attempts)]
        told = ToolReturned(tool_call_id=f"call{attempt}", status=ToolCallStatus(state.value))
        self.do(self.store.end_effect(fence, "k", attempt, EffectEnd(state=state), [told]))

    @rule(
        which=WHICH,
        state=st.sampled_from([RunState.COMPLETED, RunState.FAILED, RunState.CANCELLED]),
        lease=LEASES,
    )
    def finish(self, which: int, state: RunState, lease: Lease | None) -> None:
        self.keep(
            self.attempt(self.store.finish(self.fence(which), state, memory=b"memory", lease=lease))
        )

    # ── readers ──

    @rule(chat=CHATS)
    def load(self, chat: int) -> None:
        """A client that will read on from here."""
        chat_id = self.chats[chat]
        first = self.do(self.store.load_view(APP, chat_id, limit=3))
        assert first is not None
        self.snapshots[chat_id].append(first)

    def card(self, which: int) -> Interaction:
        cards = self.do(self.store.interactions(APP, InteractionFilter(), limit=100))
        return cards[which % len(cards)]

    # ── what always holds ──

    @invariant()
    def views_are_folds_and_chains_are_whole(self) -> None:
        self.do(self.story.check())

    @invariant()
    def a_client_sees_the_same_wherever_it_began(self) -> None:
        for chat_id in self.chats:
            whole = self.do(self.story.whole(chat_id))
            events = self.do(self.story.events(chat_id))
            for snapshot in self.snapshots[chat_id]:
                later = [event for event in events if event.seq > snapshot.seq]
                view = fold(snapshot, later)
                while view.before is not None:
                    older = self.do(self.store.load_view(APP, chat_id, before=view.before, limit=3))
                    assert older is not None
                    view = merge_page(view, older)
                assert view.model_copy(update={"live": []}) == whole

    @invariant()
    def each_card_ends_once_and_as_its_row_says(self) -> None:
        ended: Counter[str] = Counter()
        told: dict[str, str] = {}
        for chat_id in self.chats:
            for event in self.do(self.story.events(chat_id)):
                if isinstance(event.data, UiToolCompleted | UiToolDismissed | UiToolExpired):
                    ended[event.data.eventId] += 1
                    told[event.data.eventId] = event.data.status
        cards = self.do(self.store.interactions(APP, InteractionFilter(), limit=1000))
        for it in cards:
            assert ended[it.id] == (0 if it.state is InteractionState.PENDING else 1)
            assert told.get(it.id, "pending") == it.state.value
        lines = self.do(self.store.audit(APP, limit=10_000))
        settled = Counter(e.subject for e in lines if e.action.startswith("interaction."))
        for it in cards:
            extended = sum(e.subject == it.id and e.action == "interaction.extended" for e in lines)
            assert settled[it.id] - extended == ended[it.id]

    @invariant()
    def nothing_waits_for_what_will_never_come(self) -> None:
        for chat_id in self.chats:
            cards = self.do(
                self.store.interactions(APP, InteractionFilter(chat_id=chat_id), limit=1000)
            )
            asked = {
                event.data.run_id
                for event in self.do(self.story.events(chat_id))
                if isinstance(event.data, MessageWritten)
                and event.data.role == "user"
                and event.data.run_id
            }
            states = {run_id: self.do(self.story.state(run_id)) for run_id in asked}
            open_runs = [run_id for run_id, state in states.items() if state.is_open]
            assert len(open_runs) <= 1
            if not open_runs:
                assert RunState.QUEUED not in states.values()
            runs = [run for root in asked for run in self.family(root)]
            open_parents = {run.parent_run_id for run in runs if run.state.is_open} - {None}
            awaited = {it.run_id for it in cards if it.state is InteractionState.PENDING}
            for run in runs:
                if not run.state.is_open:
                    assert run.id not in awaited | open_parents
                elif run.state is RunState.WAITING:
                    assert run.id in awaited | open_parents

    def family(self, root: str) -> list[Run]:
        """A run and all that its tasks were handed to."""
        below = self.do(self.store.family(APP, root))
        found = [self.do(self.store.run(APP, run_id)) for run_id in [root, *below]]
        return [run for run in found if run is not None]


Histories.TestCase.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
test_histories = Histories.TestCase


VERBS = ["answer yes", "answer no", "dismiss", "expire", "cancel", "supersede"]


@settings(max_examples=40)
@given(order=st.permutations(VERBS), on_expiry=st.sampled_from(["reject", "cancel"]))
@pytest.mark.parametrize("late", [False, True], ids=["in time", "overdue"])
def test_of_all_who_race_for_a_card_exactly_one_wins(late: bool, order: list[str], on_expiry: str):
    async def race() -> None:
        clock = FakeClock()
        store = SqlStore.in_memory(clock=clock)
        await store.open()
        story = Story(store, clock)
        fence, waited = await story.waiting(approval(**in_time(30, on_expiry)))
        it = waited.interactions[0]
        clock.advance(seconds=31 if late else 10)
        verbs: dict[str, Coroutine[Any, Any, Any]] = {
            "answer yes": story.answer(it, yes(it), lease=None),
            "answer no": story.answer(it, no(it), lease=None),
            "dismiss": store.dismiss(APP, it.id, reason=None, by="bob", lease=None),
            "expire": store.expire_one(now=clock.now(), lease=None),
            "cancel": store.cancel_run(APP, reason="stop", by=None, run_id=fence.run_id),
            "supersede": story.say(fence.chat_id, "no, this", supersede=True, lease=None),
        }
        outcomes = await asyncio.gather(*(verbs[verb] for verb in order), return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                assert isinstance(outcome, SaysoError), outcome
        ends = [
            event.data.status
            for event in await story.events(fence.chat_id)
            if isinstance(event.data, UiToolCompleted | UiToolDismissed | UiToolExpired)
        ]
        after = await store.interaction(APP, it.id)
        assert after is not None
        assert ends == [after.state.value]
        if late:
            allowed = {"expired", "cancelled", "superseded"}
            assert after.state.value in allowed
        await story.check()
        await store.close()

    asyncio.run(race())
