"""The seam: what runs, what asks, and what a model is told."""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any

import pytest
import rfc8785
from pydantic import AfterValidator, BaseModel, Field, JsonValue

from sayso.adapters.program import AgentProgram
from sayso.adapters.scripted import CallTool, Say, ScriptedAgent, Together
from sayso.core.cards import (
    ApprovalCard,
    Change,
    Column,
    ExchangesCard,
    OptionsCard,
    UncertainEffectCard,
)
from sayso.core.digest import JsonObject
from sayso.core.effects import EffectState
from sayso.core.errors import AnswerInvalid, PolicyInvalid, SystemAway, ToolUnavailable
from sayso.core.events import ErrorShown, ToolCallStatus, ToolReturned, UiToolOpened
from sayso.core.interactions import Interaction, OnExpiry, Proposal
from sayso.core.policy_rules import Rule, Verdict
from sayso.core.record import OutcomeState
from sayso.core.segments import Completed, Waiting
from sayso.testing.clock import FakeClock
from sayso.testing.recorder import Crash, MemoryRun
from sayso.tools.context import AgentContext, ToolContext
from sayso.tools.gatekeeper import Blocked
from sayso.tools.idempotency import NotDone
from sayso.tools.suspension import SaidError, StepFailed
from sayso.tools.tool import Prepared, ProposalStale, Tool, ToolMistake, tool


def program(*tools, steps=(), policy=None, **options):
    agent = ScriptedAgent([*steps, Say(lambda results: "|".join(map(str, results)))])
    return AgentProgram(agent, tools=tools, policy=policy, **options)


def a_refund(**options: Any) -> tuple[Tool[..., Any], list[tuple[int, float]]]:
    ran: list[tuple[int, float]] = []

    @tool(approval=True, **options)
    async def refund(order: int, amount: Annotated[float, Field(gt=0)] = 42.0) -> JsonObject:
        """Refund an order."""
        ran.append((order, amount))
        return {"refunded": amount}

    return refund, ran


def approval(it: Interaction) -> ApprovalCard:
    assert isinstance(it.card, ApprovalCard)
    return it.card


def editable(it: Interaction) -> set[str]:
    schema = approval(it).edit_schema
    assert schema is not None
    properties = schema["properties"]
    assert isinstance(properties, dict)
    return set(properties)


def proposal(it: Interaction) -> Proposal:
    assert it.proposal is not None
    return it.proposal


def digest_of(tool_name: str, arguments: JsonObject) -> str:
    """The executed digest as an auditor makes it, from wire.md alone."""
    ran: Any = {"tool_name": tool_name, "arguments": arguments}
    return f"sha256:{hashlib.sha256(rfc8785.dumps(ran)).hexdigest()}"


REFUND = [CallTool("refund", {"order": 1001})]


async def test_a_call_tells_how_long_its_body_ran_and_not_how_long_a_person_thought() -> None:
    clock = FakeClock()

    @tool(approval=True)
    async def refund(order: int) -> JsonObject:
        clock.advance(seconds=2)
        return {"refunded": order}

    agent = program(refund, steps=REFUND, clock=clock)
    run = MemoryRun()
    await run.go(agent)
    clock.advance(hours=1)
    run.approve("refund")
    await run.go(agent)
    assert [(r.status.value, r.ran_seconds) for r in run.returns] == [("done", 2.0)]


async def test_a_body_that_asked_in_its_middle_tells_no_time_that_it_cannot_know() -> None:
    clock = FakeClock()

    @tool
    async def survey(ctx: ToolContext) -> str:
        clock.advance(seconds=2)
        return await ctx.ask("How was it?")

    agent = program(survey, steps=[CallTool("survey", {})], clock=clock)
    run = MemoryRun()
    await run.go(agent)
    run.answer(run.pending[0], {"additional_notes": "Good."})
    await run.go(agent)
    assert [(r.status.value, r.ran_seconds) for r in run.returns] == [("done", None)]


async def test_a_call_that_was_rejected_or_does_not_fit_tells_no_time() -> None:
    refund, _ = a_refund()
    run = MemoryRun()
    agent = program(refund, steps=[*REFUND, CallTool("refund", {"order": "no"})])
    await run.go(agent)
    run.reject("refund", "no")
    await run.go(agent)
    assert [r.status.value for r in run.returns] == ["rejected", "failed"]
    assert [r.ran_seconds for r in run.returns] == [None, None]


async def test_a_body_that_refused_before_it_acted_tells_no_time() -> None:
    @tool
    async def refund(order: int) -> str:
        raise ToolMistake("Not this order.", suggestion="Take 2.")

    run = MemoryRun()
    await run.go(program(refund, steps=REFUND))
    assert [(r.status.value, r.ran_seconds) for r in run.returns] == [("not_executed", None)]


async def test_a_free_tool_runs_and_its_row_is_shown_once() -> None:
    @tool(read_only=True)
    def look_up(order: int) -> JsonObject:
        return {"order": order}

    run = MemoryRun()
    end = await run.go(program(look_up, steps=[CallTool("look_up", {"order": 7})]))
    assert end == Completed(output="{'order': 7}")
    assert [c.name for c in run.calls] == ["look_up"]
    assert [r.status for r in run.returns] == [ToolCallStatus.DONE]
    assert run.recorder.effects == {}


async def test_a_gated_tool_asks_with_the_whole_call_and_runs_once_approved() -> None:
    refund, ran = a_refund(title="Refund an order")
    run, it = MemoryRun(), program(refund, steps=REFUND)
    assert isinstance(await run.go(it), Waiting)
    card = approval(run.pending[0])
    assert card.tool_params == {"order": 1001, "amount": 42.0}
    assert (card.title, card.context) == ("Refund an order", {})
    assert editable(run.pending[0]) == {"order", "amount"}
    assert ran == []
    shown = run.approve("refund").digest
    assert isinstance(await run.go(it), Completed)
    assert ran == [(1001, 42.0)]
    (returned,) = run.returns
    assert returned.shown_digest == shown is not None
    assert returned.executed_digest == digest_of("refund", {"order": 1001, "amount": 42.0})
    assert len(run.calls) == 1


async def test_a_call_that_asks_is_shown_as_waiting() -> None:
    refund, _ = a_refund()
    run = MemoryRun()
    await run.go(program(refund, steps=REFUND))
    (call,) = run.calls
    told = [event for event in run.recorder.events if isinstance(event, ToolReturned)]
    assert [(e.tool_call_id, e.status) for e in told] == [
        (call.tool_call_id, ToolCallStatus.WAITING)
    ]


@pytest.mark.parametrize(
    ("refusal", "said"),
    [
        (ToolMistake("No such order."), "told: No such order."),
        (SystemAway("No shop.", steps=["Open it."]), "told: No shop."),
        (KeyError("7"), "raised call 'refund': KeyError: '7'"),
    ],
    ids=["a refusal is a value", "what is away is a value", "a fault is raised"],
)
async def test_what_a_prepare_that_cannot_prepare_is_to_its_agent(
    refusal: Exception, said: str
) -> None:
    refund, ran = a_refund()

    @refund.prepare
    def prepared(order: int, amount: float) -> Prepared:
        raise refusal

    async def agent(ctx: AgentContext) -> str:
        try:
            result = await ctx.call("refund", order=1)
        except StepFailed as exc:
            return f"raised {exc}"
        assert isinstance(result, dict)
        return f"told: {result['message']}"

    run = MemoryRun()
    assert await run.go(AgentProgram(agent, tools=[refund])) == Completed(output=said)
    assert (ran, run.pending) == ([], [])


@pytest.mark.parametrize(
    ("raises", "outcome"), [(None, OutcomeState.RAN), (OSError(), OutcomeState.FAILED)]
)
async def test_an_approved_look_up_tells_its_outcome_without_an_effect(
    raises: Exception | None, outcome: OutcomeState
) -> None:
    @tool(approval=True, read_only=True)
    def look() -> None:
        if raises is not None:
            raise raises

    run, it = MemoryRun(), program(look, steps=[CallTool("look", {})])
    await run.go(it)
    run.approve("look")
    await run.go(it)
    (returned,) = run.returns
    assert returned.outcome is not None
    assert returned.outcome.state is outcome
    assert run.recorder.effects == {}


async def test_a_rejection_reaches_the_model_in_the_persons_words() -> None:
    refund, ran = a_refund()
    run, it = MemoryRun(), program(refund, steps=REFUND)
    await run.go(it)
    run.reject("refund", "wrong order", "Use 1002")
    await run.go(it)
    assert run.said == str(
        {"status": "rejected", "reason": "wrong order", "suggestions": ["Use 1002"]}
    )
    assert ran == []


async def test_edits_run_and_the_model_is_told() -> None:
    refund, ran = a_refund()
    run, it = MemoryRun(), program(refund, steps=REFUND)
    await run.go(it)
    run.approve("refund", edits={"amount": 40})
    await run.go(it)
    assert ran == [(1001, 40.0)]
    assert "A person changed amount from 42.0 to 40 before it ran." in run.said
    (returned,) = run.returns
    assert returned.arguments == {"order": 1001, "amount": 40.0}
    assert returned.executed_digest == digest_of("refund", {"order": 1001, "amount": 40.0})


async def test_an_edit_that_changes_more_opens_a_revision_and_runs_nothing() -> None:
    refund, ran = a_refund()

    @refund.prepare
    def prepared(order: int, amount: float) -> Prepared:
        return Prepared(
            summary=f"Refund {amount}",
            details={"order": order, "amount": amount, "fee": 5 if amount < 41 else 0},
        )

    run, it = MemoryRun(), program(refund, steps=REFUND)
    await run.go(it)
    run.approve("refund", edits={"amount": 40})
    assert isinstance(await run.go(it), Waiting)
    assert ran == []
    told = run.returns[-1]
    assert (told.status, told.error) == (
        ToolCallStatus.NOT_EXECUTED,
        "What it would do has changed since; nothing was done, and it is asked again.",
    )
    (again,) = run.pending
    assert again.call_key.endswith("#r2")
    assert proposal(again).revision == 2
    changed = {c.path: (c.before, c.after) for c in approval(again).changes}
    assert changed == {"arguments/amount": (42.0, 40), "details/fee": (0, 5)}
    run.approve(again, digest=again.digest)
    assert isinstance(await run.go(it), Completed)
    assert ran == [(1001, 40.0)]
    assert "A person changed amount from 42.0 to 40" in run.said


@pytest.mark.parametrize(
    ("settle", "told"), [("dismiss", "{'status': 'dismissed'}"), ("expire", "expired")]
)
async def test_no_answer_runs_nothing(settle: str, told: str) -> None:
    refund, ran = a_refund()
    run, it = MemoryRun(), program(refund, steps=REFUND)
    await run.go(it)
    getattr(run, settle)("refund")
    assert isinstance(await run.go(it), Completed)
    assert told in run.said
    assert ran == []


async def test_expiry_can_have_a_default_answer() -> None:
    refund, ran = a_refund(expires_in=60, on_expiry={"approved": True})
    run, it = MemoryRun(), program(refund, steps=REFUND)
    await run.go(it)
    run.expire("refund")
    await run.go(it)
    assert ran == [(1001, 42.0)]


async def test_unknown_tools_and_bad_arguments_are_told_to_the_model() -> None:
    refund, _ran = a_refund()
    steps = [CallTool("refnd", {}), CallTool("refund", {"order": "x", "amout": 1})]
    run = MemoryRun()
    assert isinstance(await run.go(program(refund, steps=steps)), Completed)
    assert "Known tools: refund, request_user_approval, request_user_input." in run.said
    assert "'path': 'order'" in run.said
    assert "'path': 'amout'" in run.said
    assert [r.status.value for r in run.returns] == ["failed", "failed"]
    unknown, bad = (r.error or "" for r in run.returns)
    assert unknown.startswith("There is no tool named 'refnd'.")
    assert bad.startswith("The arguments of 'refund' do not fit.")


async def test_rules_come_before_the_tools_own_wish() -> None:
    refund, ran = a_refund()
    rules = [
        Rule(tool="refund", when={"amount": {"gt": 100}}, then=Verdict.DENY, reason="Too much."),
        Rule(tool="refund", when={"amount": {"lt": 10}}, then=Verdict.ALLOW),
    ]
    steps = [
        Together([CallTool("refund", {"order": 1, "amount": n}) for n in (200, 5, 50)]),
    ]
    run = MemoryRun()
    assert isinstance(await run.go(program(refund, steps=steps, policy=rules)), Waiting)
    assert ran == [(1, 5.0)]
    assert len(run.pending) == 1
    run.approve("refund", edits={"amount": 150})
    await run.go(program(refund, steps=steps, policy=rules))
    assert ran == [(1, 5.0)]
    assert run.said.count("'reason': 'Too much.'") == 2


def test_a_named_policy_that_is_not_there_is_said_at_once() -> None:
    @tool(approval="refunds")
    def refund() -> None: ...

    with pytest.raises(PolicyInvalid, match="refunds"):
        program(refund)


async def test_three_parallel_cards_and_a_free_sibling_run_once_each() -> None:
    refund, ran = a_refund()
    seen = []

    @tool(read_only=True)
    def peek() -> str:
        seen.append(1)
        return "seen"

    steps = [
        Together([*(CallTool("refund", {"order": n}) for n in (1, 2, 3)), CallTool("peek", {})])
    ]
    run, it = MemoryRun(), program(refund, peek, steps=steps)
    await run.go(it)
    assert len(run.pending) == 3
    for card in run.pending[::-1]:
        run.approve(card)
        await run.go(it)
    assert sorted(ran) == [(1, 42.0), (2, 42.0), (3, 42.0)]
    assert seen == [1]
    assert len(run.calls) == 4


async def test_parallel_calls_stand_in_the_order_they_were_made_in() -> None:
    second_is_prepared = asyncio.Event()

    @tool(approval=True)
    async def pay(order: int) -> str:
        return "paid"

    @pay.prepare
    async def _(order: int) -> JsonObject:
        await second_is_prepared.wait() if order == 1 else second_is_prepared.set()
        return {}

    both = [CallTool("pay", {"order": 1}), CallTool("pay", {"order": 2})]
    run = MemoryRun()
    await run.go(program(pay, steps=[Together(both)]))
    assert [call.arguments for call in run.calls] == [{"order": 1}, {"order": 2}]


async def test_a_crash_after_started_asks_a_person() -> None:
    refund, ran = a_refund()
    run, it = MemoryRun(), program(refund, steps=REFUND)
    await run.go(it)
    run.approve("refund")
    run.recorder.crash_at = crash_on("before ended:refund")
    with pytest.raises(Crash):
        await run.go(it)
    assert ran == [(1001, 42.0)]
    run.recorder.crash_at = None
    assert isinstance(await run.go(it), Waiting)
    (card,) = run.pending
    assert isinstance(card.card, UncertainEffectCard)
    (effect,) = run.recorder.effects.values()
    assert effect.state is EffectState.UNCERTAIN
    run.answer(card, {"selected_option": "mark_done", "values": {"result": {"refunded": 42}}})
    assert isinstance(await run.go(it), Completed)
    assert ran == [(1001, 42.0)]
    assert "{'refunded': 42}" in run.said


@pytest.mark.parametrize(("choice", "times"), [("run_again", 2), ("skip", 1)])
async def test_an_uncertain_effect_is_run_again_or_skipped(choice: str, times: int) -> None:
    refund, ran = a_refund()
    run, it = MemoryRun(), program(refund, steps=REFUND)
    await run.go(it)
    run.approve("refund")
    run.recorder.crash_at = crash_on("before ended:refund")
    with pytest.raises(Crash):
        await run.go(it)
    run.recorder.crash_at = None
    await run.go(it)
    run.answer(run.pending[0], {"selected_option": choice})
    await run.go(it)
    assert len(ran) == times
    assert [start.attempt for start in run.recorder.attempts] == list(range(1, times + 1))


async def test_the_row_of_an_effect_is_there_before_its_body_acts() -> None:
    """Whoever dies in the body leaves "started" behind, with what it was given."""
    run, seen = MemoryRun(), list[tuple[str, JsonObject]]()

    @tool(approval=True)
    async def pay(amount: int) -> str:
        (effect,) = run.recorder.effects.values()
        seen.append((effect.state.value, effect.arguments))
        return "paid"

    it = program(pay, steps=[CallTool("pay", {"amount": 1})])
    await run.go(it)
    run.approve("pay", edits={"amount": 2})
    assert isinstance(await run.go(it), Completed)
    assert seen == [("started", {"amount": 2})]


async def test_a_call_knows_under_whose_word_it_runs_and_what_they_changed() -> None:
    refund, _ = a_refund()
    run, it = MemoryRun(), program(refund, steps=REFUND)
    await run.go(it)
    card = run.approve("refund", edits={"amount": 40.0})
    await run.go(it)
    (start,) = run.recorder.attempts
    assert start.allowed.interaction_id == card.id
    assert start.allowed.changed == [Change(path="amount", before=42.0, after=40.0)]
    assert start.shown_digest == card.digest


async def test_the_card_that_comes_back_keeps_all_that_is_not_about_the_refusal() -> None:
    default = OnExpiry(action="answer", answer={"approved": True})

    @tool(approval=True, expires_in=60, on_expiry=default, assignees=["bob"])
    async def pay(amount: int) -> str:
        return "paid"

    @pay.prepare
    def _(amount: int) -> Prepared:
        if amount > 9:
            raise ToolMistake("At most 9.")
        return Prepared(summary=f"Pay {amount}", message="Look at it.")

    run, it = MemoryRun(), program(pay, steps=[CallTool("pay", {"amount": 1})])
    await run.go(it)
    first = run.approve("pay", edits={"amount": 10})
    assert isinstance(await run.go(it), Waiting)
    (second,) = run.pending
    assert approval(second).errors is not None
    kept = ("ui_tool_id", "agent_name", "display", "tool_call_id", "on_expiry", "assignees", "type")
    assert [getattr(second, name) for name in kept] == [getattr(first, name) for name in kept]
    assert second.expires_at is not None
    assert second.assignees == ("bob",)
    assert proposal(second).revision == 2
    assert approval(second).title == approval(first).title
    assert approval(second).typed == {"amount": 10}
    told = [event for event in run.recorder.events if isinstance(event, ToolReturned)]
    assert [event.status.value for event in told] == ["waiting", "not_executed", "waiting"]
    assert told[1].error == "At most 9."
    run.approve(second, edits={"amount": 5}, digest=second.digest)
    assert isinstance(await run.go(it), Completed), "the next answer is tried for itself"


LIMIT = {"amount": 9}


def up_to_the_limit(amount: int) -> int:
    if amount > LIMIT["amount"]:
        raise ValueError("Too much.")
    return amount


UpToTheLimit = Annotated[int, AfterValidator(up_to_the_limit)]


@pytest.mark.parametrize(("edits", "is_asked"), [({"amount": 6}, True), ({}, False)])
async def test_arguments_that_the_tool_no_longer_takes(
    monkeypatch: pytest.MonkeyPatch, edits: JsonObject, is_asked: bool
) -> None:
    """An edit that it refuses comes back to the person; a proposal is its agent's mistake."""
    ran: list[int] = []

    @tool(approval=True)
    async def pay(amount: UpToTheLimit) -> None:
        ran.append(amount)

    run, it = MemoryRun(), program(pay, steps=[CallTool("pay", {"amount": 4})])
    monkeypatch.setitem(LIMIT, "amount", 9)
    await run.go(it)
    run.approve("pay", edits=edits)
    monkeypatch.setitem(LIMIT, "amount", 5 if edits else 3)
    assert isinstance(await run.go(it), Waiting if is_asked else Completed)
    assert ran == []
    if is_asked:
        (again,) = run.pending
        assert [error.path for error in approval(again).errors or ()] == ["edits/amount"]
    else:
        assert "The approved arguments of 'pay' do not fit." in run.said


async def test_a_yes_to_some_rows_of_what_has_no_parts_comes_back() -> None:
    """The door refuses it; an older one did not."""
    sent: list[list[str]] = []

    @tool(approval=True)
    async def send(to: list[str]) -> None:
        sent.append(to)

    @send.prepare
    def _(to: list[str]) -> Prepared:
        return Prepared(rows=[{"to": one} for one in to])

    run, it = MemoryRun(), program(send, steps=[CallTool("send", {"to": ["ann", "ben"]})])
    await run.go(it)
    said = run.approve("send")
    assert said.response is not None
    part = said.response.response_data.model_copy(update={"approved_rows": ["1"]})
    response = said.response.model_copy(update={"response_data": part})
    run.interactions[said.call_key] = replace(said, response=response)
    assert isinstance(await run.go(it), Waiting)
    assert sent == []
    assert run.returns[-1].error == "These rows are approved or rejected together."


async def test_a_refusal_that_was_saved_stands_though_the_tool_would_take_it_now() -> None:
    """Its row says that nothing ran: what a person then sees is the card that comes back."""
    limit, run = [9], MemoryRun()
    paid: list[int] = []

    @tool(approval=True)
    async def pay(amount: int) -> str:
        paid.append(amount)
        return "paid"

    @pay.prepare
    def _(amount: int) -> JsonObject:
        if amount > limit[0]:
            raise ToolMistake("Too much.")
        return {}

    @tool
    async def note() -> str:
        return "noted"

    async def noted(ctx: AgentContext) -> object:
        await ctx.ask("Note it?")
        for _ in range(1_000):
            await asyncio.sleep(0)  # the row is told, and then the refusal is kept
        return await ctx.call(note)

    async def agent(ctx: AgentContext) -> str:
        return str(await ctx.gather(ctx.call(pay, amount=1), noted(ctx)))

    it = AgentProgram(agent, tools=[pay, note])
    await run.go(it)
    run.approve("pay", edits={"amount": 10})
    run.answer("Note it?", {"additional_notes": "Yes."})
    run.recorder.crash_at = crash_on("after started:note")
    with pytest.raises(Crash):
        await run.go(it)
    run.recorder.crash_at, limit[0] = None, 10
    assert isinstance(await run.go(it), Waiting)
    assert [told.status for told in run.returns].count(ToolCallStatus.NOT_EXECUTED) == 1
    assert paid == []
    again = next(one for one in run.pending if one.card.card.value == "approval")
    assert approval(again).typed == {"amount": 10}


@pytest.mark.parametrize("amount", ["lots", 0, None, True])
async def test_an_edit_is_held_against_the_tools_schema_at_the_door(amount: JsonValue) -> None:
    refund, ran = a_refund()
    run, it = MemoryRun(), program(refund, steps=REFUND)
    await run.go(it)
    with pytest.raises(AnswerInvalid) as refused:
        run.approve("refund", edits={"amount": amount})
    errors: Any = refused.value.context["errors"]
    assert [error["path"] for error in errors] == ["edits/amount"]
    assert [card.state.is_final for card in run.interactions.values()] == [False]
    assert ran == []


async def test_an_idempotent_tool_is_run_again_with_the_same_key() -> None:
    keys = []

    @tool(idempotent=True)
    async def pay(ctx, amount: int) -> str:
        keys.append(ctx.idempotency_key)
        return "paid"

    run, it = MemoryRun(), program(pay, steps=[CallTool("pay", {"amount": 1})])
    run.recorder.crash_at = crash_on("before ended:pay")
    with pytest.raises(Crash):
        await run.go(it)
    run.recorder.crash_at = None
    await run.go(it)
    assert len(keys) == 2
    assert keys[0] == keys[1]


async def test_a_done_effect_is_not_run_again() -> None:
    refund, ran = a_refund()
    run, it = MemoryRun(), program(refund, steps=REFUND)
    await run.go(it)
    run.approve("refund", edits={"amount": 40})
    run.recorder.crash_at = crash_on("after ended:refund")
    with pytest.raises(Crash):
        await run.go(it)
    run.recorder.crash_at = None
    await run.go(it)
    assert len(ran) == 1
    assert "from 42.0 to 40" in run.said


async def test_errors_of_a_body_are_told_and_carded() -> None:
    @tool
    def away() -> None:
        raise ToolUnavailable("The bank is away.")

    @tool
    def wrong() -> None:
        raise ToolMistake("No such order.", suggestion="Try 1001.")

    @tool
    def broken() -> None:
        raise KeyError("x")

    @tool
    def framed() -> None:
        raise SaidError("as its framework words it", raised=ValueError("the port is shut"))

    @tool
    def silent() -> JsonObject:
        return {"status": "error"}

    @tool
    def critical() -> JsonObject:
        return {"status": "critical_failure", "message": "Down", "resolution_steps": ["Start it"]}

    steps = [
        Together(
            [CallTool(n, {}) for n in ("away", "wrong", "broken", "framed", "silent", "critical")]
        )
    ]
    run, tools = MemoryRun(), (away, wrong, broken, framed, silent, critical)
    assert isinstance(await run.go(program(*tools, steps=steps)), Completed)
    states = {e.tool_name: e.state.value for e in run.recorder.effects.values()}
    assert states == {
        "away": "not_executed",
        "wrong": "not_executed",
        "broken": "uncertain",
        "framed": "failed",
        "silent": "failed",
        "critical": "failed",
    }
    names = {call.tool_call_id: call.name for call in run.calls}
    errors_told = {names[ended.tool_call_id]: ended.error for ended in run.returns}
    assert errors_told["silent"] == "It failed."
    assert errors_told["framed"] == "ValueError: the port is shut"
    shown = {retried(e): e.ui_tool_id for e in errors(run)}
    assert shown == {
        "wrong": "recoverable_error",
        "critical": "critical_failure",
        "away": "recoverable_error",
    }
    assert "KeyError" in run.said


async def test_a_validation_report_is_a_card_and_passes_on() -> None:
    @tool(read_only=True)
    def validate() -> JsonObject:
        return {"status": "validation_complete", "process_name": "Steel", "is_valid": True}

    run = MemoryRun()
    await run.go(program(validate, steps=[CallTool("validate", {})]))
    (card,) = [e for e in run.recorder.events if isinstance(e, UiToolOpened)]
    assert card.ui_tool_id == "validation"
    assert card.payload["is_valid"] is True
    assert "validation_complete" in run.said


async def test_the_builtin_question_is_seed_1s_in_and_out() -> None:
    asks: JsonObject = {"question": "Which?", "options": [{"id": "mass", "label": "Mass"}]}
    run, it = MemoryRun(), program(steps=[CallTool("request_user_input", asks)])
    await run.go(it)
    assert isinstance(run.pending[0].card, OptionsCard)
    run.answer("Which?", {"selected_option": "mass", "additional_notes": "fits"})
    await run.go(it)
    assert run.said == str(
        {
            "tool_response": {
                "tool_name": "request_user_input",
                "user_input": {"selected_option": "mass", "additional_notes": "fits"},
            }
        }
    )


async def test_secrets_are_masked_wherever_they_are_shown() -> None:
    got = []

    @tool(approval=True, secrets=["password"])
    async def log_in(user: str, password: str) -> str:
        got.append(password)
        return f"logged in with {password}"

    call = CallTool("log_in", {"user": "ada", "password": "hunter22"})
    run, it = MemoryRun(), program(log_in, steps=[call])
    await run.go(it)
    (card,) = run.pending
    assert "hunter22" not in str(card.as_json())
    assert approval(card).tool_params["password"] == "•••"
    assert editable(card) == {"user"}
    run.approve(card, edits={"user": "eve"})
    await run.go(it)
    assert got == ["hunter22"]
    assert "hunter22" not in str(run.recorder.events)


async def test_rows_are_decided_one_by_one() -> None:
    added: list[dict[str, JsonValue]] = []

    @tool(approval=True, rows="exchanges")
    async def add(ctx: ToolContext, exchanges: list[dict[str, JsonValue]]) -> int:
        assert ctx.proposal is not None
        assert ctx.proposal.arguments == {"exchanges": exchanges}, "it sees what was approved"
        added.extend(exchanges)
        return len(exchanges)

    rows: list[JsonValue] = [{"flow": "Steel", "amount": 5}, {"flow": "Water", "amount": 9}]
    run, it = MemoryRun(), program(add, steps=[CallTool("add", {"exchanges": rows})])
    await run.go(it)
    card = run.pending[0].card
    assert isinstance(card, ExchangesCard)
    assert [c.key for c in card.columns] == ["flow", "amount"]
    run.approve("add", approved_rows=["1"], rejected_rows={"2": "not needed"})
    await run.go(it)
    assert added == rows[:1]
    assert "A person did not approve row 2: not needed." in run.said
    assert run.returns[0].arguments == {"exchanges": rows[:1]}


class Exchange(BaseModel):
    flow: str
    amount: float


@pytest.mark.parametrize(
    ("editable", "cells"),
    [
        (None, {"flow", "amount"}),
        (["exchanges"], {"flow", "amount"}),
        (["exchanges.amount"], {"amount"}),
        (["process"], set()),
    ],
    ids=["all", "the rows", "one column", "something else"],
)
async def test_the_cells_a_person_may_change(editable: list[str] | None, cells: set[str]) -> None:
    @tool(approval=True, rows="exchanges", editable=editable)
    async def add(process: str, exchanges: list[Exchange]) -> int:
        return len(exchanges)

    rows: list[JsonValue] = [{"flow": "Steel", "amount": 5}, {"flow": "Water", "amount": 9}]
    run = MemoryRun()
    await run.go(program(add, steps=[CallTool("add", {"process": "p", "exchanges": rows})]))
    card = run.pending[0].card
    assert isinstance(card, ExchangesCard)
    assert {c.key for c in card.columns if c.editable} == cells
    assert card.rows_argument == ("exchanges" if cells else None)


async def test_a_changed_cell_runs_and_others_cannot_be_changed() -> None:
    added: list[Exchange] = []

    @tool(approval=True, rows="exchanges", editable=["exchanges.amount"])
    async def add(exchanges: list[Exchange]) -> None:
        added.extend(exchanges)

    @add.prepare
    def _(exchanges: list[Exchange]) -> Prepared:
        flow = Column(key="flow", label="Flow name", editable=True)
        return Prepared(summary=f"Add {len(exchanges)} exchanges", columns=[flow, "amount"])

    rows: list[JsonValue] = [{"flow": "Steel", "amount": 5.0}, {"flow": "Water", "amount": 9.0}]
    run, it = MemoryRun(), program(add, steps=[CallTool("add", {"exchanges": rows})])
    await run.go(it)
    card = run.pending[0].card
    assert isinstance(card, ExchangesCard)
    assert [(c.label, c.editable) for c in card.columns] == [("Flow name", False), ("Amount", True)]

    def edited(**first: JsonValue) -> JsonObject:
        return {"exchanges": [{"flow": "Steel", "amount": 5.0, **first}, rows[1]]}

    for wrong in (edited(flow="Gold"), edited(unit="kg"), {"exchanges": rows[:1]}):
        with pytest.raises(AnswerInvalid):
            run.approve("add", edits=wrong, approved_rows=["1", "2"])
    run.approve("add", edits=edited(amount=7.0), approved_rows=["1"], rejected_rows={"2": ""})
    await run.go(it)
    assert added == [Exchange(flow="Steel", amount=7)]


async def test_always_allow_on_one_card_answers_no_other_that_is_open() -> None:
    """It is a word for later calls: what stands on the other card has nobody agreed to."""
    refund, ran = a_refund()
    policy = [Rule(tool="refund", then=Verdict.ASK, may_be_remembered=True)]
    both = Together((CallTool("refund", {"order": 1}), CallTool("refund", {"order": 2})))
    later = CallTool("refund", {"order": 3})
    agent = program(refund, steps=[both, later], policy=policy)
    run = MemoryRun()
    await run.go(agent)
    first, second = run.pending
    run.approve(first, metadata={"always_allow": True})
    run.preferences = {"always_allow": ["refund"]}
    end = await run.go(agent)
    assert isinstance(end, Waiting)
    assert [it.id for it in run.pending] == [second.id], "the same card, not another"
    assert [order for order, _ in ran] == [1]
    run.reject(second, "not this one")
    assert isinstance(await run.go(agent), Completed)
    assert [order for order, _ in ran] == [1, 3]


async def test_always_allow_is_offered_only_where_the_rule_permits_it() -> None:
    refund, _ = a_refund()

    async def asked(may_be_remembered: bool) -> MemoryRun:
        rule = Rule(tool="refund", then=Verdict.ASK, may_be_remembered=may_be_remembered)
        run = MemoryRun()
        await run.go(program(refund, steps=REFUND, policy=[rule]))
        return run

    assert approval((await asked(may_be_remembered=True)).pending[0]).may_be_remembered
    once = await asked(may_be_remembered=False)
    assert not approval(once.pending[0]).may_be_remembered
    with pytest.raises(AnswerInvalid, match="asks each time"):
        once.approve("refund", metadata={"always_allow": True})


@pytest.mark.parametrize(("read_only", "attempts"), [(False, [1, 2]), (True, [])])
async def test_a_stale_proposal_is_asked_again(read_only: bool, attempts: list[int]) -> None:
    price = [10]
    sold = []

    @tool(approval=True, read_only=read_only)
    async def buy(ctx, item: str) -> str:
        if ctx.proposal.data["price"] != price[0]:
            raise ProposalStale("the price has changed")
        sold.append(ctx.proposal.data["price"])
        return "bought"

    @buy.prepare
    def _(item: str) -> JsonObject:
        return {"impact": f"costs {price[0]}", "data": {"price": price[0]}}

    run, it = MemoryRun(), program(buy, steps=[CallTool("buy", {"item": "x"})])
    await run.go(it)
    run.approve("buy")
    price[0] = 12
    assert isinstance(await run.go(it), Waiting)
    (again,) = run.pending
    assert proposal(again).revision == 2
    assert approval(again).impact == "costs 12"
    assert [change.path for change in approval(again).changes] == ["data/price", "impact"]
    assert isinstance(await run.go(it), Waiting)
    run.approve(again, digest=again.digest)
    assert isinstance(await run.go(it), Completed)
    assert sold == [12]
    assert [start.attempt for start in run.recorder.attempts] == attempts


async def test_a_sibling_that_goes_on_does_not_run_a_stale_body_again() -> None:
    price, entered = [10], []
    refund, refunded = a_refund()

    @tool(approval=True)
    async def buy(ctx, item: str) -> str:
        entered.append(ctx.proposal.data["price"])
        if ctx.proposal.data["price"] != price[0]:
            raise ProposalStale("the price has changed")
        return "bought"

    @buy.prepare
    def _(item: str) -> JsonObject:
        return {"data": {"price": price[0]}}

    both = [CallTool("buy", {"item": "x"}), CallTool("refund", {"order": 1})]
    run, it = MemoryRun(), program(buy, refund, steps=[Together(both)])
    await run.go(it)
    run.approve("buy")
    price[0] = 12
    await run.go(it)
    run.approve("refund")
    assert isinstance(await run.go(it), Waiting)
    assert refunded == [(1, 42.0)]
    assert entered == [10]
    (again,) = run.pending
    assert [change.path for change in approval(again).changes] == ["data/price"]
    run.approve(again, digest=again.digest)
    assert isinstance(await run.go(it), Completed)
    assert entered == [10, 12]


async def test_a_tool_that_asks_in_its_middle_goes_on_there() -> None:
    entered = []

    @tool
    async def ship(ctx, order: int) -> str:
        entered.append(1)
        where = await ctx.ask("Where to?")
        sure = await ctx.confirm(f"Ship to {where}?")
        return f"{order} to {where}: {sure}"

    run, it = MemoryRun(), program(ship, steps=[CallTool("ship", {"order": 7})])
    await run.go(it)
    run.answer("Where to?", {"additional_notes": "Oslo"})
    await run.go(it)
    run.approve("Ship to Oslo?")
    await run.go(it)
    assert run.said == "7 to Oslo: True"
    assert len(entered) == 3
    assert len(run.calls) == 1
    assert [r.status.value for r in run.returns] == ["done"]


async def test_a_crash_in_a_body_that_was_resumed_is_uncertain() -> None:
    @tool
    async def ship(ctx) -> str:
        await ctx.ask("Where to?")
        return "shipped"

    run, it = MemoryRun(), program(ship, steps=[CallTool("ship", {})])
    await run.go(it)
    run.answer("Where to?", {"additional_notes": "Oslo"})
    run.recorder.crash_at = crash_on("before ended:ship")
    with pytest.raises(Crash):
        await run.go(it)
    run.recorder.crash_at = None
    await run.go(it)
    assert isinstance(run.pending[0].card, UncertainEffectCard)


async def test_a_cancelled_thread_still_records_what_it_did() -> None:
    import threading

    entered, leave = threading.Event(), threading.Event()

    @tool
    def slow() -> str:
        entered.set()
        leave.wait(60)
        return "done after all"

    run, it = MemoryRun(), program(slow, steps=[CallTool("slow", {})])
    task = asyncio.create_task(run.go(it))
    await asyncio.to_thread(entered.wait, 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (effect,) = run.recorder.effects.values()
    assert effect.state is EffectState.STARTED
    leave.set()
    await it.detached_threads.wait()
    (effect,) = run.recorder.effects.values()
    assert effect.state is EffectState.DONE
    assert effect.result == "done after all"


async def test_a_cancelled_async_body_is_uncertain() -> None:
    entered = asyncio.Event()

    @tool
    async def slow() -> None:
        entered.set()
        await asyncio.sleep(60)

    run, it = MemoryRun(), program(slow, steps=[CallTool("slow", {})])
    task = asyncio.create_task(run.go(it))
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (effect,) = run.recorder.effects.values()
    assert effect.state is EffectState.UNCERTAIN


async def test_a_look_up_that_is_cancelled_leaves_nothing_to_ask_about() -> None:
    entered = asyncio.Event()

    @tool(read_only=True)
    async def slow() -> None:
        entered.set()
        await asyncio.sleep(60)

    run = MemoryRun()
    task = asyncio.create_task(run.go(program(slow, steps=[CallTool("slow", {})])))
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert run.returns == []


async def test_a_result_that_is_too_large_or_no_json_says_that_the_tool_ran() -> None:
    @tool
    def big() -> str:
        return "x" * 1_100_000

    @tool
    def odd() -> object:
        return object()

    run = MemoryRun()
    await run.go(program(big, odd, steps=[Together([CallTool("big", {}), CallTool("odd", {})])]))
    assert "The tool ran, but its result has" in run.said
    assert "The tool ran, but its result cannot be written" in run.said


def crash_on(boundary: str):
    def crash(at: str) -> None:
        if at == boundary:
            raise Crash(at)

    return crash


def retried(event: ErrorShown) -> object:
    retry = event.payload["retry"]
    assert isinstance(retry, dict)
    return retry["tool_name"]


def errors(run: MemoryRun) -> list[ErrorShown]:
    return [event for event in run.recorder.events if isinstance(event, ErrorShown)]


def test_tools_stay_callable() -> None:
    @tool
    def double(n: int) -> int:
        """Double it."""
        return 2 * n

    assert double(4) == 8
    assert double.description == "Double it."
    assert double.schema["properties"] == {"n": {"title": "N", "type": "integer"}}
    assert ToolReturned.type == "chat.tool_result"


async def test_what_may_be_approved_together_is_said_on_its_card_where_nothing_speaks_against_it():
    async def asked(tool: Tool[..., Any], **options: Any) -> Interaction:
        run = MemoryRun()
        await run.go(program(tool, steps=REFUND, **options))
        (it,) = run.pending
        return it

    plain, _ = a_refund()
    assert not (await asked(plain)).may_be_bulk
    allowed, _ = a_refund(bulk=True)
    it = await asked(allowed)
    assert it.may_be_bulk
    assert it.meta.bulk is True
    assert "bulk" not in {key for key in it.payload if key != "sayso"}
    warned, _ = a_refund(bulk=True)
    warned.prepare(lambda order: Prepared(warnings=["paid back before"]))
    assert not (await asked(warned)).may_be_bulk
    # A rule may allow it for a tool that wants a second look; the second look wins.
    final, _ = a_refund(final_confirmation=True)
    rules = [Rule(tool="refund", then=Verdict.ASK, bulk=True)]
    assert not (await asked(final, policy=rules)).may_be_bulk
    assert (await asked(plain, policy=rules)).may_be_bulk


async def test_what_a_body_keeps_is_not_made_again_after_its_pause() -> None:
    made: list[int] = []

    async def make() -> JsonValue:
        made.append(1)
        return {"state": "s-1"}

    @tool
    async def survey(ctx: ToolContext) -> JsonValue:
        kept = await ctx.keep("reply", make)
        return [kept, await ctx.ask("How was it?")]

    agent = program(survey, steps=[CallTool("survey", {})])
    run = MemoryRun()
    await run.go(agent)
    run.answer(run.pending[0], {"additional_notes": "Good."})
    await run.go(agent)
    assert (len(made), run.returns[-1].result) == (1, [{"state": "s-1"}, "Good."])


async def test_the_steps_of_a_body_are_dropped_once_its_result_stands() -> None:
    """Else a run saves all that its tools ever did again with each pause."""

    @tool
    async def survey(ctx: ToolContext, topic: str) -> JsonValue:
        return await ctx.ask(f"{topic}?")

    steps = [CallTool("survey", {"topic": "Food"}), CallTool("survey", {"topic": "Wine"})]
    agent, run = program(survey, steps=steps), MemoryRun()
    await run.go(agent)
    assert "Food?" in saved_journal(run)
    run.answer("Food?", {"additional_notes": "Good."})
    await run.go(agent)
    assert "Food?" not in saved_journal(run)
    assert "Wine?" in saved_journal(run)


def saved_journal(run: MemoryRun) -> str:
    assert run.recorder.saved is not None
    return run.recorder.saved.journal.decode()


class Closed:
    """A gate that lets nothing through yet."""

    def check_call(self, *_: object) -> Blocked:
        return Blocked(result={"status": "missing", "missing": ["date"]})


async def test_nobody_is_asked_about_a_call_that_a_gate_holds() -> None:
    refund, ran = a_refund()
    held = program(refund, steps=[CallTool("refund", {"order": 1})], gatekeeper=Closed())
    run = MemoryRun()
    assert isinstance(await run.go(held), Completed)
    assert (run.pending, ran) == ([], [])
    assert "missing" in run.said


async def test_a_gate_that_closes_later_does_not_hold_what_was_started() -> None:
    @tool(idempotent=True)
    async def pay(amount: int) -> str:
        return "paid"

    steps = [CallTool("pay", {"amount": 1})]
    run = MemoryRun()
    run.recorder.crash_at = crash_on("before ended:pay")
    with pytest.raises(Crash):
        await run.go(program(pay, steps=steps))
    run.recorder.crash_at = None
    await run.go(program(pay, steps=steps, gatekeeper=Closed()))
    assert run.said == "paid"


async def test_who_calls_a_tool_that_failed_unknown_has_its_error_once_it_is_looked_up() -> None:
    lost, causes = TimeoutError("no answer"), []

    @tool(reconcile=lambda: NotDone())
    async def pay() -> str:
        raise lost

    async def agent(ctx: AgentContext) -> None:
        try:
            await ctx.call("pay")
        except StepFailed as exc:
            causes.append(exc.__cause__)

    assert isinstance(await MemoryRun().go(AgentProgram(agent, tools=[pay])), Completed)
    assert causes == [lost]


async def test_a_look_that_its_caller_gave_up_is_not_made_again() -> None:
    looked = []

    @tool(read_only=True)
    async def look() -> None:
        looked.append("at it")
        await asyncio.Event().wait()

    async def lose_patience(limit: asyncio.Timeout) -> None:
        for _ in range(100):  # turns of the loop, not time: by then the call has begun
            await asyncio.sleep(0)
        limit.reschedule(0)

    async def agent(ctx: AgentContext) -> str:
        with suppress(TimeoutError):
            async with asyncio.timeout(None) as limit, asyncio.TaskGroup() as tasks:
                tasks.create_task(lose_patience(limit))
                await ctx.call(look)
        return await ctx.ask("Wait for it?")

    run, it = MemoryRun(), AgentProgram(agent, tools=[look])
    assert isinstance(await run.go(it), Waiting)
    run.answer("Wait for it?", {"additional_notes": "no"})
    assert isinstance(await run.go(it), Completed)
    assert looked == ["at it"]
