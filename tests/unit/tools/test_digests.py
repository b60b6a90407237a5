"""Shown and executed: what a person saw, and what ran, as an auditor can make it again."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import rfc8785

from sayso.adapters.program import AgentProgram
from sayso.adapters.scripted import CallTool, Say, ScriptedAgent
from sayso.core.cards import ApprovalCard, UncertainEffectCard
from sayso.core.digest import JsonObject
from sayso.core.segments import Completed, Waiting
from sayso.testing.recorder import Crash, MemoryRun
from sayso.tools.context import AgentContext
from sayso.tools.tool import Prepared, ProposalStale, tool


def by_an_auditor(tool_name: str, arguments: Any) -> str:
    """The formula of docs/reference/wire.md, from the record alone."""
    ran: Any = {"tool_name": tool_name, "arguments": arguments}
    return f"sha256:{hashlib.sha256(rfc8785.dumps(ran)).hexdigest()}"


def program(*tools: Any, steps: list[CallTool]) -> AgentProgram:
    agent = ScriptedAgent([*steps, Say(lambda results: "|".join(map(str, results)))])
    return AgentProgram(agent, tools=tools)


def wrote(ledger: Path) -> list[Any]:
    return [json.loads(line) for line in ledger.read_text().splitlines()]


async def test_the_executed_digest_is_over_the_rows_that_ran_and_no_others(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger"

    @tool(approval=True, rows="payments", editable=["payments"])
    def pay(payments: list[JsonObject], note: str) -> str:
        ledger.write_text(json.dumps({"payments": payments, "note": note}))
        return "paid"

    payments: Any = [{"to": "a", "euros": 1}, {"to": "b", "euros": 1}, {"to": "b", "euros": 1}]
    run = MemoryRun()
    agent = program(pay, steps=[CallTool("pay", {"payments": payments, "note": "May"})])
    await run.go(agent)
    shown = run.approve("pay", approved_rows=["1", "3"], rejected_rows={"2": "twice"}).digest
    assert isinstance(await run.go(agent), Completed)
    (ran,) = wrote(ledger)
    assert ran["payments"] == [payments[0], payments[2]]
    (effect,) = run.recorder.effects.values()
    assert effect.executed_digest == by_an_auditor("pay", ran)
    assert effect.shown_digest == shown


async def test_an_unasked_call_has_an_executed_digest_and_no_shown_one(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger"

    @tool
    def mail(to: str, copies: int = 1) -> str:
        ledger.write_text(json.dumps({"to": to, "copies": copies}))
        return "sent"

    run = MemoryRun()
    await run.go(program(mail, steps=[CallTool("mail", {"to": "ada"})]))
    (effect,) = run.recorder.effects.values()
    (ran,) = wrote(ledger)
    assert (effect.shown_digest, effect.executed_digest) == (None, by_an_auditor("mail", ran))
    (returned,) = run.returns
    assert returned.executed_digest == effect.executed_digest


async def test_no_digest_lets_anyone_try_what_a_secret_was() -> None:
    @tool(approval=True, secrets=["pin"])
    def unlock(door: int, pin: str) -> str:
        return "open"

    run = MemoryRun()
    agent = program(unlock, steps=[CallTool("unlock", {"door": 1, "pin": "4711"})])
    await run.go(agent)
    run.approve("unlock")
    await run.go(agent)
    (returned,) = run.returns
    assert returned.executed_digest == by_an_auditor("unlock", returned.arguments)
    assert returned.arguments == {"door": 1, "pin": "•••"}
    guesses = {by_an_auditor("unlock", {"door": 1, "pin": f"{n:04}"}) for n in range(10_000)}
    assert {returned.executed_digest, returned.shown_digest}.isdisjoint(guesses)


async def test_what_canonical_json_cannot_say_is_no_card_but_an_error_of_the_agent() -> None:
    ran: list[str] = []

    @tool(approval=True)
    def buy(item: str) -> str:
        ran.append(item)
        return "bought"

    @buy.prepare
    def _(item: str) -> Prepared:
        return Prepared(summary=f"Buy {item}", data={"price_id": 2**60})

    run = MemoryRun()
    agent = program(buy, steps=[CallTool("buy", {"item": "lamp"})])
    assert isinstance(await run.go(agent), Completed)
    assert "canonical JSON" in run.said
    assert ran == []
    assert [r.status.value for r in run.returns] == ["failed"]


async def test_a_function_agent_is_told_of_a_question_that_cannot_be_shown() -> None:
    async def agent(ctx: AgentContext) -> str:
        try:
            await ctx.confirm("Pay?", details={"Amount": float("inf")})
        except Exception as exc:
            return str(exc)
        return "asked"

    run = MemoryRun()
    end = await run.go(AgentProgram(agent))
    assert isinstance(end, Completed)
    assert "canonical JSON" in (end.output or "")


async def test_a_redrawn_approval_that_was_stale_when_it_ran_opens_one_card_more() -> None:
    price, sold = [10], []

    @tool(approval=True)
    def buy(ctx: AgentContext, item: str) -> str:
        assert ctx.proposal is not None
        if ctx.proposal.data["price"] != price[0]:
            raise ProposalStale("the price has changed")
        sold.append(price[0])
        return "bought"

    @buy.prepare
    def _(item: str) -> JsonObject:
        return {"impact": f"costs {price[0]}", "data": {"price": price[0]}}

    async def agent(ctx: AgentContext) -> str:
        said = await ctx.gather(ctx.call(buy, item="lamp"), ctx.ask("Which colour?"))
        return str(said)

    run, it = MemoryRun(), AgentProgram(agent, tools=[buy])
    assert isinstance(await run.go(it), Waiting)
    price[0] = 11
    run.answer("Which colour?", {"additional_notes": "red"})
    assert isinstance(await run.go(it), Waiting)
    (second,) = run.pending
    assert (second.revision, impact(second.card)) == (2, "costs 11")
    run.approve(second, digest=second.digest)
    price[0] = 12
    assert isinstance(await run.go(it), Waiting)
    (third,) = run.pending
    assert impact(third.card) == "costs 12"
    run.approve(third, digest=third.digest)
    assert isinstance(await run.go(it), Completed)
    assert sold == [12]


def impact(card: object) -> str | None:
    assert isinstance(card, ApprovalCard)
    return card.impact


async def test_what_nobody_approved_is_asked_about_whatever_it_holds() -> None:
    ran: list[int] = []

    @tool
    def call_back(number: int) -> str:
        ran.append(number)
        return "called"

    def crash(at: str) -> None:
        if at == "before ended:call_back":
            raise Crash(at)

    run = MemoryRun()
    agent = program(call_back, steps=[CallTool("call_back", {"number": 2**60})])
    run.recorder.crash_at = crash
    with pytest.raises(Crash):
        await run.go(agent)
    run.recorder.crash_at = None
    assert isinstance(await run.go(agent), Waiting)
    (card,) = [it.card for it in run.pending]
    assert isinstance(card, UncertainEffectCard)
    assert card.tool_params == {"number": str(2**60)}
    assert ran == [2**60]
