"""What a person named runs, and nothing else: raw answers over HTTP, held against a ledger that the
tool bodies write."""

from __future__ import annotations

import json
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import BaseModel, JsonValue, field_validator

from sayso import AgentContext, tool
from sayso.adapters.program import AgentProgram
from sayso.core.cards import ApprovalCard, FormCard
from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput
from sayso.core.interactions import CardRequest, Interaction
from sayso.tools.tool import Prepared, Tool, ToolMistake
from tests.integration.world import Wire, World, begin, refund, running, which

ROWS: list[JsonValue] = [{"row": "a"}, {"row": "b"}, {"row": "c"}]


class Payment(BaseModel):
    order: int
    amount: float

    @field_validator("amount")
    @classmethod
    def _is_no_thirteen(cls, amount: float) -> float:
        if amount == 13:
            raise ValueError("thirteen is never paid")
        return amount


def tools(ledger: Path) -> list[Tool[..., Any]]:
    """Each body writes what it was given into the ledger, and nothing else does."""

    def note(name: str, what: object) -> None:
        with ledger.open("a") as out:
            out.write(json.dumps([name, what]) + "\n")

    @tool(approval=True, rows="rows")
    async def addrows(rows: list[dict[str, JsonValue]]) -> str:
        note("addrows", rows)
        return "added"

    @tool(approval=True, rows="rows")
    async def addmixed(rows: list[JsonValue]) -> str:
        note("addmixed", rows)
        return "added"

    @tool(approval=True, rows="rows")
    async def addgrouped(rows: list[dict[str, JsonValue]]) -> str:
        note("addgrouped", rows)
        return "added"

    @addgrouped.prepare
    def _(rows: list[dict[str, JsonValue]]) -> Prepared:
        return Prepared(rows=[{"group": "x"}, {"group": "y"}])

    @tool(approval=True, rows="rows")
    async def addsorted(rows: list[dict[str, JsonValue]]) -> str:
        note("addsorted", rows)
        return "added"

    @addsorted.prepare
    def _(rows: list[dict[str, JsonValue]]) -> Prepared:
        return Prepared(rows=list(reversed(rows)))

    @tool(approval=True)
    async def paybatch(batch: str) -> str:
        note("paybatch", batch)
        return "paid"

    @paybatch.prepare
    def _(batch: str) -> Prepared:
        return Prepared(rows=[{"to": "Ann"}, {"to": "Ben"}, {"to": "Cem"}])

    @tool(approval=True)
    async def pay(order: int, amount: float) -> str:
        note("pay", [order, amount])
        return f"paid {amount:.2f}"

    @pay.prepare
    def _(order: int, amount: float) -> Prepared:
        if amount > 43.2:
            raise ToolMistake(f"Only 43.20 was paid for order {order}.")
        return Prepared(summary=f"Refund {amount:.2f} for order {order}")

    @tool(approval=True)
    async def payment(payment: Payment) -> str:
        note("payment", payment.model_dump())
        return "paid"

    @tool(approval=lambda a: a["amount"] > 100)  # type: ignore[operator]  # JSON may be anything
    async def predpay(amount: float) -> str:
        note("predpay", amount)
        return "paid"

    return [addrows, addmixed, addgrouped, addsorted, paybatch, pay, payment, predpay]


async def agent(ctx: AgentContext) -> None:
    """Calls what its message names, and says what came of it."""
    named = json.loads(ctx.message)
    if "schema" in named:
        entered = await ctx.ui_tool("own", {"title": "Yours"}, response_schema=named["schema"])
        await ctx.say(json.dumps(entered))
        return
    await ctx.say(json.dumps(await ctx.call(named["tool"], **named["arguments"])))


class Desk:
    """One chat with that agent."""

    def __init__(self, world: World, chat_id: str, ledger: Path) -> None:
        self.world, self.chat_id, self._ledger = world, chat_id, ledger

    @property
    def ran(self) -> list[Any]:
        lines = self._ledger.read_text().splitlines() if self._ledger.exists() else []
        return [json.loads(line) for line in lines]

    async def asks(self, tool_name: str, **arguments: JsonValue) -> Wire:
        """The card that this call opens."""
        words = json.dumps({"tool": tool_name, "arguments": arguments})
        await begin(self.world, self.chat_id, words)
        [card] = await self.world.pending(self.chat_id)
        return card

    async def asks_for(self, schema: JsonObject) -> Wire:
        await begin(self.world, self.chat_id, json.dumps({"schema": schema}))
        [card] = await self.world.pending(self.chat_id)
        return card

    async def answer(self, card: Wire, body: Wire) -> httpx.Response:
        address = f"/api/interactions/{card['interaction_id']}/response"
        return await self.world.http.post(address, json=body)

    async def approves(self, card: Wire, **parts: Any) -> httpx.Response:
        digest = card["payload"]["sayso"]["digest"]
        body = {"decision": "approve", "reason": "", "digest": digest, **parts}
        return await self.answer(card, body)

    async def is_open(self, card: Wire) -> bool:
        found = await self.world.http.get(f"/api/interactions/{card['interaction_id']}")
        return bool(found.json()["status"] == "pending")

    async def ends(self) -> str:
        """What the agent said at its end."""
        view = await self.world.until_run(self.chat_id, "completed")
        return str([m["content"] for m in view["messages"] if m["role"] == "assistant"][-1])


@asynccontextmanager
async def a_desk(tmp_path: Path) -> AsyncIterator[Desk]:
    ledger = tmp_path / "ledger"
    program = AgentProgram(agent, name="desk", tools=tools(ledger))
    async with running(programs={"desk": program}) as world:
        yield Desk(world, await world.chat(), ledger)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with a_desk(tmp_path) as it:
        yield it


def errors_of(answer: httpx.Response) -> dict[str, str]:
    assert answer.status_code == 422, answer.text
    return {e["path"]: e["message"] for e in answer.json()["errors"]}


# ── rows ──

NORMAL = {"approved": True}


@pytest.mark.parametrize(
    ("body", "undecided"),
    [
        ({"decision": "partial"}, {"1", "2", "3"}),
        ({"decision": "partial", "approved_rows": ["1"]}, {"2", "3"}),
        ({"decision": "approve", "approved_rows": ["1"]}, {"2", "3"}),
        ({"decision": "partial", "rejected_rows": {"2": "no"}}, {"1", "3"}),
        ({"decision": "approve", "rejected_rows": {"2": "no"}}, {"1", "3"}),
        ({**NORMAL, "response_data": {"approved_rows": ["2"]}}, {"1", "3"}),
        ({**NORMAL, "response_data": {"rejected_rows": {"1": ""}}}, {"2", "3"}),
        ({"tool_response": {"approval_decision": {"decision": "partial"}}}, {"1", "2", "3"}),
    ],
)
async def test_each_row_needs_a_decision_of_its_own(desk: Desk, body: Wire, undecided: set[str]):
    card = await desk.asks("addrows", rows=ROWS)
    answer = await desk.answer(card, body)
    assert errors_of(answer) == {f"rows/{row}": "needs a decision" for row in undecided}
    assert await desk.is_open(card)
    assert desk.ran == []


async def test_the_rows_that_were_named_run(desk: Desk):
    card = await desk.asks("addrows", rows=ROWS)
    assert card["payload"]["rows_decidable"] is True
    answer = await desk.approves(card, approved_rows=["1", "3"], rejected_rows={"2": "not this"})
    assert answer.status_code == 200
    await desk.ends()
    assert desk.ran == [["addrows", [ROWS[0], ROWS[2]]]]


@pytest.mark.parametrize(
    "body",
    [
        {"decision": "approve", "rejected_rows": {"1": "a", "2": "b", "3": "c"}},
        {
            "decision": "partial",
            "approved_rows": [],
            "rejected_rows": {"1": "a", "2": "b", "3": ""},
        },
        {"decision": "approve", "approved_rows": [], "reason": "none of them"},
    ],
)
async def test_no_row_approved_is_a_rejection(desk: Desk, body: Wire):
    card = await desk.asks("addrows", rows=ROWS)
    answer = await desk.answer(card, body)
    assert answer.status_code == 200, answer.text
    assert answer.json()["status"] == "rejected"
    assert json.loads(await desk.ends())["status"] == "rejected"
    assert desk.ran == []


@pytest.mark.parametrize(
    ("call", "rejected"),
    [
        (("addmixed", {"rows": [{"x": 1}, "EVIL", {"x": 2}]}), {"2": "no"}),
        (("addgrouped", {"rows": ROWS}), {"2": "no"}),
        (("addsorted", {"rows": ROWS}), {"1": "no"}),
        (("paybatch", {"batch": "may"}), {"2": "no", "3": "no"}),
        (("addrows", {"rows": [{"row_id": "1", "x": 1}, {"row_id": "1", "x": 2}]}), {"9": "no"}),
        (("pay", {"order": 1, "amount": 5}), {"1": "do not pay"}),
    ],
    ids=["no object", "grouped", "in another order", "rows of prepare", "one name twice", "none"],
)
async def test_rows_that_are_not_what_would_run_are_decided_together(
    desk: Desk, call: tuple[str, Wire], rejected: dict[str, str]
):
    card = await desk.asks(call[0], **call[1])
    rows = {row["row_id"] for row in card["payload"].get("rows", [])}
    named = {"approved_rows": sorted(rows - set(rejected)), "rejected_rows": rejected}
    for word in ("partial", "approve"):
        assert errors_of(await desk.approves(card, decision=word, **named))
    assert errors_of(await desk.approves(card, decision="partial"))
    assert await desk.is_open(card)
    assert desk.ran == []
    assert (await desk.approves(card)).status_code == 200
    await desk.ends()
    [[ran, what]] = desk.ran
    assert ran == call[0]
    assert what in (*call[1].values(), list(call[1].values()))


async def test_rows_with_one_name_are_told_apart(desk: Desk):
    rows: list[JsonValue] = [{"row_id": "1", "x": 1}, {"row_id": "1", "x": 2}]
    card = await desk.asks("addrows", rows=rows)
    assert [row["row_id"] for row in card["payload"]["rows"]] == ["1", "2"]
    answer = await desk.approves(card, approved_rows=["2"], rejected_rows={"1": "no"})
    assert answer.status_code == 200
    await desk.ends()
    assert desk.ran == [["addrows", rows[1:]]]


# ── bodies ──


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"decision": "approve", "metadata": "x", "digest": "y"}, "metadata"),
        ({"decision": "approve", "metadata": ["x"], "digest": "y"}, "metadata"),
        ({"decision": "approve", "digest": 5}, "metadata/digest"),
        (
            {"tool_response": {"approval_decision": {"decision": "approve"}}, "metadata": "x"},
            "metadata",
        ),
        (
            {
                "tool_response": {
                    "approval_decision": {"decision": "approve", "metadata": "x", "digest": "y"}
                }
            },
            "metadata",
        ),
        (
            {"tool_response": {"approval_decision": {"decision": "approve"}}, "decision": "reject"},
            "decision",
        ),
        ({"decision": "approve", "edits": [1]}, "edits"),
        ({"decision": "approve", "interaction_id": "other"}, "interaction_id"),
        ({"approved": True, "interaction_id": "other"}, "interaction_id"),
        ({"decision": "approve", "colour": "red"}, "values/colour"),
        ({"decision": "approve", "edits": {"order": "x"}}, "edits/order"),
        ({"decision": "approve", "edits": {"amount": "much"}}, "edits/amount"),
        ({"decision": "approve", "edits": {"order": 2**60}}, "edits/order"),
        ({"decision": "approve", "edits": {"tool": "x"}}, "edits/tool"),
    ],
)
async def test_what_cannot_be_meant_or_run_is_refused_at_its_place(
    desk: Desk, body: Wire, path: str
):
    card = await desk.asks("pay", order=1, amount=5)
    assert path in errors_of(await desk.answer(card, body))
    assert await desk.is_open(card)
    assert desk.ran == []


async def test_a_digest_beside_the_wrapper_counts(desk: Desk):
    card = await desk.asks("pay", order=1, amount=5)
    wrapped = {"tool_response": {"approval_decision": {"decision": "approve"}}}
    refused = await desk.answer(card, {**wrapped, "digest": "sha256:other"})
    assert (refused.status_code, refused.json()["code"]) == (409, "stale_digest")
    assert await desk.is_open(card)


async def test_the_own_fields_of_a_form_may_have_any_name(desk: Desk):
    names = ["reason", "decision", "digest", "metadata", "values", "approved", "interaction_id"]
    names += ["tool_response", "edits", "selected_option", "approved_rows"]
    schema: JsonObject = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in names},
        "required": [*names],
    }
    card = await desk.asks_for(schema)
    answer = await desk.answer(card, {name: f"my {name}" for name in names})
    assert answer.status_code == 200, answer.text
    assert json.loads(await desk.ends()) == {name: f"my {name}" for name in names}


async def test_more_time_than_there_is_is_refused(world: World):
    [card] = await world.asked(await world.chat(), which("q", "a", seconds=60))
    address = f"/api/interactions/{card['interaction_id']}/extend"
    await world.engine.extend("default", card["interaction_id"], seconds=2.5e11, by=None)
    answer = await world.http.post(address, json={"seconds": 366 * 86_400})
    while answer.status_code == 200:
        answer = await world.http.post(address, json={"seconds": 366 * 86_400})
    assert errors_of(answer) == {"seconds": "is too much"}


# ── schemas ──


async def test_a_pattern_cannot_hold_the_server(desk: Desk):
    """Backtracking takes hours for this; the guard of the client would end the test."""
    schema: JsonObject = {
        "type": "object",
        "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}},
    }
    card = await desk.asks_for(schema)
    refused = await desk.answer(card, {"a": "a" * 40 + "!"})
    assert list(errors_of(refused)) == ["values/a"]
    assert await desk.is_open(card)
    assert (await desk.answer(card, {"a": "aaa"})).status_code == 200


async def test_letters_of_all_scripts_are_known(desk: Desk):
    card = await desk.asks_for({"properties": {"name": {"pattern": r"^\p{L}+$"}}})
    assert (await desk.answer(card, {"name": "Zoë"})).status_code == 200


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """Somebody who hears of every connection."""
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        it.listen()
        it.setblocking(False)
        yield it


def bomb(depth: int) -> JsonObject:
    """References that multiply references: what is checked doubles with each."""
    definitions: JsonObject = {
        f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]}
        for n in range(depth)
    }
    return {"$defs": {**definitions, f"d{depth}": {}}, "$ref": "#/$defs/d0"}


def many(count: int) -> JsonObject:
    """More places than one person could fill in."""
    inner: JsonObject = {"properties": {f"b{n}": {} for n in range(10)}}
    referring: JsonObject = {f"a{n}": {"$ref": "#/$defs/inner"} for n in range(count)}
    return {"$defs": {"inner": inner}, "properties": referring}


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "http://127.0.0.1:{port}/s.json"},
        {"properties": {"a": {"$ref": "file:///etc/hostname"}}},
        {"properties": {"a": {"$ref": "#/$defs/none"}}},
        {"type": "strin"},
        {"properties": 5},
        {"properties": {"a": {"multipleOf": 0}}},
        {"properties": {"a": {"minimum": "x"}}},
        {"properties": {"a": {"pattern": "["}}},
        {"properties": {"a": {"pattern": "(?=a)b"}}},
        {"properties": {"a": {"$ref": "#"}}},
        bomb(40),
        many(700),
    ],
    ids=[
        "far",
        "a file",
        "dangling",
        "no type",
        "no properties",
        "of nothing",
        "no number",
        "no pattern",
        "look-around",
        "in a circle",
        "a bomb",
        "large",
    ],
)
async def test_a_schema_that_cannot_be_used_is_the_agents_error(
    desk: Desk, listener: socket.socket, schema: JsonObject
):
    port = listener.getsockname()[1]
    text = json.dumps({"schema": schema}).replace("{port}", str(port))
    await begin(desk.world, desk.chat_id, text)
    view = await desk.world.until_run(desk.chat_id, "failed")
    card = view["messages"][-1]["metadata"]["ui_tool"]["payload"]
    assert card["code"] == "schema_invalid"
    assert card["resolution_steps"]
    with pytest.raises(BlockingIOError):
        listener.accept()


# ── what only the tool can refuse ──


async def test_an_edit_that_prepare_refuses_brings_the_card_back(desk: Desk):
    card = await desk.asks("pay", order=1009, amount=43.2)
    assert (await desk.approves(card, edits={"amount": 50})).status_code == 200
    [again] = await desk.world.pending(desk.chat_id)
    assert desk.ran == []
    payload, meta = again["payload"], again["payload"]["sayso"]
    assert payload["errors"] == [
        {"path": "edits/amount", "message": "Only 43.20 was paid for order 1009."}
    ]
    assert payload["typed"] == {"amount": 50}
    assert payload["tool_params"] == {"order": 1009, "amount": 43.2}
    assert payload["title"] == card["payload"]["title"]
    assert meta["revision"] == 2
    assert meta["batch_id"] == card["payload"]["sayso"]["batch_id"]
    view = await desk.world.view(desk.chat_id)
    assert view["run"]["status"] == "waiting"
    assert [call["status"] for call in view["tool_calls"]] == ["waiting"]

    # Refused again, then within what the tool takes: once, with what the person wrote.
    assert (await desk.approves(again, edits={"amount": 60})).status_code == 200
    [third] = await desk.world.pending(desk.chat_id)
    assert third["payload"]["sayso"]["revision"] == 3
    assert third["payload"]["typed"] == {"amount": 60}
    assert (await desk.approves(third, edits={"amount": 40})).status_code == 200
    assert json.loads(await desk.ends()) == "paid 40.00"
    assert desk.ran == [["pay", [1009, 40.0]]]


async def test_an_edit_that_the_tools_validators_refuse_brings_the_card_back(desk: Desk):
    card = await desk.asks("payment", payment={"order": 1, "amount": 5})
    edits = {"payment": {"order": 1, "amount": 13}}
    assert (await desk.approves(card, edits=edits)).status_code == 200
    [again] = await desk.world.pending(desk.chat_id)
    [error] = again["payload"]["errors"]
    assert error["path"] == "edits/payment/amount"
    assert "thirteen is never paid" in error["message"]
    assert desk.ran == []
    assert (await desk.approves(again)).status_code == 200
    await desk.ends()
    assert desk.ran == [["payment", {"order": 1, "amount": 5.0}]]


async def test_a_card_that_came_back_can_be_rejected(desk: Desk):
    card = await desk.asks("pay", order=1009, amount=43.2)
    assert (await desk.approves(card, edits={"amount": 50})).status_code == 200
    [again] = await desk.world.pending(desk.chat_id)
    assert (await desk.approves(again, decision="reject", reason="then not")).is_success
    said = json.loads(await desk.ends())
    assert (said["status"], said["reason"]) == ("rejected", "then not")
    assert desk.ran == []


async def test_what_prepare_refuses_before_anybody_was_asked_is_told_to_the_agent(desk: Desk):
    words = json.dumps({"tool": "pay", "arguments": {"order": 1, "amount": 50}})
    await begin(desk.world, desk.chat_id, words)
    assert json.loads(await desk.ends())["message"] == "Only 43.20 was paid for order 1."
    assert desk.ran == []


# ── numbers that are none ──


@pytest.mark.parametrize("amount", ["nan", "inf", "-inf", "Infinity"])
async def test_what_no_rule_can_judge_never_runs(desk: Desk, amount: str):
    words = json.dumps({"tool": "predpay", "arguments": {"amount": amount}})
    await begin(desk.world, desk.chat_id, words)
    await desk.world.until_run(desk.chat_id, "failed")
    assert desk.ran == []


# ── what an older version left, and what cannot be written ──


async def test_a_card_of_an_older_version_can_be_dismissed_and_says_why(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sayso.engine.segment.check_request", lambda _: None)
    card = FormCard(title="Old", response_schema={"type": "strin"})
    asked = CardRequest(call_key="old", card=card, ui_tool_id="form")
    [it] = await world.asked(await world.chat(), asked)
    address = f"/api/interactions/{it['interaction_id']}"
    refused = await world.http.post(f"{address}/response", json={"values": {"a": "x"}})
    assert "can be dismissed" in errors_of(refused)["values"]
    assert (await world.http.post(f"{address}/dismiss")).status_code == 200


async def test_a_wait_that_cannot_be_written_fails_the_run_in_words(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    """Before, the chat said that it ran, and the run was taken over for ever."""

    async def wait(*_: object, **__: object) -> None:
        raise InvalidInput("This cannot be written.")

    monkeypatch.setattr(world.engine.store, "wait", wait)
    chat_id = await world.chat()
    hold = await world.start(chat_id)
    await hold.ask(refund())
    view = await world.until_run(chat_id, "failed")
    assert view["run"]["error"]["detail"] == "This cannot be written."


async def test_an_answer_is_checked_again_where_its_card_moved(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    """The card changes between the check and the transaction: what was checked does not count."""
    chat_id = await world.chat()
    hold = await world.start(chat_id)
    await hold.ask(refund(edit_schema={"properties": {"amount": {"type": "number"}}}))
    [it] = await world.pending(chat_id)
    store = world.engine.store
    read = store.interaction
    stale: list[Interaction] = []

    async def older(app_id: str, interaction_id: str) -> Interaction | None:
        """The card as it was before a redraw took its edits away."""
        now = await read(app_id, interaction_id)
        assert now is not None
        assert isinstance(now.card, ApprovalCard)
        schema: JsonObject = {"properties": {"amount": {"type": "number"}, "order": {}}}
        stale.append(
            replace(now, card=now.card.model_copy(update={"edit_schema": schema}), revision=0)
        )
        return stale[-1]

    monkeypatch.setattr(store, "interaction", older)
    body = {
        "decision": "approve",
        "edits": {"order": "evil"},
        "digest": it["payload"]["sayso"]["digest"],
    }
    address = f"/api/interactions/{it['interaction_id']}/response"
    refused = await world.http.post(address, json=body)
    assert stale
    assert errors_of(refused) == {"edits/order": "cannot be changed here"}
    monkeypatch.setattr(store, "interaction", read)
    body["edits"] = {"amount": 5}
    assert (await world.http.post(address, json=body)).status_code == 200
