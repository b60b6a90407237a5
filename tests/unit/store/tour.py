"""A tour of the store's verbs, for tests that look at what is said to the database."""

from collections.abc import Generator
from typing import Any, TypeVar

from sayso.core.asks import AskKind, AskSpec, AskStart, NewAsk, WebhookState
from sayso.core.digest import JsonObject
from sayso.core.effects import EffectEnd, EffectStart, EffectState, uncertain_key
from sayso.core.events import ArtifactChanged, Draft
from sayso.core.inbox import InteractionFilter, InteractionOrder
from sayso.core.interactions import InteractionState
from sayso.core.requirements import RequirementState
from sayso.core.store_results import Checked, TextPiece
from sayso.core.ui_calls import UiCall
from sayso.store.sqlite import SqliteDriver
from sayso.store.store import SqlStore
from sayso.store.transaction import AUDIT_KEYS, Rows, Statement, Step, Transaction
from sayso.testing.clock import FakeClock
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
    gate_card,
    handed,
    in_time,
    question,
    text,
    yes,
)

T = TypeVar("T")


class RecordingDriver(SqliteDriver):
    """Keeps the statements of each transaction, by the name of its verb."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.said: list[tuple[str, list[Statement]]] = []

    async def write(self, transaction: Transaction[T]) -> T:
        return await super().write(self._recorded(transaction))

    async def read(self, transaction: Transaction[T]) -> T:
        return await super().read(self._recorded(transaction))

    def _recorded(self, transaction: Transaction[T]) -> Transaction[T]:
        statements: list[Statement] = []
        self.said.append((str(getattr(transaction, "__name__", "")), statements))
        return _recorded(transaction, statements)


def _recorded(transaction: Transaction[T], statements: list[Statement]) -> Generator[Step, Rows, T]:
    try:
        statement, params = next(transaction)
        while True:
            if statement is not AUDIT_KEYS:
                statements.append(statement)
            found = yield statement, params
            statement, params = transaction.send(found)
    except StopIteration as done:
        result: T = done.value
        return result


async def tour(story: Story, store: SqlStore, clock: FakeClock) -> None:
    """Use what is used often: messages, cards, effects, children, and every list."""
    await _a_chat_and_its_lists(story, store, clock)
    await _effects(story, store, clock)
    await _children(story, store)
    await _ui_calls(story, store)
    await _cards_with_a_time(story, store, clock)
    await _asks(store, clock)


async def _a_chat_and_its_lists(story: Story, store: SqlStore, clock: FakeClock) -> None:
    fence, waited = await story.waiting(approval("a"), approval("b"))
    a, b = waited.interactions
    await story.say(fence.chat_id, "next")
    await store.put_draft(APP, Draft(a.id, "ada", {}))
    await store.drafts(APP, fence.chat_id, "ada")
    await story.answer(a, yes(a))
    await store.dismiss(APP, b.id, reason=None, by="ada", lease=LEASE)
    await store.claim_due(LEASE, limit=5, not_mine=[], at_once=True)
    await store.expire_one(now=clock.now(), lease=None)
    await store.next_expiry()
    await store.cancel_run(APP, reason="stop", by=None, chat_id=fence.chat_id, lease=LEASE)
    for before in (None, 5):
        await store.load_view(APP, fence.chat_id, before=before)
        await store.audit(APP, before=before)
        await store.audit(APP, chat_id=fence.chat_id, before=before)
    await store.list_chats(APP)
    await store.list_chats(APP, limit=1)
    await store.list_chats(APP, q="next", before=clock.now())
    for cursor in (None, a.id):
        for wanted in (
            InteractionFilter(status=InteractionState.PENDING),
            InteractionFilter(chat_id=fence.chat_id),
            InteractionFilter(run_id=fence.run_id),
        ):
            await store.interactions(APP, wanted, before=cursor)
        for order in InteractionOrder:
            wanted = InteractionFilter(
                status=None if order is InteractionOrder.SETTLED else InteractionState.PENDING
            )
            await store.interactions(APP, wanted, order=order, before=cursor)
    await store.chosen_by(APP, "ada", since=clock.now())
    await store.count_pending(APP)
    await store.tool_call(APP, "call-a")
    await store.artifact(APP, "plan")


async def _effects(story: Story, store: SqlStore, clock: FakeClock) -> None:
    slow = await story.begin()
    made = ArtifactChanged(id="plan", ui_tool_id="plan", title="Plan", content=["a"], version=1)
    await store.record(slow.fence, [called("pay", slow.fence), made])
    await store.put_artifact(APP, "plan", content=["b"], title=None, if_version=1, by="ada")
    start = EffectStart(
        key="pay", attempt=1, tool_name="pay", arguments={}, tool_call_id="pay", executed_digest="d"
    )
    await store.start_effect(slow.fence, start, SAVED)
    clock.advance(seconds=31)
    taken = await store.claim(APP, slow.fence.run_id, OTHER_LEASE)
    assert taken is not None
    await store.end_effect(taken.fence, "pay", 1, EffectEnd(state=EffectState.UNCERTAIN), [])
    card = question(uncertain_key("pay", 1), options=("mark_done", "skip"))
    await story.ask(taken.fence, card)
    await store.end_effect(
        slow.fence, "pay", 1, EffectEnd(state=EffectState.DONE, result=1), [], lease=LEASE
    )


async def _ui_calls(story: Story, store: SqlStore) -> None:
    call = UiCall(
        of="call-a",
        chat_id=await story.chat(),
        agent="desk",
        ui_name="pay UI",
        server="bank",
        tool="pay",
        arguments={},
        by="ada",
    )
    opened = await store.open_ui_call(APP, call, LEASE)
    await store.open_ui_calls(APP, "call-a")
    await store.ui_call(APP, "call-a", opened.record.run.id)


async def _children(story: Story, store: SqlStore) -> None:
    parent, waited = await story.waiting(handed("one"), handed("two"), question())
    (asked,) = waited.interactions
    family = await store.family(APP, parent.run_id)
    first, second = [await store.claim(APP, run_id, BOTH) for run_id in family]
    assert first is not None
    assert second is not None
    await store.keep_texts([TextPiece(fence=first.fence, message_id="t", offset=0, text="words")])
    await story.finish(first.fence, text("t", "words", first.fence.run_id), lease=BOTH)
    await story.say(parent.chat_id, "the red one")
    kept = await store.interaction(APP, asked.id)
    assert kept is not None
    assert kept.state is InteractionState.COMPLETED
    await story.ask(second.fence, question("inner"))
    await story.say(parent.chat_id, "the small one")
    await store.cancel_run(APP, reason="stop", by="ada", run_id=parent.run_id)


async def _cards_with_a_time(story: Story, store: SqlStore, clock: FakeClock) -> None:
    fence, waited = await story.waiting(form(**in_time(60)))
    it = waited.interactions[0]
    await store.extend(APP, it.id, seconds=1, seen=it.expires_at, by="ada")
    await story.say(fence.chat_id, "next")
    clock.advance(seconds=62)
    await store.expire_one(now=clock.now(), lease=LEASE)
    _, waited = await story.waiting(form(**in_time(60, "cancel")))
    clock.advance(seconds=61)
    await store.expire_one(now=clock.now(), lease=LEASE)
    gate, _ = await story.waiting(gate_card())
    await store.change_requirements(APP, gate.chat_id, _requirements(1), by="ada")
    forgotten = _requirements(2)
    await store.start_over(APP, gate.chat_id, lambda _: forgotten, reason="no", by="ada")


def _requirements(version: int) -> JsonObject:
    state = RequirementState(version=version)
    return {"version": version, "state": state.model_dump(mode="json")}


async def _asks(store: SqlStore, clock: FakeClock) -> None:
    what = AskSpec(kind=AskKind.APPROVE, title="Deploy?", arguments={"version": "4.2"})
    new = NewAsk(ask=what, by="ci", key="k", callback_url="https://ci.example/hook")
    await store.open_ask(APP, new)
    it = (await store.open_ask(APP, new)).record.card
    checked = Checked(response=yes(it), seen=it)
    await store.answer(APP, checked, key=None, by="ada", lease=LEASE)
    await store.start_ask(APP, it.id, AskStart(seconds=60), by="ci")
    clock.advance(seconds=61)
    await store.overdue_ask()
    await store.ask(APP, it.id)
    for before in (None, it.id):
        await store.asks(APP, by="ci", session="", before=before)
        await store.asks(APP, before=before)
    await store.next_webhook()
    hook = await store.claim_webhook(seconds=20)
    assert hook is not None
    await store.end_delivery(APP, it.id, WebhookState.GIVEN_UP, error="gone")
    other = (await store.open_ask(APP, NewAsk(ask=what, by="ci"))).record.card
    await store.withdraw_ask(APP, other.id, reason="no", by="ci")
