"""Any card, any answer: what runs is a part of what the answer names, and the record tells of it.

What runs is read from a file that the bodies of the tools write; what an answer names is computed
by `consent.py` from the card as the API showed it and the body as it was sent.
"""

from __future__ import annotations

import ast
import asyncio
import csv
import io
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal
from hypothesis import given
from hypothesis import strategies as st

from sayso import AgentContext
from tests.oracles import consent, doors
from tests.oracles.answers import ANSWERS, Answer
from tests.oracles.conftest import looks
from tests.oracles.consent import NOTHING, Steps
from tests.oracles.desk import Desk, Ledger, Wire, desk
from tests.oracles.graphs import GRAPHS, graphs
from tests.oracles.stories import CALLS, KINDS, TWICE, story, tools

#: How an answer comes in: by the card's own address, by the socket, in a list of answers, in one to
#: all that is open, or as words in the chat.
DOORS = ("response", "response", "socket", "batch", "batch of all", "words")
WORDS = ("yes", "approve", "yes, do it", "go ahead", "no", "red", "Oslo", "Approve all 3 payments")


@dataclass(frozen=True)
class Case:
    """One card, and what its person does: perhaps an edit first, then this answer."""

    kind: str
    answer: Answer
    door: str = "response"
    words: str = "yes"
    mode: str = "queue"
    #: An edit that makes the card its next revision, where the tool has such.
    revised: bool = False


def case(kind: str, door: str = "response", **answer: Any) -> Case:
    return Case(kind, Answer(**answer), door)


CASES = st.builds(
    Case,
    kind=st.sampled_from([*KINDS, *GRAPHS]),
    answer=ANSWERS,
    door=st.sampled_from(DOORS),
    words=st.sampled_from(WORDS),
    mode=st.sampled_from(["queue", "queue", "supersede"]),
    revised=st.booleans(),
)

OUR_NAMES = {
    "amount": 3,
    "reason": "MY OWN WORDS",
    "decision": "later",
    "digest": "none",
    "metadata": "m",
    "values": "v",
}
KNOWN_BAD = {
    "one row of three approved, the rest not spoken of": case(
        "table", yes="partial", approved=(0,)
    ),
    "one row approved, in the normal form": case("table", form="normal", approved=(1,)),
    "a bare partial": case("table", yes="partial"),
    "approve with every row rejected": case("table", rejected=(0, 1, 2)),
    "a row rejected, the others without a yes": case("table", yes="partial", rejected=(1,)),
    "a row of a list with other things in it rejected": case(
        "mixed table", yes="partial", approved=(0,), rejected=(1,)
    ),
    "a group of rows rejected": case("grouped table", yes="partial", approved=(0,), rejected=(1,)),
    "a row rejected that stands elsewhere in the argument": case(
        "turned table", yes="partial", approved=(0,), rejected=(1, 2)
    ),
    "a row of prepare's own rejected": case(
        "prepared rows", yes="partial", approved=(0,), rejected=(1, 2)
    ),
    "a row of a card without rows rejected": case("plain", yes="partial", rejected=(0,)),
    "the other card's id in the body": case("two alike", id="other", form="normal"),
    "both of two equal cards, in one batch": case("two alike", "batch of all", digest="right"),
    "both of two equal cards that may be approved together": case(
        "two of many", "batch of all", digest="right"
    ),
    "the same, each with the other's digest": case("two of many", "batch of all", digest="other"),
    "the same, without a digest": case("two of many", "batch of all"),
    "the same, with edits": case(
        "two of many", "batch of all", edits={"amount": 4.5}, digest="right"
    ),
    "a no to both of two equal cards": case(
        "two alike", "batch of all", yes="reject", digest="right"
    ),
    "both of two equal cards, each with the other's id": case(
        "two alike", "batch of all", id="other", digest="right"
    ),
    "both of two equal cards, with edits": case(
        "two alike", "batch of all", edits={"amount": 4.5}, digest="right"
    ),
    "a no to a tool that ends its graph": case("graph_direct", yes="reject", digest="right"),
    "a partial of rows in a graph": case(
        "graph_direct_rows", yes="partial", approved=(0,), rejected=(1, 2), digest="right"
    ),
    "an edit of what a graph asked about": case("graph", edits={"name": "crate"}, digest="right"),
    "an answer to all that is open, of which one is a second revision": replace(
        case("shown amount", "batch of all", digest="right"), revised=True
    ),
    "one row approved, by the socket": case("table", "socket", yes="partial", approved=(1,)),
    "the other card's id in the body, by the socket": case("two alike", "socket", id="other"),
    "a number that is none, by the socket": case(
        "plain", "socket", edits={"amount": 5.0}, raw=("5.0", "NaN")
    ),
    "the other card's digest": case("two alike", digest="other"),
    "a partial of a foreign table": case("foreign rows", yes="partial", approved=(0,)),
    "metadata is a string": case("plain", more={"metadata": "x"}, digest="right"),
    "metadata is a list": case("plain", more={"metadata": ["x"]}, digest="right"),
    "metadata is a string, in the wrapper": case(
        "plain", form="wrapper", more={"metadata": "x"}, digest="right"
    ),
    "an edit that cannot be written as canonical JSON": case("plain", edits={"amount": 2**60}),
    "a form whose fields have our names": case("form of our names", form="plain", values=OUR_NAMES),
    "a form whose fields have our names, as values": case(
        "form of our names", form="values", values=OUR_NAMES
    ),
    "a form with a field that is called approved": case(
        "form with approved", form="plain", values={"approved": False, "interaction_id": "x"}
    ),
    "a ui tool whose fields have our names": case(
        "ui tool of our names",
        form="plain",
        values={"reason": "mine", "decision": "reject", "edits": "none"},
    ),
    "a choice beside the values of a ui tool": case(
        "ui tool of our names",
        form="normal",
        option="red",
        values={"reason": "mine", "decision": "reject", "edits": "none"},
        digest="right",
    ),
    "a no beside what a form was filled with": case("form", form="plain", yes="reject"),
    "a no beside the values of a ui tool": case(
        "ui tool", form="values", yes="reject", values={"plan": "go"}, digest="right"
    ),
    "a yes and a reason beside the values of a ui tool": case(
        "ui tool", form="flat", values={"plan": "go"}, digest="right"
    ),
    "no digest on a second revision": replace(case("shown amount"), revised=True),
    "the first revision's digest on the second": replace(
        case("shown amount", digest="old"), revised=True
    ),
    "an edit that only the tool can refuse": case("refusing tool", edits={"amount": 50}),
    "an edit of what may not be edited": case("plain", edits={"order": 8}),
    "an edit by words that fit no schema": case("plain", edits={"amount": "5"}),
    "flat rows beside approved": case("table", form="flat", approved=(0,)),
    "a digest that is none": case("confirm", digest="wrong"),
}


async def begin(desk: Desk, kind: str, by_name: dict[str, Any]) -> str:
    """A chat in which a card of this kind is open."""
    return await desk.begin(story(desk, kind, by_name), kind if kind in GRAPHS else None)


class Court:
    """The desk, its tools, and what of them is looked at."""

    def __init__(self, portal: BlockingPortal, desk: Desk, tools: dict[str, Any]) -> None:
        self.portal, self.desk, self.tools = portal, desk, tools

    def judge(self, it: Case) -> None:
        self.portal.call(self._judge, it)

    async def _judge(self, it: Case) -> None:
        chat = await begin(self.desk, it.kind, self.tools)
        try:
            await self._answer(chat, it)
        finally:
            await self.desk.close(chat)

    async def _answer(self, chat: str, it: Case) -> None:
        open_cards = await self.desk.open_cards(chat)
        if not open_cards:
            assert it.kind not in GRAPHS, await self.desk.view(chat)
            assert self.desk.ledger.of(chat) == [], "it ran and nobody was asked"
            return
        card, old = open_cards[0], None
        if it.revised and it.kind == "shown amount":
            old = card["payload"]["sayso"]["digest"]
            edit = Answer(edits={"amount": 6.0}, digest="right").body(card)
            await self.desk.answer(card["interaction_id"], edit)
            await self.desk.rest(chat)
            [card] = open_cards = await self.desk.open_cards(chat)
        others = [each for each in open_cards if each["interaction_id"] != card["interaction_id"]]
        answers = [(card, it.answer.body(card, old=old, other=_colliding(it, others)))]
        if it.door == "batch of all":
            answers += [(each, it.answer.body(each, other=card)) for each in others]
        replies = await self._sent(chat, answers, it)
        allowed = sum(
            (
                _allowed(it, *answer, status)
                for answer, (status, _) in zip(answers, replies, strict=True)
            ),
            NOTHING,
        )
        await self.desk.rest(chat)
        ran = _steps_of(self.desk.ledger.of(chat), card)
        bodies = b"\n".join(body for _, body in answers).decode()
        said = f"{it}\n{bodies[:900]}\n{replies}\nran {ran}\nmay  {allowed}"
        assert all(status < 500 for status, _ in replies), said
        if not ran <= allowed:
            raise AssertionError(f"what ran was not named\n{said}")
        await self._is_recorded(chat, card, ran, said)
        done = await self._told(chat, said)
        if it.kind in (*CALLS, *TWICE):
            assert _steps_of(done, card) == ran, f"the history says {done}\n{said}"
        now = {each["interaction_id"] for each in await self.desk.open_cards(chat)}
        for number, ((each, _), (status, reply)) in enumerate(zip(answers, replies, strict=True)):
            # A no goes for an equal call too, and the run may have ended of it before the next one.
            is_overtaken = number > 0 and '"already_settled"' in reply
            assert status < 300 or is_overtaken or each["interaction_id"] in now, said

    async def _sent(
        self, chat: str, answers: list[tuple[Wire, bytes]], it: Case
    ) -> list[doors.Reply]:
        """What the door said to each of these."""
        match it.door:
            case "words":
                reply = await self.desk.say(chat, it.words, mode=it.mode)
                return [(reply.status_code, reply.text)]
            case "response":
                return [await doors.by_its_address(self.desk, *answers[0])]
            case "socket":
                return [await doors.by_the_socket(self.desk, *answers[0])]
            case _:
                return await doors.in_a_batch(self.desk, answers)

    async def _told(self, chat: str, said: str) -> list[Wire]:
        """What ran of what a person approved, as the history, its files and the receipts agree."""
        entries = await self.desk.history(chat)
        lines = (await self.desk.exported(chat, "jsonl")).splitlines()
        assert [json.loads(line) for line in lines] == entries, said
        table = [*csv.DictReader(io.StringIO(await self.desk.exported(chat, "csv")))]
        receipts = {
            tool["event_id"]: tool
            for message in (await self.desk.view(chat))["messages"]
            if (tool := message["metadata"].get("ui_tool")) is not None
        }
        for entry, row in zip(entries, table, strict=True):
            told = f"{entry}\n{row}\n{said}"
            for column in ("interaction_id", "decision", "outcome", "executed_digest"):
                assert row[column] == (entry[column] or ""), told
            assert json.loads(row["ran_arguments"] or "{}") == (entry["ran_arguments"] or {}), told
            receipt = receipts[entry["interaction_id"]]
            came = receipt.get("outcome", {}).get("state")
            if entry["outcome"] not in (None, "not_yet", "running") and (
                came is not None or entry["status"] != "rejected"
            ):  # a no says by itself that nothing ran
                assert came == entry["outcome"], f"{receipt}\n{told}"
            assert receipt.get("response_summary"), f"{receipt}\n{told}"
        return [
            {"tool": each["tool_name"], "arguments": each["ran_arguments"]}
            for each in entries
            if each["outcome"] == "ran"
        ]

    async def _is_recorded(self, chat: str, card: Wire, ran: Steps, said: str) -> None:
        """The audit log and the chat tell of what ran, and of nothing else."""
        lines = await self.desk.audit(chat)
        effects = [line["body"] for line in lines if line["action"] == "effect.done"]
        audit = [each for each in effects if each["tool_name"] not in ASKING]
        recorded = _steps_of([_effect(each) for each in audit], card)
        assert recorded == ran, f"the audit log says {recorded}\n{said}"
        calls = (await self.desk.view(chat))["tool_calls"]
        done = [
            _effect({"tool_name": each["name"], "arguments": each["arguments"]})
            for each in calls
            if each["status"] == "done" and each["name"] not in ASKING
        ]
        if "rejected" not in {each["status"] for each in await self.desk.cards(chat)}:
            assert _steps_of(done, card) == ran, f"the chat says {done}\n{said}"
        for line in audit:
            if line["tool_name"] not in ACTING:
                digests = {each["digest"] for each in await self.desk.history(chat)}
                assert line["shown_digest"] in digests - {None}, f"no such decision\n{said}"


def _colliding(it: Case, others: list[Wire]) -> Wire | None:
    return others[0] if others and it.kind in TWICE else None


def _allowed(it: Case, card: Wire, body: bytes, status: int) -> Steps:
    if it.door == "words":
        return consent.words(card, it.words, it.mode)
    return consent.named(card, body, status)


#: Tools that only ask: they do nothing themselves.
ASKING = {"create_product", "add_exchanges", "ask_for_product", "ask_for_exchanges"}
#: Tools that do what another name says.
ACTING = {"act", "graph_act"}


def _effect(told: Wire) -> Wire:
    """What the record says of a call, as the ledger would."""
    if told["tool_name"] not in ACTING:
        return {"tool": told["tool_name"], "arguments": told["arguments"]}
    return {"tool": told["arguments"]["tool_name"], "arguments": told["arguments"]["arguments"]}


def _steps_of(calls: list[Wire], card: Wire) -> Steps:
    table = consent.table_of(card["payload"])
    each = (consent.steps(call["tool"], call["arguments"], table) for call in calls)
    return sum(each, Counter())


@pytest.fixture(scope="module")
def court(portal: BlockingPortal, folder: Path) -> Iterator[Court]:
    ledger = Ledger(folder / "ledger")
    by_name = tools(ledger)
    served = desk(folder, *by_name.values(), ledger=ledger, others=graphs(ledger))
    with portal.wrap_async_context_manager(served) as it:
        yield Court(portal, it, by_name)


@pytest.mark.parametrize("it", KNOWN_BAD.values(), ids=KNOWN_BAD)
def test_what_was_once_wrong(court: Court, it: Case):
    court.judge(it)


@looks(100)
@given(CASES)
def test_what_runs_was_named_and_what_is_recorded_ran(court: Court, it: Case):
    court.judge(it)


def test_two_equal_cards_are_approved_in_one_batch(court: Court):
    """Were every batch refused, the oracle would see none."""

    async def all_of_it() -> Steps:
        chat = await begin(court.desk, "two of many", court.tools)
        cards = await court.desk.open_cards(chat)
        answers = [(each, Answer(digest="right").body(each)) for each in cards]
        replies = await doors.in_a_batch(court.desk, answers)
        assert [status for status, _ in replies] == [200, 200], replies
        await court.desk.rest(chat)
        return _steps_of(court.desk.ledger.of(chat), cards[0])

    assert court.portal.call(all_of_it).total() == 2


def test_the_oracle_knows_nothing_of_sayso():
    tree = ast.parse(Path(consent.__file__).read_text())
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {
        name.split(".")[0]
        for node in found
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
        )
    }
    assert names <= sys.stdlib_module_names


def test_the_oracle_sees_the_yes_of_each_kind(court: Court):
    """Were nothing ever named and nothing ever run, every example would pass."""
    plain = {
        "form": Answer(form="plain", values={"street": "Main", "floors": 2}),
        "form of our names": Answer(form="values", values=OUR_NAMES),
        "form with approved": Answer(
            form="values", values={"approved": True, "interaction_id": "x"}
        ),
        "ui tool": Answer(form="plain", values={"plan": "go"}),
        "ui tool of our names": Answer(
            form="values", values={"reason": "r", "decision": "d", "edits": "e"}
        ),
        "choose": Answer(option="red"),
        "free": Answer(notes="Oslo"),
    }
    for kind in (*KINDS, *GRAPHS):
        if kind in ("foreign", "foreign rows", "mixed table"):
            continue

        async def all_of_it(kind: str = kind) -> Steps:
            chat = await begin(court.desk, kind, court.tools)
            [card, *_] = await court.desk.open_cards(chat)
            body = plain.get(kind, Answer(digest="right")).body(card)
            reply = await court.desk.answer(card["interaction_id"], body)
            assert reply.status_code == 200, f"{kind}: {reply.text}"
            await court.desk.rest(chat)
            ran = _steps_of(court.desk.ledger.of(chat), card)
            assert ran, f"{kind}: a yes ran nothing"
            assert ran <= consent.named(card, body, 200), f"{kind}: {body!r}"
            await court.desk.close(chat)
            return ran

        assert court.portal.call(all_of_it)


@pytest.mark.parametrize("digest", ["old", "none", "right"])
def test_a_yes_to_a_screen_that_has_changed_is_no_yes(court: Court, digest: str):
    """A card that is redrawn while another of its batch is answered has become another revision."""
    shown = {"amount": 1000}

    async def told(ctx: AgentContext) -> None:
        agreed, _ = await ctx.gather(
            ctx.confirm("Sure?", details=dict(shown)), ctx.ask("Where to?")
        )
        if agreed:
            arguments = {"title": "Sure?"}
            await ctx.call(court.tools["act"], tool_name="confirmation", arguments=arguments)

    async def see() -> tuple[Steps, Steps, int]:
        chat = await court.desk.begin(told)
        cards = {each["card"]: each for each in await court.desk.open_cards(chat)}
        old = cards["confirmation"]["payload"]["sayso"].get("digest")
        shown["amount"] = 2000
        words = Answer(notes="Oslo", digest="right").body(cards["options"])
        assert (await court.desk.answer(cards["options"]["interaction_id"], words)).is_success
        async with asyncio.timeout(60):
            while True:
                now = await court.desk.open_cards(chat)
                if [each["payload"].get("details") for each in now] == [AFTER]:
                    break
                await asyncio.sleep(0.01)
        [card] = now
        body = Answer(digest=digest).body(card, old=old)
        reply = await court.desk.answer(card["interaction_id"], body)
        await court.desk.rest(chat)
        ran = _steps_of(court.desk.ledger.of(chat), card)
        await court.desk.close(chat)
        return ran, consent.named(card, body, reply.status_code), reply.status_code

    ran, allowed, status = court.portal.call(see)
    assert ran <= allowed
    assert (status < 300) == (digest == "right")


AFTER = [{"label": "amount", "value": 2000}]
