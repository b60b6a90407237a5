"""The inbox, bulk approval, the history and its exports, and what is always allowed, over REST."""

import csv
import io
import json
from typing import Any

import httpx
from pydantic import SecretStr

from sayso.settings import Settings, Token
from tests.integration.world import Wire, World, refund, running, which


def bulk(call_key: str, **card: Any) -> Any:
    return refund(call_key, bulk=True, **card)


def approving(card: Wire, **more: Any) -> Wire:
    digest = card["payload"]["sayso"]["digest"]
    return {
        "interaction_id": card["interaction_id"],
        "key": f"k-{card['interaction_id']}",
        "body": {"approved": True, "metadata": {"digest": digest}, **more},
    }


async def together(world: World, *items: Wire) -> list[Any]:
    """What became of each: its state, or the code of its problem."""
    answer = await world.http.post("/api/interactions/responses", json=list(items))
    assert answer.status_code == 200, answer.text
    return [
        result["ok"]["status"] if "ok" in result else result["problem"]["code"]
        for result in answer.json()["results"]
    ]


async def listed(world: World, path: str, **query: Any) -> list[str]:
    answer = await world.http.get(path, params=query)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    return [it["interaction_id"] for it in body.get("interactions", body.get("entries"))]


# ── the inbox ──


async def test_the_inbox_is_filtered_ordered_and_counted(world: World):
    first, second = await world.chat(), await world.chat()
    (old,) = await world.asked(first, refund("a"))
    soon, late = await world.asked(
        second, which("soon", "a", seconds=60), which("late", seconds=86_400)
    )
    ids = [it["interaction_id"] for it in (old, soon, late)]
    waits = {"status": "pending"}
    path = "/api/interactions"
    assert await listed(world, path, **waits, order="oldest") == ids
    assert await listed(world, path, **waits, order="expiring") == [ids[1], ids[2], ids[0]]
    assert await listed(world, path, **waits, q="order 1001") == [ids[0]]
    assert await listed(world, path, **waits, agent="puppet") == [ids[0]]
    before = late["expires_at"]
    assert await listed(world, path, **waits, expires_before=before) == [ids[1]]
    assert await listed(world, path, **waits, order="oldest", before=ids[0], limit=1) == [ids[1]]
    counts = (await world.http.get("/api/interactions/counts")).json()
    assert counts == {
        "pending": 3,
        "snoozed": 0,
        "kinds": {"approval": 1, "options": 2},
        "agents": {"": 2, "puppet": 1},
    }
    answer = await world.http.get(path, params={"order": "sideways"})
    assert answer.status_code == 422


async def test_what_was_settled_after_a_moment_is_listed(world: World):
    one, two = await world.asked(await world.chat(), refund("a"), refund("b"))
    await world.http.post(f"/api/interactions/{one['interaction_id']}/dismiss")
    done = (await world.http.get(f"/api/interactions/{one['interaction_id']}")).json()
    path, query = "/api/interactions", {"order": "settled"}
    at = done["settled_at"]
    assert await listed(world, path, **query, settled_after=at) == [one["interaction_id"]]
    await world.http.post(f"/api/interactions/{two['interaction_id']}/dismiss")
    assert await listed(world, path, **query) == [two["interaction_id"], one["interaction_id"]]


# ── several at once ──


async def test_what_its_policy_allows_is_approved_together(world: World):
    cards = await world.asked(await world.chat(), bulk("a"), bulk("b"))
    assert all(card["payload"]["sayso"]["bulk"] is True for card in cards)
    assert await together(world, *map(approving, cards)) == ["completed", "completed"]


async def test_what_its_policy_does_not_allow_needs_an_answer_of_its_own(world: World):
    allowed, alone = await world.asked(await world.chat(), bulk("a"), refund("b"))
    assert "bulk" not in alone["payload"]["sayso"]
    said = await together(world, approving(allowed), approving(alone))
    assert said == ["completed", "answer_alone"]
    # By itself it is an answer like any other, in a list of one too.
    assert await together(world, approving(alone)) == ["completed"]


async def test_nobody_approves_together_what_was_not_listed_whole(world: World):
    cards = await world.asked(await world.chat(), bulk("a"), bulk("b"))
    blind = [{**approving(card), "body": {"approved": True}} for card in cards]
    assert await together(world, *blind) == ["answer_alone", "answer_alone"]


async def test_an_approval_in_any_of_its_forms_counts_as_one(world: World):
    cards = await world.asked(await world.chat(), refund("a"), refund("b"))
    digest = cards[0]["payload"]["sayso"]["digest"]
    bodies: list[Wire] = [
        {"decision": "approve", "metadata": {"digest": digest}},
        {"tool_response": {"tool_name": "refund", "approval_decision": {"decision": "approve"}}},
    ]
    items = [
        {"interaction_id": card["interaction_id"], "key": f"f{n}", "body": body}
        for n, (card, body) in enumerate(zip(cards, bodies, strict=True))
    ]
    assert await together(world, *items) == ["answer_alone", "answer_alone"]


async def test_several_refusals_and_one_approval_need_no_leave(world: World):
    cards = await world.asked(await world.chat(), refund("a"), refund("b"), which("c", "x"))
    no = {"approved": False, "user_message": "not today"}
    items = [
        {"interaction_id": cards[0]["interaction_id"], "key": "1", "body": no},
        approving(cards[1]),
        {
            "interaction_id": cards[2]["interaction_id"],
            "key": "3",
            "body": {"selected_option": "x"},
        },
    ]
    assert await together(world, *items) == ["rejected", "completed", "completed"]


# ── the history ──


async def test_the_history_and_its_exports_are_filtered_alike(world: World):
    chat, other = await world.chat(), await world.chat()
    yes, no = await world.asked(chat, refund("a"), refund("b"))
    (asked,) = await world.asked(other, which("c", "x"))
    for card, body in (
        (yes, approving(yes)["body"]),
        (no, {"approved": False, "user_message": "wrong list"}),
        (asked, {"selected_option": "x"}),
    ):
        path = f"/api/interactions/{card['interaction_id']}/response"
        assert (await world.http.post(path, json=body)).status_code == 200
    await world.asked(await world.chat(), refund("waits"))
    ids = [it["interaction_id"] for it in (yes, no, asked)]
    when = (await world.http.get(f"/api/interactions/{ids[1]}")).json()["settled_at"]
    for query, expected in (
        ({}, ids[::-1]),
        ({"chat": chat}, [ids[1], ids[0]]),
        ({"decision": "reject"}, [ids[1]]),
        ({"status": "completed", "kind": "approval"}, [ids[0]]),
        ({"tool": "refund"}, [ids[1], ids[0]]),
        ({"since": when}, [ids[2], ids[1]]),
        ({"until": when}, [ids[0]]),
        ({"q": "WRONG list"}, [ids[1]]),
        ({"person": "nobody"}, []),
        ({"person": "you"}, ids[::-1]),
        ({"agent": "puppet"}, [ids[1], ids[0]]),
    ):
        assert await listed(world, "/api/history", **query) == expected, query
        lines = (await world.http.get("/api/history.jsonl", params=query)).text.splitlines()
        assert [json.loads(line)["interaction_id"] for line in lines] == expected, query
        sheet = (await world.http.get("/api/history.csv", params=query)).content
        rows = csv.DictReader(io.StringIO(sheet.decode("utf-8-sig")))
        assert [row["interaction_id"] for row in rows] == expected, query
    page = (await world.http.get("/api/history", params={"limit": 2})).json()
    assert await listed(world, "/api/history", before=page["next"]) == [ids[0]]


# ── what is always allowed, and who sees it ──


async def test_what_is_always_allowed_is_listed_for_who_opened_the_chat():
    people = [
        Token(secret=SecretStr(f"secret-of-{name}-0123456789"), person=name, role="responder")
        for name in ("ada", "ben")
    ]
    async with running(Settings(port=0, tokens=people), headers=_as("ada")) as world:
        made = await world.http.post("/api/chats", json={"title": "Orders"})
        chat = made.headers["location"]
        rule = {"key": "always_allow", "value": ["refund", 7]}
        await world.http.put(f"{chat}/preferences", json=rule)
        path = "/api/preferences/always-allow"
        expected = [{"chat_id": made.json()["id"], "title": "Orders", "tools": ["refund"]}]
        assert (await world.http.get(path)).json() == {"rules": expected}
        assert (await world.http.get(path, headers=_as("ben"))).json() == {"rules": []}
        await world.http.put(f"{chat}/preferences", json={**rule, "value": []})
        assert (await world.http.get(path)).json() == {"rules": []}


async def test_pending_ui_tools_are_read_in_pages_by_admins(world: World):
    cards = await world.asked(await world.chat(), *(refund(f"c{n}") for n in range(3)))
    newest_first = [card["interaction_id"] for card in reversed(cards)]
    first = await world.http.get("/api/admin/pending", params={"limit": 2})
    assert _ids(first) == newest_first[:2]
    rest = await world.http.get(
        "/api/admin/pending", params={"limit": 2, "before": first.json()["next"]}
    )
    assert _ids(rest) == newest_first[2:]
    assert rest.json()["next"] is None


def _as(name: str) -> dict[str, str]:
    return {"authorization": f"Bearer secret-of-{name}-0123456789"}


def _ids(answer: httpx.Response) -> list[str]:
    return [it["interaction_id"] for it in answer.json()["pending"]]
