"""What was on the screen is what is answered: over raw HTTP, on every kind of card."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sayso import (
    AgentContext,
    ExecutionEngine,
    InteractionResponse,
    InteractiveExecutionEngine,
    TaskChunkType,
    TaskRequest,
    UniversalMessage,
    tool,
)
from sayso.core.cards import (
    ApprovalCard,
    Card,
    Column,
    ConfirmationCard,
    Detail,
    ExchangesCard,
    FormCard,
    Option,
    OptionsCard,
    RequirementsCard,
    Row,
    UiToolCard,
    UncertainEffectCard,
)
from sayso.core.digest import JsonObject
from sayso.core.errors import StaleDigest
from sayso.core.interactions import CardRequest, Proposal, ResponseData, digest_in
from sayso.core.segments import Capabilities, ResumePolicy
from tests.integration.test_bad_input import problem
from tests.integration.world import GUARD_SECONDS, Wire, World, which

NOW = datetime(2026, 1, 1, tzinfo=UTC)
_REFUND: Wire = {"title": "Refund", "tool_name": "refund", "tool_params": {"amount": 5}}
_PROPOSAL = Proposal(tool_name="refund", arguments={"amount": 5})
_ROW = Row(row_id="1", values={"amount": 5})
SCHEMA: Wire = {"type": "object", "properties": {"name": {"type": "string"}}}

#: Each kind of card, what it shows first and then, and a body that answers it.
KINDS: dict[str, tuple[Card, Card, Proposal | None, Wire]] = {
    "approval": (
        ApprovalCard(**_REFUND),
        ApprovalCard(**_REFUND, warnings=["THE CUSTOMER IS FLAGGED FOR FRAUD"]),
        _PROPOSAL,
        {"decision": "approve"},
    ),
    "foreign approval": (
        ApprovalCard(**_REFUND, agent_acts=True, message="One"),
        ApprovalCard(**_REFUND, agent_acts=True, message="Two"),
        None,
        {"decision": "approve"},
    ),
    "exchanges": (
        ExchangesCard(**_REFUND, columns=[Column(key="amount", label="Amount")], rows=[_ROW]),
        ExchangesCard(**_REFUND, columns=[Column(key="amount", label="Price")], rows=[_ROW]),
        _PROPOSAL,
        {"decision": "approve"},
    ),
    "requirements": (
        RequirementsCard(**_REFUND, known=[], impact="none"),
        RequirementsCard(**_REFUND, known=[], impact="some"),
        _PROPOSAL,
        {"approved": True},
    ),
    "confirmation": (
        ConfirmationCard(title="Pay?", details=[Detail(label="Amount", value=1000)]),
        ConfirmationCard(title="Pay?", details=[Detail(label="Amount", value=2000)]),
        None,
        {"decision": "approve"},
    ),
    "options": (
        OptionsCard(title="Which?", question="Which?", options=[Option(id="a", label="Cheap")]),
        OptionsCard(title="Which?", question="Which?", options=[Option(id="a", label="Dear")]),
        None,
        {"selected_option": "a"},
    ),
    "form": (
        FormCard(title="Who?", response_schema=SCHEMA, message="For the badge"),
        FormCard(title="Who?", response_schema=SCHEMA, message="For the contract"),
        None,
        {"response_data": {"values": {"name": "Ada"}}, "approved": True},
    ),
    "ui_tool": (
        UiToolCard(payload={"title": "Plan", "steps": ["look"]}),
        UiToolCard(payload={"title": "Plan", "steps": ["delete"]}),
        None,
        {"response_data": {"values": {"ok": True}}, "approved": True},
    ),
    "uncertain_effect": (
        UncertainEffectCard(
            title="Did it run?", tool_name="pay", tool_params={"n": 1}, started_at=NOW, attempt=1
        ),
        UncertainEffectCard(
            title="Did it run?", tool_name="pay", tool_params={"n": 2}, started_at=NOW, attempt=1
        ),
        None,
        {"response_data": {"selected_option": "skip"}, "approved": True},
    ),
}
kinds = pytest.mark.parametrize("kind", list(KINDS))


def asks(card: Card, proposal: Proposal | None = None) -> CardRequest:
    return CardRequest(call_key="card", card=card, ui_tool_id="card", proposal=proposal)


async def redrawn(world: World, kind: str) -> tuple[Wire, Wire]:
    """A card as it was first shown, and as its own call has drawn it again."""
    first, then, proposal, _ = KINDS[kind]
    world.puppet.capabilities = Capabilities(resume=ResumePolicy.EACH)
    chat_id = await world.chat()
    hold = await world.start(chat_id)
    await hold.ask(asks(first, proposal), which("other", "red"))
    before, other = await world.pending(chat_id, 2)
    draft = {"interaction_id": before["interaction_id"], "content": {"reason": "half a thought"}}
    live = await world.live(chat_id)
    assert "problem" not in await live.call("draft", draft)
    await says(world, other, {"selected_option": "red"})
    again = await world.puppet.hold(hold.run.id, hold.run.fence)
    await again.ask(asks(then, proposal))
    after = await drawn_again(world, before)
    anew = await world.live(chat_id)
    snapshot = await anew.until(lambda frame: frame["type"] == "chat.draft")
    assert snapshot["data"]["content"] == {"reason": "half a thought"}
    return before, after


async def drawn_again(world: World, before: Wire) -> Wire:
    """The only open card, once its redraw is written: that is after its segment has asked."""
    async with asyncio.timeout(GUARD_SECONDS):
        while True:
            (card,) = await world.pending(before["chat_id"])
            if card["payload"]["sayso"]["revision"] > before["payload"]["sayso"]["revision"]:
                return card
            await asyncio.sleep(0.005)


async def says(world: World, card: Wire, body: Wire, status: int = 200) -> Any:
    path = f"/api/interactions/{card['interaction_id']}/response"
    answer = await world.http.post(path, json=body)
    assert answer.status_code == status, answer.text
    return answer


def digest_of(card: Wire) -> str:
    return str(card["payload"]["sayso"]["digest"])


@kinds
async def test_a_yes_to_the_old_screen_is_refused(world: World, kind: str):
    before, after = await redrawn(world, kind)
    assert after["interaction_id"] == before["interaction_id"]
    assert digest_of(after) != digest_of(before)
    assert after["payload"]["sayso"]["revision"] == 2
    assert after["payload"]["sayso"]["changes"]
    body = KINDS[kind][3]
    for stale in ({}, {"digest": digest_of(before)}, {"digest": None}, {"digest": "sha256:x"}):
        told = problem(
            await says(world, after, {**body, "metadata": stale}, 409), 409, "stale_digest"
        )
        assert told["digest"] == digest_of(after)
        assert told["revision"] == 2
    assert (await world.pending(after["chat_id"])) == [after]
    seen = {**body, "metadata": {"digest": digest_of(after)}}
    outcome = (await says(world, after, seen)).json()
    assert outcome["status"] == "completed"
    entries = (await world.http.get("/api/history")).json()["entries"]
    mine = [one for one in entries if one["interaction_id"] == after["interaction_id"]]
    assert [(one["digest"], one["revision"]) for one in mine] == [(digest_of(after), 2)]
    lines = (await world.http.get("/api/audit", params={"chat": after["chat_id"]})).json()
    told_of = [one for one in lines["entries"] if one["subject"] == after["interaction_id"]]
    assert [one["body"]["shown_digest"] for one in told_of] == [digest_of(after)]


@kinds
async def test_the_first_revision_may_be_answered_without_its_digest(world: World, kind: str):
    first, _, proposal, body = KINDS[kind]
    for more in ({}, {"metadata": {"digest": None}}):
        (card,) = await world.asked(await world.chat(), asks(first, proposal))
        assert digest_of(card).startswith("sha256:")
        await says(world, card, {**body, "metadata": {"digest": "sha256:another"}}, 409)
        await says(world, card, {**body, **more})


async def test_a_batch_and_a_socket_refuse_it_too(world: World):
    before, after = await redrawn(world, "confirmation")
    item = {
        "interaction_id": after["interaction_id"],
        "body": {"decision": "approve", "digest": digest_of(before)},
        "key": "one",
    }
    many = (await world.http.post("/api/interactions/responses", json=[item])).json()
    assert many["results"][0]["problem"]["code"] == "stale_digest"
    live = await world.live(after["chat_id"])
    assert (await live.call("answer", item))["problem"]["code"] == "stale_digest"
    item["body"] = {"decision": "approve", "digest": digest_of(after)}
    assert (await live.call("answer", item))["ok"]["status"] == "completed"


async def test_typed_words_answer_the_question_as_it_stands_in_the_chat(world: World):
    world.puppet.capabilities = Capabilities(resume=ResumePolicy.EACH)
    chat_id = await world.chat()
    hold = await world.start(chat_id)
    free = OptionsCard(title="Why?", question="Why?")
    await hold.ask(asks(free), which("other", "red"))
    _, other = await world.pending(chat_id, 2)
    await says(world, other, {"selected_option": "red"})
    again = await world.puppet.hold(hold.run.id, hold.run.fence)
    await again.ask(asks(free.model_copy(update={"question": "Why then?"})))
    body = {"content": "because", "client_message_id": "m2"}
    assert (await world.http.post(f"/api/chats/{chat_id}/messages", json=body)).status_code == 202
    last = await world.puppet.hold(hold.run.id, again.run.fence)
    assert last.start.answers["card"].response is not None
    assert last.start.answers["card"].response.response_data.additional_notes == "because"


def a_task(words: str = "go") -> TaskRequest:
    return TaskRequest(task_id="t", messages=[UniversalMessage(role="user", content=words)])


async def test_a_confirmation_that_a_replay_redraws_asks_for_a_new_yes(tmp_path: Path):
    """The agent of attacks.md H7: its details change while the person reads them."""
    amounts = iter([1000, 2000, 3000])
    paid: list[int] = []

    async def agent(ctx: AgentContext) -> None:
        amount = next(amounts)
        said = await ctx.gather(
            ctx.confirm("Pay?", details={"Amount": amount}), ctx.ask("Which account?")
        )
        if said[0]:
            paid.append(amount)

    first: dict[str, Any] = {}
    async with InteractiveExecutionEngine(agent, store=tmp_path / "s.db") as live:
        stream, communicator = await live.start_interactive_session(a_task())
        async for chunk in stream:
            if chunk.chunk_type is not TaskChunkType.USER_INPUT_REQUEST:
                continue
            asked, card = str(chunk.metadata["interaction_id"]), chunk.metadata["payload"]
            assert isinstance(card, dict)
            if card["title"] == "Which account?":
                words = ResponseData(additional_notes="savings")
                await communicator.send_user_response(
                    InteractionResponse(interaction_id=asked, approved=True, response_data=words)
                )
            elif not first:
                first = card
            else:
                old: JsonObject = {"digest": digest_in(first)}
                with pytest.raises(StaleDigest):
                    await communicator.send_user_response(
                        InteractionResponse(interaction_id=asked, approved=True, metadata=old)
                    )
                meta = card["sayso"]
                assert isinstance(meta, dict)
                assert meta["changes"] == [
                    {"path": "details/Amount", "before": 1000, "after": 2000}
                ]
                # A client of the session API knows of no digests: it answers what this stream gave.
                await communicator.send_user_response(
                    InteractionResponse(interaction_id=asked, approved=True)
                )
    assert paid == [3000]


async def test_in_one_process_an_answer_is_to_the_state_it_comes_with():
    amounts = iter([1000, 2000, 3000, 4000])

    async def agent(ctx: AgentContext) -> str:
        amount = next(amounts)
        said = await ctx.gather(
            ctx.confirm("Pay?", details={"Amount": amount}), ctx.ask("Which account?")
        )
        return f"{said}"

    engine = ExecutionEngine(agent)
    first = await engine.execute_task(a_task())
    assert first.state is not None
    confirm, which_one = first.interactions
    words = ResponseData(additional_notes="savings")
    told = InteractionResponse(
        interaction_id=which_one.interaction_id, approved=True, response_data=words
    )
    second = await engine.execute_task(a_task(), resume=(first.state, [told]))
    assert second.state is not None
    (again,) = second.interactions
    assert again.interaction_id == confirm.interaction_id
    shown = [digest_in(it.metadata["payload"]) for it in (confirm, again)]
    assert shown[0] != shown[1]
    old: JsonObject = {"digest": shown[0]}
    stale = InteractionResponse(interaction_id=again.interaction_id, approved=True, metadata=old)
    with pytest.raises(StaleDigest):
        await engine.execute_task(a_task(), resume=(second.state, [stale]))
    yes = InteractionResponse(interaction_id=again.interaction_id, approved=True)
    third = await engine.execute_task(a_task(), resume=(second.state, [yes]))
    assert third.output == "[True, 'savings']"


async def test_what_ran_has_a_digest_whoever_allowed_it(tmp_path: Path):
    ran = tmp_path / "ledger"

    @tool
    def unasked(order: int, pin: str) -> str:
        ran.write_text(f"unasked {order}")
        return "ok"

    async def agent(ctx: AgentContext) -> None:
        await ctx.call(unasked, order=7, pin="4711")
        await ctx.once("mail", lambda: "sent")

    async with InteractiveExecutionEngine(agent, store=tmp_path / "s.db") as live:
        stream, _ = await live.start_interactive_session(a_task())
        async for _ in stream:
            pass
        engine = live._engine
        assert engine is not None
        lines = [one.body for one in await engine.store.audit("default")]
    assert ran.read_text() == "unasked 7"
    effects = {str(body["tool_name"]): body for body in lines if "executed_digest" in body}
    assert set(effects) == {"unasked", "mail"}
    assert all(str(one["executed_digest"]).startswith("sha256:") for one in effects.values())
    assert {one["shown_digest"] for one in effects.values()} == {None}
    assert json.dumps(effects)
