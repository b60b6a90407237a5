"""An approved call that is held back: it runs once its time is over, and the yes can be taken back
before."""

from __future__ import annotations

import pickle
from datetime import timedelta

import pytest

from sayso.adapters.program import AgentProgram
from sayso.adapters.scripted import CallTool, Say, ScriptedAgent, Together
from sayso.core.cards import ApprovalCard, HoldCard
from sayso.core.decisions import settled_summary
from sayso.core.errors import InvalidInput
from sayso.core.events import ToolCallStatus, ToolReturned
from sayso.core.interactions import Interaction, InteractionState
from sayso.core.record import OutcomeState
from sayso.core.segments import Completed
from sayso.testing.recorder import MemoryRun
from sayso.tools.tool import Prepared, ToolMistake, tool

REFUND = CallTool("refund", {"order": 1001, "token": "sk-17-secret"})


class Refunds:
    """A held tool, and what it did."""

    def __init__(self, title: str = "") -> None:
        self.ran: list[tuple[int, float]] = []

        @tool(approval=True, hold=10, secrets=["token"], title=title, assignees=["ada"])
        async def refund(order: int, amount: float = 42.0, token: str = "") -> str:
            self.ran.append((order, amount))
            return "refunded"

        self.tool = refund

    def program(self, *calls: CallTool | Together, tools: tuple[object, ...] = ()) -> AgentProgram:
        steps = [*(calls or [REFUND]), Say(lambda results: "|".join(map(str, results)))]
        return AgentProgram(ScriptedAgent(steps), tools=[self.tool, *tools])


def held(run: MemoryRun) -> Interaction:
    (it,) = run.pending
    assert isinstance(it.card, HoldCard)
    return it


async def approved(refunds: Refunds, **edits: object) -> MemoryRun:
    run = MemoryRun()
    await run.go(refunds.program())
    run.approve("refund", **({"edits": edits} if edits else {}))
    await run.go(refunds.program())
    return run


async def test_what_was_approved_runs_once_when_its_time_is_over() -> None:
    refunds = Refunds(title="Refund order 1001")
    run = await approved(refunds, amount=5)

    it = held(run)
    assert refunds.ran == []
    assert it.title == "Refund order 1001"
    assert it.expires_at is not None
    assert it.expires_at - it.created_at == timedelta(seconds=10)
    shown = {line.label: line.value for line in it.card.details}  # type: ignore[union-attr]
    assert shown == {"order": 1001, "amount": 5.0, "token": "•••"}
    assert run.returns == []

    over = run.expire(it)
    assert str(settled_summary(over, over.state, over.response)) == (
        "Refund order 1001: the yes stood"
    )
    assert isinstance(await run.go(refunds.program()), Completed)
    assert refunds.ran == [(1001, 5.0)]
    assert run.recorder.attempts[0].allowed.interaction_id == it.id[: -len("#hold")]


async def test_a_hold_is_of_the_call_and_the_people_of_its_card() -> None:
    refunds, run = Refunds(), MemoryRun()
    await run.go(refunds.program())
    card = run.approve("refund", edits={"amount": 5})
    await run.go(refunds.program())
    it = held(run)
    assert (it.tool_call_id, it.agent_name) == (card.tool_call_id, card.agent_name)
    assert it.assignees == card.assignees == ("ada",)
    told = [one.status for one in run.recorder.events if isinstance(one, ToolReturned)]
    assert told == [ToolCallStatus.WAITING] * 2
    stopped = settled_summary(it, InteractionState.CANCELLED, None)
    assert str(stopped).endswith("cancelled")


async def test_a_hold_says_what_would_run() -> None:
    refunds = Refunds()

    @refunds.tool.prepare
    async def look(amount: float) -> Prepared:
        return Prepared(summary=f"Refund {amount}")

    it = held(await approved(refunds, amount=5))
    assert isinstance(it.card, HoldCard)
    assert it.card.agent_message == it.title == "Refund 5.0"


async def test_another_process_goes_on_after_the_hold() -> None:
    refunds = Refunds()
    run: MemoryRun = pickle.loads(pickle.dumps(await approved(refunds)))
    run.approve(held(run))
    await run.go(refunds.program())
    assert refunds.ran == [(1001, 42.0)]


@pytest.mark.parametrize("how", ["reject", "dismiss"])
async def test_a_yes_that_is_taken_back_brings_its_card_again(how: str) -> None:
    refunds = Refunds()
    run = await approved(refunds, amount=5)
    it = held(run)
    back = run.reject(it, "") if how == "reject" else run.dismiss(it)
    await run.go(refunds.program())

    assert refunds.ran == []
    assert run.said == ""
    assert str(settled_summary(back, back.state, back.response)).endswith("was taken back")
    (again,) = run.pending
    assert isinstance(again.card, ApprovalCard)
    assert again.proposal is not None
    assert again.proposal.arguments["amount"] == 42.0
    assert (again.revision, again.card.typed, again.card.errors) == (2, {"amount": 5}, None)
    (told,) = run.returns
    assert told.outcome is not None
    assert (told.status, told.outcome.state, told.code) == (
        ToolCallStatus.NOT_EXECUTED,
        OutcomeState.NOT_RUN,
        "call.taken_back",
    )

    run.approve(again)
    await run.go(refunds.program())
    assert refunds.ran == []
    run.expire(held(run))
    await run.go(refunds.program())
    assert refunds.ran == [(1001, 42.0)]


async def test_the_agent_hears_a_no_that_comes_after_the_yes_was_taken_back() -> None:
    refunds = Refunds()
    run = await approved(refunds)
    run.reject(held(run), "")
    await run.go(refunds.program())
    run.reject("refund", "wrong order")
    await run.go(refunds.program())
    assert refunds.ran == []
    assert "wrong order" in run.said


async def test_a_sibling_that_is_answered_meanwhile_lets_nothing_run_early() -> None:
    refunds = Refunds()
    sent: list[str] = []

    @tool(approval=True)
    async def mail(to: str) -> str:
        sent.append(to)
        return "sent"

    program = refunds.program(Together([REFUND, CallTool("mail", {"to": "ada"})]), tools=(mail,))
    run = MemoryRun()
    await run.go(program)
    run.approve("refund")
    await run.go(program)
    run.approve("mail")
    await run.go(program)
    assert (sent, refunds.ran) == (["ada"], [])
    run.reject(held(run), "")
    await run.go(program)
    assert (sent, refunds.ran) == (["ada"], [])
    assert len([it for it in run.returns if it.code == "call.taken_back"]) == 1


async def test_an_edit_that_the_tool_refuses_is_never_held() -> None:
    refunds = Refunds()

    @refunds.tool.prepare
    async def look(amount: float) -> Prepared:
        if amount < 10:
            raise ToolMistake("Too little.")
        return Prepared(summary=f"Refund {amount}")

    run = await approved(refunds, amount=5)
    (again,) = run.pending
    assert isinstance(again.card, ApprovalCard)
    assert again.card.errors


def test_a_hold_takes_time() -> None:
    with pytest.raises(InvalidInput, match="`hold` is 0"):

        @tool(approval=True, hold=0)
        def refund() -> None: ...
