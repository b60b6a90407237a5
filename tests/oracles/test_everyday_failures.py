"""Everyday failures: at most one question where nothing acted, one effect and one question where
something did, and never a second run that nobody asked for.

Questions are counted from the inbox, effects from a file that the bodies write.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal

import sayso
from sayso import AgentContext, StepFailed, ToolContext
from tests.oracles.desk import Desk, Ledger, Wire, desk, story_of
from tests.oracles.failures import TABLE, Row
from tests.oracles.spelling import UNKNOWN

ASKED_BY_POLICY = "approval"


class Ward:
    """A server whose tools are declared for each case, and what became of a call."""

    def __init__(self, portal: BlockingPortal, desk: Desk, ledger: Ledger) -> None:
        self.portal, self.desk, self.ledger = portal, desk, ledger
        self.orders = count(1000)

    def see(self, it: Row, says: str = "skip", then: str | None = None) -> Seen:
        return self.portal.call(self._see, it, says, then or says)

    async def _see(self, it: Row, says: str, then: str) -> Seen:
        heard: list[Any] = []
        tool = self._tool(it)
        # What has a key is done once for all chats, so each case has an order of its own.
        arguments = {"order": next(self.orders)} if "key" in it.declared else it.arguments

        async def story(ctx: AgentContext) -> None:
            heard.clear()
            for _ in range(2 if it.again else 1):
                try:
                    heard.append(await ctx.call(tool, **arguments))
                except StepFailed as exc:
                    heard.append(exc)

        chat = await self.desk.begin(story)
        questions: list[Wire] = []
        ran_before: list[int] = []
        while cards := await self.desk.open_cards(chat):
            [card] = cards
            if card["card"] != ASKED_BY_POLICY:
                questions.append(card)
                ran_before.append(len(self.ledger.of(chat)))
                assert len(questions) < 4, (
                    f"it asks and asks: {[each['title'] for each in questions]}"
                )
            body = _answer(card, says if len(questions) < 2 else then)
            reply = await self.desk.answer(card["interaction_id"], body)
            assert reply.status_code == 200, reply.text
            view = await self.desk.rest(chat)
        view = await self.desk.rest(chat)
        audit = await self.desk.audit(chat)
        return Seen(heard, questions, self.ledger.of(chat), _states(audit), view["run"], ran_before)

    def _tool(self, it: Row) -> Any:
        def refund(ctx: ToolContext, order: int) -> Any:
            if it.acted:
                self.ledger.write(story_of(ctx), tool="refund", arguments={"order": order})
            return it.ends()

        declared = dict(it.declared)
        if it.finds is not None:
            finds = it.finds

            def look(key: str) -> object:
                return finds()

            declared["reconcile"] = look
        return sayso.tool(**declared)(refund)


@dataclass(repr=False)
class Seen:
    """What a case came to."""

    heard: list[Any] = field(default_factory=list)
    questions: list[Wire] = field(default_factory=list)
    ledger: list[Wire] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    run: Wire = field(default_factory=dict)
    #: How many effects there were when each question was asked.
    ran_before: list[int] = field(default_factory=list)

    def __repr__(self) -> str:
        titles = [each["title"] for each in self.questions]
        return (
            f"heard {self.heard}, asked {titles}, ran {len(self.ledger)} times, "
            f"recorded {self.states}, run {self.run}"
        )


def _states(audit: list[Wire]) -> list[str]:
    """What was recorded of effects, oldest first."""
    told = [line["action"] for line in reversed(audit)]
    return [each.removeprefix("effect.") for each in told if each.startswith("effect.")]


def _answer(card: Wire, says: str) -> bytes:
    if card["card"] == ASKED_BY_POLICY:
        said: Wire = {"decision": "approve"}
    else:
        said = {"approved": True, "response_data": {"selected_option": says}}
        if says == "mark_done":
            said["response_data"]["values"] = {"result": "by hand"}
    if digest := card["payload"]["sayso"].get("digest"):
        said["metadata" if "approved" in said else "digest"] = (
            {"digest": digest} if "approved" in said else digest
        )
    return json.dumps(said).encode()


@pytest.fixture(scope="module")
def ward(portal: BlockingPortal, folder: Path) -> Iterator[Ward]:
    ledger = Ledger(folder / "ledger")
    with portal.wrap_async_context_manager(desk(folder, ledger=ledger)) as it:
        yield Ward(portal, it, ledger)


def test_the_table_is_long_enough():
    assert len(TABLE) >= 60


@pytest.mark.parametrize("it", TABLE.values(), ids=TABLE)
def test_everyday_failures(ward: Ward, it: Row):
    seen = ward.see(it)
    assert len(seen.questions) == it.questions, seen
    effects = it.effects if it.effects is not None else int(it.acted) * (2 if it.again else 1)
    assert len(seen.ledger) == effects, seen
    # What is known of the call, before a person's word about it.
    known = [*seen.states, "none"][0 if it.questions or not seen.states else -2]
    assert known in it.known, seen
    if it.hears is not ...:
        assert seen.heard[-1] == it.hears, seen
    assert seen.run["status"] == "completed", seen


ACTS = {name: it for name, it in TABLE.items() if it.acted and it.questions and not it.again}


@pytest.mark.parametrize("says", ["skip", "mark_done", "run_again"])
@pytest.mark.parametrize("it", ACTS.values(), ids=ACTS)
def test_what_acted_and_raised_runs_again_only_if_a_person_says_so(ward: Ward, it: Row, says: str):
    if says == "run_again":
        # It raises again, and that is one more question about one more effect.
        seen = ward.see(it, says, then="skip")
        assert seen.ran_before == [1, 2], seen
        assert len(seen.ledger) == 2, seen
        return
    seen = ward.see(it, says)
    assert len(seen.ledger) == 1, seen
    assert len(seen.questions) == 1, seen
    assert seen.ran_before == [1], seen
    if says == "mark_done":
        assert seen.heard == ["by hand"], seen


@pytest.mark.parametrize("gated", [False, True], ids=["unasked", "approved"])
def test_what_a_step_within_was_asked_about_is_not_asked_about_outside(ward: Ward, gated: bool):
    """The inner step has its question; the outer call fails, once, and nobody is asked again."""

    @sayso.tool(approval=True)
    def inner(ctx: ToolContext, order: int) -> str:
        ward.ledger.write(story_of(ctx), tool="inner", arguments={"order": order})
        raise TimeoutError("10 s")

    @sayso.tool(approval=gated)
    async def outer(ctx: ToolContext, order: int) -> Any:
        return await ctx.call(inner, order=order)

    heard: list[Any] = []

    async def story(ctx: AgentContext) -> None:
        heard.clear()
        try:
            heard.append(await ctx.call(outer, order=7))
        except StepFailed as exc:
            heard.append(exc)

    async def see() -> tuple[int, list[Wire], list[str]]:
        chat = await ward.desk.begin(story)
        questions = 0
        while cards := await ward.desk.open_cards(chat):
            questions += cards[0]["card"] != ASKED_BY_POLICY
            assert questions < 4, "it asks and asks"
            reply = await ward.desk.answer(cards[0]["interaction_id"], _answer(cards[0], "skip"))
            assert reply.status_code == 200, reply.text
            await ward.desk.rest(chat)
        return questions, ward.ledger.of(chat), _states(await ward.desk.audit(chat))

    seen = ward.portal.call(see)
    assert seen[0] == 1, (seen, heard)
    assert len(seen[1]) == 1, (seen, heard)
    assert UNKNOWN & set(seen[2]), (seen, heard)


@pytest.mark.parametrize("acted", [False, True], ids=["nothing acted", "it acted"])
@pytest.mark.parametrize("declared", [{}, {"read_only": True}], ids=["undeclared", "read only"])
def test_an_unasked_failure_never_holds_the_run(ward: Ward, declared: dict[str, bool], acted: bool):
    """Its exception goes on to the agent as it ever did, and the agent may do something else."""
    fails: Callable[[], Any] = TABLE["undeclared: time-out"].ends
    seen = ward.see(Row(ends=fails, declared=declared, acted=acted))
    assert seen.questions == [], seen
    assert isinstance(seen.heard[-1], StepFailed), seen
    assert "10 s" in str(seen.heard[-1]), seen


@pytest.mark.parametrize("declared", [{"approval": True}, {"destructive": True}], ids=str)
def test_the_agent_hears_nothing_before_the_person_has_spoken(
    ward: Ward, declared: dict[str, bool]
):
    heard: list[str] = []
    tool = ward._tool(Row(ends=TABLE["undeclared: time-out"].ends, declared=declared, acted=True))

    async def story(ctx: AgentContext) -> None:
        try:
            await ctx.call(tool, order=7)
        except Exception:  # a framework catches everything
            heard.append("an error")

    async def see() -> tuple[list[str], int]:
        chat = await ward.desk.begin(story)
        cards = await ward.desk.open_cards(chat)
        if cards and cards[0]["card"] == ASKED_BY_POLICY:
            await ward.desk.answer(cards[0]["interaction_id"], _answer(cards[0], "skip"))
            await ward.desk.rest(chat)
        before = list(heard)
        open_cards = await ward.desk.open_cards(chat)
        await ward.desk.close(chat)
        return before, len(open_cards)

    assert ward.portal.call(see) == ([], 1)


@pytest.mark.parametrize(
    ("answers", "orders", "asked"),
    [
        (["reject"], [7, 7, 7], 1),
        (["reject", "reject"], [7, 8, 7, 8], 2),
        (["approve", "reject"], [7, 7, 7], 2),
        (["dismiss", "dismiss"], [7, 7], 2),
        (["dismiss", "reject"], [7, 7, 7], 2),
    ],
    ids=["said once", "of each call", "after a yes", "a dismissal is no no", "a no after it"],
)
def test_a_no_is_said_once_in_a_run(ward: Ward, answers: list[str], orders: list[int], asked: int):
    """The same call after a person's no is answered with that no, until its arguments change."""

    @sayso.tool(approval=True)
    def refund(ctx: ToolContext, order: int) -> str:
        ward.ledger.write(story_of(ctx), order=order)
        return "paid"

    async def story(ctx: AgentContext) -> None:
        for order in orders:
            await ctx.call(refund, order=order)

    async def see() -> tuple[int, int]:
        chat = await ward.desk.begin(story)
        questions = 0
        while cards := await ward.desk.open_cards(chat):
            card, says = cards[0], answers[min(questions, len(answers) - 1)]
            questions += 1
            assert questions < 9, "it asks and asks"
            digest = card["payload"]["sayso"].get("digest")
            body = json.dumps({"decision": says, "reason": "No.", "digest": digest}).encode()
            if says == "dismiss":
                await ward.desk.dismiss(card["interaction_id"])
            else:
                reply = await ward.desk.answer(card["interaction_id"], body)
                assert reply.status_code == 200, reply.text
            await ward.desk.rest(chat)
        return questions, len(ward.ledger.of(chat))

    assert ward.portal.call(see) == (asked, answers.count("approve"))


def test_what_is_keyed_runs_once_for_all_chats(ward: Ward):
    """A second chat gets the first one's result without a card, edits included."""
    order = next(ward.orders)

    def run(ctx: ToolContext, order: int) -> str:
        ward.ledger.write(str(order), order=order)
        return f"paid {order}"

    declared: dict[str, Any] = {"approval": True, "key": "pay:{order}", "editable": ["order"]}
    pay = sayso.tool(**declared)(run)
    heard: list[Any] = []

    async def story(ctx: AgentContext) -> None:
        heard.append(await ctx.call(pay, order=order))

    async def see(edit: int | None = None) -> int:
        chat = await ward.desk.begin(story)
        cards = await ward.desk.open_cards(chat)
        for card in cards:
            said: Wire = {"decision": "approve", "edits": {"order": edit} if edit else {}}
            said["digest"] = card["payload"]["sayso"].get("digest")
            await ward.desk.answer(card["interaction_id"], json.dumps(said).encode())
        await ward.desk.rest(chat)
        await ward.desk.close(chat)
        return len(cards)

    asked = [ward.portal.call(see), ward.portal.call(see)]
    assert asked == [1, 0]
    assert len(ward.ledger.of(str(order))) == 1
    # Another order is another key; an edit makes it the one that has run.
    done, order = order, next(ward.orders)
    assert ward.portal.call(see, done) == 1
    assert len(ward.ledger.of(str(done))) == 1
    assert ward.ledger.of(str(order)) == []
