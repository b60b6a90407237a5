"""A body from its start to its end: what is committed before it runs, what is recorded of every
way it may end, and what `prepare` and `reconcile` may know."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import orjson
import pytest

from sayso.core.digest import JsonObject
from sayso.core.effects import (
    LEFT_BEHIND,
    Effect,
    EffectStart,
    EffectState,
    GrantUse,
    executed_digest,
)
from sayso.core.errors import LeaseLost
from sayso.core.events import ToolCallStatus, ToolReturned
from sayso.core.ids import derived_id
from sayso.core.policy_rules import Decision, Verdict
from sayso.core.record import Allowed, OutcomeState
from sayso.testing.clock import FakeClock
from sayso.testing.recorder import MemoryRecorder, MemoryRun
from sayso.tools.approval_flow import asked_again
from sayso.tools.approvals import Approved
from sayso.tools.body_results import Ran
from sayso.tools.calls import Call, ToolCaller
from sayso.tools.context import ToolContext
from sayso.tools.execution import NotPrepared, look_up, prepare, run_body
from sayso.tools.idempotency import Done
from sayso.tools.journal import Journal
from sayso.tools.masking import Mask
from sayso.tools.segment_env import SegmentEnv
from sayso.tools.suspension import ProposalStale, Stopped, Unanswered
from sayso.tools.threads import Threads
from sayso.tools.tool import Prepared, Tool, tool

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CALLER = cast("ToolCaller", None)
ON_A_CARD = Approved(shown_digest="sha256:seen")


class Env(SegmentEnv):
    """Takes any grant: whether one holds is the store's to say."""

    async def start_effect(self, start: EffectStart) -> None:
        own = recorder(self)
        own.attempts.append(start)
        own.effects[start.key] = self.effects[start.key] = Effect.started(start, at=NOW)


def segment(kind: type[SegmentEnv] = SegmentEnv, **more: Any) -> SegmentEnv:
    run = MemoryRun()
    return kind(
        start=run.start(), recorder=run.recorder, journal=Journal(), agent_name="desk",
        clock=FakeClock(), threads=Threads(2), **more,
    )  # fmt: skip


def recorder(env: SegmentEnv) -> MemoryRecorder:
    assert isinstance(env.recorder, MemoryRecorder)
    return env.recorder


def paying(body: Callable[..., object] = lambda: "paid", **traits: Any) -> Tool[..., Any]:
    @tool(**traits)
    async def pay(ctx: ToolContext, order: int = 7, pin: str = "4711") -> object:
        return body(ctx) if body.__code__.co_argcount else body()

    return pay


def call(of: Tool[..., Any], **more: Any) -> Call:
    arguments: JsonObject = {"order": 7, "pin": "4711"}
    mask = Mask(of.traits.secrets, arguments)
    return Call(key="k", id="c", tool=of, arguments=arguments, agent_name="desk", mask=mask, **more)


def raising(exc: BaseException) -> Callable[[], object]:
    def body() -> object:
        raise exc

    return body


async def ran(env: SegmentEnv, of: Tool[..., Any], attempt: int = 1, **more: Any) -> Ran:
    return await run_body(CALLER, env, call(of, **more), Approved(), attempt)


def returned(env: SegmentEnv) -> ToolReturned:
    return next(it for it in recorder(env).events if isinstance(it, ToolReturned))


async def is_free(env: SegmentEnv) -> bool:
    """Whether a slot is there now, for whoever comes next."""
    await asyncio.sleep(0)
    next_one = asyncio.ensure_future(env.threads.take(env.run.chat_id))
    await asyncio.sleep(0)
    if not next_one.done():
        next_one.cancel()
        return False
    next_one.result().release()
    return True


# ── the start ──


@pytest.mark.parametrize("read_only", [False, True])
async def test_all_of_a_start_is_committed_before_the_body(read_only: bool) -> None:
    """Under a grant also what says that it only reads: it uses the grant up."""
    env, grant = segment(Env), GrantUse(grant_id="g", value_hash="h")
    declared: Any = {"read_only": True} if read_only else {"key": "pay:{order}"}
    pay = paying(lambda: recorder(env).attempts[0].attempt, secrets=["pin"], **declared)
    approval = Approved(shown_digest="sha256:seen", grant=grant)
    told = await run_body(CALLER, env, call(pay, allowed=Allowed(rule="r")), approval, 3)
    assert told.result == 3
    assert recorder(env).attempts == [
        EffectStart(
            key="k", attempt=3, tool_name="pay", arguments={"order": 7, "pin": "4711"},
            shown_digest="sha256:seen", tool_call_id="c", grant=grant, allowed=Allowed(rule="r"),
            business_key=None if read_only else "pay:7",
            executed_digest=executed_digest("pay", {"order": 7, "pin": "•••"}),
        )
    ]  # fmt: skip


async def test_a_body_knows_its_call_and_what_was_approved() -> None:
    env, shown = segment(), []
    pay = paying(lambda ctx: shown.append((ctx.tool_call_id, ctx.proposal)))
    await ran(env, pay)
    assert shown == [(env.call_id("k"), None)]


@pytest.mark.parametrize(("attempt", "is_open"), [(1, False), (2, True)])
async def test_of_a_second_attempt_a_person_is_asked(attempt: int, is_open: bool) -> None:
    pay = paying(raising(OSError("reset")))
    assert (await ran(segment(), pay, attempt)).is_open is is_open


@pytest.mark.parametrize("in_thread", [False, True])
async def test_a_start_that_is_refused_keeps_no_thread(in_thread: bool) -> None:
    @tool
    def blocking(order: int, pin: str) -> str:
        return "paid"

    env = segment()
    other = await env.threads.take(env.run.chat_id)
    recorder(env).lost = True
    with pytest.raises(LeaseLost):
        await ran(env, blocking if in_thread else paying())
    assert await is_free(env)
    recorder(env).lost = False
    await ran(env, blocking)
    assert await is_free(env)
    other.release()


# ── the end ──


async def test_calls_of_models_are_counted_from_the_first() -> None:
    env = segment()
    rounds = [env.round]
    for _ in range(3):
        await env.model_replied(None)
        rounds.append(env.round)
    assert rounds == [1, 1, 2, 3]


async def test_text_that_was_said_before_stands_before_it() -> None:
    order: list[str] = []

    async def flush() -> None:
        order.append("text")

    env = segment(flush_text=flush)
    recorder(env).crash_at = order.append
    await ran(env, paying())
    assert order == [
        "text", "before started:pay", "after started:pay",
        "text", "before ended:pay", "after ended:pay",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "approval", "state", "error"),
    [
        (lambda: {"message": "fine"}, ON_A_CARD, EffectState.DONE, None),
        (
            lambda: {"status": "error", "message": "Declined."},
            ON_A_CARD,
            EffectState.FAILED,
            "Declined.",
        ),
        (raising(OSError("reset")), ON_A_CARD, EffectState.UNCERTAIN, "OSError: reset"),
        (raising(OSError("reset")), Approved(), EffectState.UNCERTAIN, "OSError: reset"),
    ],
)
async def test_the_error_of_a_body_is_recorded_and_told_in_its_own_words(
    body: Callable[[], object], approval: Approved, state: EffectState, error: str | None
) -> None:
    env, allowed = segment(), Allowed(interaction_id="i")
    await run_body(CALLER, env, call(paying(body), allowed=allowed), approval, 1)
    effect = env.effects["k"]
    assert (effect.state, effect.error) == (state, error)
    assert (returned(env).error, returned(env).outcome) == (error, None), "its row tells both"


@pytest.mark.parametrize(
    ("body", "state"),
    [(lambda: "seen", OutcomeState.RAN), (raising(OSError("reset")), OutcomeState.FAILED)],
)
async def test_a_look_up_that_was_approved_tells_its_own_outcome(
    body: Callable[[], object], state: OutcomeState
) -> None:
    env = segment()
    await ran(env, paying(body, read_only=True), allowed=Allowed(interaction_id="i"))
    outcome = returned(env).outcome
    assert outcome is not None
    assert outcome.state is state


async def test_a_question_that_nobody_answered_is_a_result() -> None:
    told = await ran(segment(), paying(raising(Unanswered("Sure?", "dismissed"))))
    assert told == Ran(state=EffectState.DONE, result={"status": "dismissed"}, seconds=0.0)


@pytest.mark.parametrize(
    ("exc", "error"),
    [
        (ProposalStale("the price has changed"), "the price has changed"),
        (ProposalStale(), "The proposal is stale."),
        (Stopped("enough"), "enough"),
    ],
)
@pytest.mark.parametrize("acts", [True, False])
async def test_a_body_that_stops_before_it_acts_was_not_executed(
    exc: BaseException, error: str, acts: bool
) -> None:
    env = segment()
    with pytest.raises(type(exc)):
        await ran(env, paying(raising(exc), read_only=not acts))
    ends = [(it.state, it.error) for it in env.effects.values()]
    assert ends == ([(EffectState.NOT_EXECUTED, error)] if acts else [])


async def test_the_steps_of_a_body_that_was_stale_are_forgotten() -> None:
    env = segment()

    @tool
    async def pay(ctx: ToolContext, order: int, pin: str) -> None:
        await ctx.keep("price", nine)
        raise ProposalStale

    with pytest.raises(ProposalStale):
        await ran(env, pay)
    assert env.journal == Journal()


async def test_a_body_that_is_cancelled_says_that_nobody_knows() -> None:
    env, entered = segment(), asyncio.Event()

    @tool
    async def pay(order: int, pin: str) -> None:
        entered.set()
        await asyncio.Event().wait()

    going = asyncio.ensure_future(ran(env, pay))
    await entered.wait()
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going
    end = env.effects["k"]
    assert (end.state, end.error) == (EffectState.UNCERTAIN, LEFT_BEHIND)
    assert (returned(env).status, returned(env).error) == (ToolCallStatus.UNCERTAIN, LEFT_BEHIND)


async def test_the_thread_of_a_look_up_that_was_cancelled_ends_without_a_word(
    caplog: pytest.LogCaptureFixture,
) -> None:
    env, entered, leave = segment(), threading.Event(), threading.Event()

    @tool(read_only=True)
    def look(order: int, pin: str) -> str:
        entered.set()
        leave.wait(60)
        return "seen"

    going = asyncio.ensure_future(ran(env, look))
    await asyncio.to_thread(entered.wait, 60)
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going
    leave.set()
    await env.detached_threads.wait()
    assert (recorder(env).events, caplog.records) == ([], [])


# ── what looks, and does not act ──


def kept(env: SegmentEnv) -> set[str]:
    return set(orjson.loads(env.journal.dump())["paths"])


async def test_prepare_asks_nobody_and_its_steps_are_its_own() -> None:
    env, pay = segment(), paying()

    @pay.prepare
    async def _(ctx: ToolContext, order: int) -> Prepared:
        await ctx.keep("price", nine)
        return Prepared(summary=ctx.tool_call_id)

    found = await prepare(CALLER, env, call(pay))
    assert found == Prepared(summary=env.call_id("k"))
    assert kept(env) == {"k?>"}

    @pay.prepare
    async def _asks(ctx: ToolContext, order: int) -> Prepared:
        return Prepared(summary=await ctx.ask("Which?"))

    assert isinstance(await prepare(CALLER, env, call(pay)), NotPrepared)


async def test_what_nests_too_deeply_is_not_shown() -> None:
    env, pay = segment(), paying()
    deep: Any = []
    for _ in range(400):
        deep = [deep]

    @pay.prepare
    def deeply(order: int) -> Prepared:
        return Prepared.model_construct(data={"deep": deep})

    found = await prepare(CALLER, env, call(pay))
    assert isinstance(found, NotPrepared)
    assert "deep" in found.words
    assert found.raises


@pytest.mark.parametrize("key", [None, "pay:{order}"])
async def test_a_look_up_has_the_key_that_the_body_had_and_leaves_no_steps(key: str | None) -> None:
    had: list[str] = []

    async def look(ctx: ToolContext, key: str) -> object:
        had.extend([key, ctx.tool_call_id])
        await ctx.keep("found", nine)
        return Done(1)

    env = segment()
    assert await look_up(CALLER, env, call(paying(reconcile=look, key=key))) == Done(1)
    own = derived_id(env.run.id, "idempotency", "k")
    assert had == ["pay:7" if key else own, env.call_id("k")]
    assert kept(env) == set()


@pytest.mark.parametrize("looking", [prepare, look_up])
async def test_what_looks_and_is_cancelled_finds_nothing(looking: Callable[..., Any]) -> None:
    entered = asyncio.Event()

    async def look(ctx: ToolContext) -> Any:
        entered.set()
        await asyncio.Event().wait()

    pay = paying(reconcile=look)
    pay.prepare(look)
    going = asyncio.ensure_future(looking(CALLER, segment(), call(pay)))
    await entered.wait()
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going


async def test_a_frameworks_own_tool_has_no_look_up(caplog: pytest.LogCaptureFixture) -> None:
    own: Any = SimpleNamespace(name="pay", traits=paying().traits)
    assert await look_up(CALLER, segment(), call(own)) is None
    assert caplog.records == []


async def nine() -> int:
    return 9


def test_a_card_that_opens_again_has_told_its_reason() -> None:
    asked = Decision(Verdict.ASK, "Large.", may_be_remembered=True, bulk=True)
    assert asked_again(asked) == Decision(Verdict.ASK, may_be_remembered=True)
