"""Asks from outside, over real sockets: born waiting, answered like any card, used once, told."""

from __future__ import annotations

import asyncio
import base64

import httpx
import pytest

from sayso.server.ask_actions import AskPresence
from sayso.settings import Settings, Token
from sayso.testing.clock import FakeClock
from tests.integration.test_bad_input import problem
from tests.integration.world import GUARD_SECONDS, Wire, World, running

DEPLOY: Wire = {
    "kind": "approve",
    "title": "Deploy 4.2 to production?",
    "tool_name": "deploy",
    "arguments": {"version": "4.2", "note": "the usual"},
    "asker": {"client": "ci", "session": "build-7", "folder": "/src", "host": "runner-1"},
}


async def ask(world: World, key: str | None = None, **body: object) -> Wire:
    headers = {"Idempotency-Key": key} if key is not None else {}
    answer = await world.http.post("/api/asks", json={**DEPLOY, **body}, headers=headers)
    assert answer.status_code in (200, 201), answer.text
    return dict(answer.json())


async def answered(world: World, asked: Wire, **body: object) -> Wire:
    said = {"approved": True, "metadata": {"digest": asked["digest"]}, **body}
    path = f"/api/interactions/{asked['interaction_id']}/response"
    answer = await world.http.post(path, json=said)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def get(world: World, asked: Wire, wait: int | None = None) -> httpx.Response:
    params = {} if wait is None else {"wait": wait}
    return await world.http.get(f"/api/asks/{asked['interaction_id']}", params=params)


async def start(world: World, asked: Wire, **body: object) -> httpx.Response:
    return await world.http.post(f"/api/asks/{asked['interaction_id']}/start", json=body)


async def report(world: World, asked: Wire, state: str, **body: object) -> httpx.Response:
    path = f"/api/asks/{asked['interaction_id']}/report"
    return await world.http.post(path, json={"state": state, **body})


async def until_listening(world: World) -> None:
    async with asyncio.timeout(GUARD_SECONDS):
        while not world.listening:  # noqa: ASYNC110  # the feed tells nobody who listens
            await asyncio.sleep(0.002)


async def account(world: World, asked: Wire) -> Wire | None:
    it = (await world.http.get(f"/api/interactions/{asked['interaction_id']}")).json()
    return it["outcome"]  # type: ignore[no-any-return]


# ── born waiting ──


async def test_an_ask_is_a_card_like_any_other(world: World):
    asked = await ask(world)
    assert asked["state"] == "pending"
    assert asked["url"] == f"{world.url}/i/{asked['interaction_id']}"
    (listed,) = (await world.http.get("/api/interactions?status=pending")).json()["interactions"]
    assert listed["interaction_id"] == asked["interaction_id"]
    assert listed["payload"]["sayso"]["asker"] == DEPLOY["asker"]
    assert listed["payload"]["tool_params"] == DEPLOY["arguments"]
    view = await world.view(listed["chat_id"])
    assert (view["title"], view["run"]["status"]) == (DEPLOY["title"], "waiting")
    assert [message["event_id"] for message in view["messages"]] == [asked["interaction_id"]]
    assert view["tool_calls"][0]["status"] == "waiting"
    assert (await world.http.get("/api/chats")).json()["chats"] == [], "it is no conversation"
    said = (await world.http.get("/api/interactions?q=build-7")).json()["interactions"]
    assert [it["interaction_id"] for it in said] == [asked["interaction_id"]]
    assert world.puppet.holds == [], "no worker of ours runs it"


async def test_what_it_rests_on_lies_beside_it_for_who_may_see_it(world: World):
    png = b"\x89PNG\r\n\x1a\n" + bytes(range(256))

    def file(name: str, content: bytes, **more: str) -> Wire:
        return {"name": name, "content": base64.b64encode(content).decode(), **more}

    page = file("Größe “A”.html", b"<script>alert(1)</script>")
    link = {"url": "https://ci.example/build/7"}
    image = file("box.png", png, alt="A broken box")
    asked = await ask(world, "evidence", attachments=[image, page, link])
    card = f"/api/interactions/{asked['interaction_id']}"
    drawn, loaded, named = (await world.http.get(card)).json()["payload"]["attachments"]
    assert (drawn["media_type"], drawn["size"], drawn["alt"]) == (
        "image/png",
        len(png),
        "A broken box",
    )
    assert named == {"kind": "link", **link}
    got = await world.http.get(f"{card}/files/{drawn['digest']}")
    assert (got.content, got.headers["content-type"]) == (png, "image/png")
    assert got.headers["content-disposition"].startswith("inline;")
    got = await world.http.get(f"{card}/files/{loaded['digest']}")
    assert got.headers["content-type"] == "application/octet-stream"
    assert got.headers["content-disposition"] == (
        "attachment; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%E2%80%9CA%E2%80%9D.html"
    )
    assert got.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert got.headers["x-content-type-options"] == "nosniff"

    # It is under the digest: another picture is another revision.
    again = await ask(world, "evidence", attachments=[file("box.png", png[:-1], alt="A box")])
    assert (again["interaction_id"], again["digest"] == asked["digest"]) == (
        asked["interaction_id"],
        False,
    )
    (other,) = (await world.http.get(card)).json()["payload"]["attachments"]
    assert (await world.http.get(f"{card}/files/{other['digest']}")).content == png[:-1]
    gone = await world.http.get(f"{card}/files/{drawn['digest']}")
    problem(gone, 404, "not_found")
    elsewhere = await ask(world)
    path = f"/api/interactions/{elsewhere['interaction_id']}/files/{other['digest']}"
    problem(await world.http.get(path), 404, "not_found")


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "box.png", "content": "iVBORw0KGgo="},  # an image that says nothing
        {"name": "a.txt", "content": "not base64!"},
        {"name": "a/b", "content": ""},
        {"url": "javascript:alert(1)"},
        {"url": "https://ci.example", "name": "a.txt"},
    ],
)
async def test_what_cannot_lie_beside_it_is_refused(world: World, wrong: Wire):
    refused = await world.http.post("/api/asks", json={**DEPLOY, "attachments": [wrong]})
    assert refused.status_code == 422
    assert (await world.http.get("/api/interactions")).json()["interactions"] == []


async def test_nobody_reads_messages_in_its_chat(world: World):
    asked = await ask(world)
    it = (await world.http.get(f"/api/interactions/{asked['interaction_id']}")).json()
    body = {"content": "hello", "client_message_id": "m"}
    refused = await world.http.post(f"/api/chats/{it['chat_id']}/messages", json=body)
    problem(refused, 422, "not_supported")


async def test_the_answer_wakes_who_waits(world: World):
    asked = await ask(world)
    waiting = asyncio.create_task(get(world, asked, wait=GUARD_SECONDS))
    await until_listening(world)
    await answered(world, asked)
    told = await waiting
    assert (told.status_code, told.json()["state"]) == (200, "approved")
    assert told.json()["settled_by"] == "you"
    assert world.listening == 0


async def test_an_asker_that_has_gone_away_is_shown_as_such(world: World):
    clock = {"now": 0.0}
    service = world.app.state.service
    service.asks.presence = AskPresence(lambda: clock["now"])
    asked = await ask(world)

    async def waits() -> object:
        one = (await world.http.get(f"/api/interactions/{asked['interaction_id']}")).json()
        (listed,) = (await world.http.get("/api/interactions")).json()["interactions"]
        assert listed == one
        return one.get("asker_waits")

    assert await waits() is True, "it has just asked"
    clock["now"] += 60
    assert await waits() is False
    waiting = asyncio.create_task(get(world, asked, wait=GUARD_SECONDS))
    await until_listening(world)
    clock["now"] += 60
    assert await waits() is True
    await answered(world, asked)
    await waiting
    assert await waits() is None, "what is settled waits for nobody"


async def test_who_waits_in_vain_is_told_so(world: World):
    prefer = {"Prefer": "wait=1"}
    answer = await world.http.post("/api/asks", json=DEPLOY, headers=prefer)
    assert (answer.status_code, answer.json()["state"]) == (202, "pending")
    assert (await get(world, answer.json())).status_code == 200


async def test_an_answer_given_while_nobody_waited_is_there(world: World):
    asked = await ask(world, "deploy-4.2")
    await answered(world, asked)
    again = await ask(world, "deploy-4.2")
    assert (again["interaction_id"], again["state"]) == (asked["interaction_id"], "approved")


@pytest.mark.parametrize(
    ("body", "response", "state"),
    [
        ({"kind": "choose", "options": ["a", "b"]}, {"selected_option": "b"}, "answered"),
        (
            {"kind": "form", "schema": {"type": "object", "properties": {"n": {}}}},
            {"values": {"n": 1}},
            "answered",
        ),
        ({"kind": "notice"}, {"selected_option": "seen"}, "shown"),
    ],
    ids=["choose", "form", "notice"],
)
async def test_what_is_only_asked_ends_with_its_answer(
    world: World, body: Wire, response: Wire, state: str
):
    asked = await ask(world, **{**body, "arguments": {}})
    await answered(world, asked, response_data=response)
    told = (await get(world, asked)).json()
    assert told["state"] == state
    assert response.items() <= told["response"]["response_data"].items()
    it = (await world.http.get(f"/api/interactions/{asked['interaction_id']}")).json()
    await world.until_run(it["chat_id"], "completed")
    problem(await start(world, asked), 409, "not_approved")


async def test_a_notice_says_that_it_asks_nothing(world: World):
    asked = await ask(world, kind="notice", arguments={})
    it = (await world.http.get(f"/api/interactions/{asked['interaction_id']}")).json()
    assert it["payload"]["is_notice"] is True
    chosen = await ask(world, kind="choose", options=["a"], arguments={})
    it = (await world.http.get(f"/api/interactions/{chosen['interaction_id']}")).json()
    assert "is_notice" not in it["payload"]


async def test_a_no_ends_it(world: World):
    asked = await ask(world)
    await answered(world, asked, approved=False, user_message="not on a Friday")
    told = (await get(world, asked)).json()
    assert (told["state"], told["response"]["user_message"]) == ("rejected", "not on a Friday")
    problem(await start(world, asked), 409, "not_approved")
    assert (await account(world, asked) or {})["state"] == "not_run"


# ── one key is one ask ──


async def test_other_words_are_a_new_revision_and_other_arguments_another_ask(world: World):
    asked = await ask(world, "k")
    same = await ask(world, "k")
    assert (same["interaction_id"], same["revision"]) == (asked["interaction_id"], 1)
    reworded = await ask(world, "k", title="Deploy 4.2?")
    assert reworded["interaction_id"] == asked["interaction_id"]
    assert reworded["revision"] == 2
    assert reworded["digest"] != asked["digest"]
    body = {**DEPLOY, "arguments": {"version": "4.3"}}
    refused = await world.http.post("/api/asks", json=body, headers={"Idempotency-Key": "k"})
    problem(refused, 422, "idempotency_key_reused")
    path = f"/api/interactions/{asked['interaction_id']}/response"
    stale = {"approved": True, "metadata": {"digest": asked["digest"]}}
    problem(await world.http.post(path, json=stale), 409, "stale_digest")
    await answered(world, reworded)
    late = await ask(world, "k", title="Deploy, please?")
    assert (late["state"], late["title"]) == ("approved", "Deploy 4.2?"), "the answer stands"


async def test_what_does_not_bind_is_shown_as_such_and_spends_nothing(world: World):
    bound = {"digest_over": ["version"]}
    asked = await ask(world, "k", **bound)
    it = (await world.http.get(f"/api/interactions/{asked['interaction_id']}")).json()
    assert it["payload"]["tool_params"] == {"version": "4.2"}
    assert it["payload"]["not_bound"] == {"note": "the usual"}
    other = {"version": "4.2", "note": "in other words"}
    same = await ask(world, "k", **bound, arguments=other)
    assert (same["digest"], same["revision"]) == (asked["digest"], 1)
    it = (await world.http.get(f"/api/interactions/{asked['interaction_id']}")).json()
    assert it["payload"]["not_bound"] == {"note": "in other words"}
    await answered(world, asked)
    begun = (await start(world, asked)).json()
    assert begun["arguments"] == other


async def test_two_processes_with_one_key_open_one_card(world: World):
    headers = {"Idempotency-Key": "k"}
    sent = (world.http.post("/api/asks", json=DEPLOY, headers=headers) for _ in range(8))
    answers = await asyncio.gather(*sent)
    assert sorted(answer.status_code for answer in answers) == [200] * 7 + [201]
    (one,) = {answer.json()["interaction_id"] for answer in answers}
    (listed,) = (await world.http.get("/api/interactions")).json()["interactions"]
    assert (listed["interaction_id"], listed["payload"]["sayso"]["revision"]) == (one, 1)


async def test_what_binds_is_part_of_what_is_asked(world: World):
    asked = await ask(world, "k", digest_over=["version"])
    for other in ({}, {"digest_over": ["note"]}, {"tool_name": "delete"}, {"kind": "notice"}):
        body = {**DEPLOY, "digest_over": ["version"], **other} if other else DEPLOY
        refused = await world.http.post("/api/asks", json=body, headers={"Idempotency-Key": "k"})
        problem(refused, 422, "idempotency_key_reused")
    reworded = await ask(world, "k", digest_over=["version"], title="Deploy, please?")
    assert (reworded["revision"], reworded["digest"] == asked["digest"]) == (2, False)
    await answered(world, reworded)
    late = {"version": "4.2", "note": "in words that nobody saw"}
    same = await ask(world, "k", digest_over=["version"], arguments=late)
    assert (same["state"], same["arguments"]) == ("approved", DEPLOY["arguments"])


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"digest_over": ["color"]}, "digest_over"),
        ({"editable": ["color"]}, "editable"),
        ({"digest_over": ["version"], "editable": ["note"]}, "editable"),
        ({"kind": "form"}, "schema"),
        ({"kind": "choose", "options": ["a", "a"]}, "options"),
        ({"expires_at": "2001-01-01T00:00:00Z"}, "expires_at"),
        ({"kind": "beg"}, "kind"),
        ({"by": "me"}, "by"),
    ],
)
async def test_asks_that_are_none(world: World, body: Wire, path: str):
    refused = await world.http.post("/api/asks", json={**DEPLOY, **body})
    document = problem(refused, 422, "invalid_input")
    assert document["errors"][0]["path"] == path
    assert (await world.http.get("/api/interactions")).json()["interactions"] == []


# ── used once ──


async def test_an_approval_is_used_once_with_its_edits_and_its_outcome_told(world: World):
    asked = await ask(world, editable=["version"])
    assert (await account(world, asked)) is None
    await answered(world, asked, response_data={"edits": {"version": "4.2.1"}})
    assert (await account(world, asked) or {})["state"] == "not_used"
    begun = await start(world, asked)
    assert (begun.status_code, begun.json()["state"]) == (200, "started")
    assert begun.json()["arguments"] == {"version": "4.2.1", "note": "the usual"}
    assert (await account(world, asked) or {})["state"] == "running"
    used = problem(await start(world, asked), 409, "already_started")
    assert used["state"] == "started"
    assert (await report(world, asked, "done", result={"url": "x"})).json()["state"] == "done"
    again = await report(world, asked, "done", result={"url": "x"})
    assert again.status_code == 200, "the same report again is the same report"
    other = problem(await report(world, asked, "failed"), 409, "already_settled")
    assert other["state"] == "done"
    known = problem(await start(world, asked, idempotent=True), 409, "already_started")
    assert known["result"] == {"url": "x"}
    told = await account(world, asked) or {}
    assert (told["state"], told["arguments"]["version"]) == ("ran", "4.2.1")
    (line,) = (await world.http.get("/api/history")).json()["entries"]
    assert (line["decision"], line["outcome"]) == ("approve", "ran")
    assert line["asker"] == DEPLOY["asker"]
    verified = (await world.http.get("/api/audit/verify")).json()
    assert verified["intact"], verified


async def test_of_many_that_start_at_once_one_acts(world: World):
    asked = await ask(world)
    await answered(world, asked)
    codes = [a.status_code for a in await asyncio.gather(*(start(world, asked) for _ in range(8)))]
    assert sorted(codes) == [200] + [409] * 7


async def test_who_may_do_it_twice_is_let_through(world: World):
    asked = await ask(world)
    await answered(world, asked)
    first = (await start(world, asked, idempotent=True)).json()
    second = await start(world, asked, idempotent=True)
    assert (second.status_code, second.json()["started_at"]) == (200, first["started_at"])
    assert (await report(world, asked, "done")).json()["state"] == "done"


@pytest.mark.parametrize(
    ("state", "outcome"), [("failed", "failed"), ("not_executed", "not_run"), ("done", "ran")]
)
async def test_reports(world: World, state: str, outcome: str):
    asked = await ask(world)
    problem(await report(world, asked, state), 409, "not_approved")
    await answered(world, asked)
    problem(await report(world, asked, state), 409, "not_approved")
    await start(world, asked)
    told = (await report(world, asked, state, error="no disk")).json()
    assert (told["state"], told["error"]) == (state, "no disk")
    assert (await account(world, asked) or {})["state"] == outcome


async def uncertain(world: World) -> Wire:
    (card,) = (await world.http.get("/api/interactions?kind=uncertain_effect")).json()[
        "interactions"
    ]
    return dict(card)


async def rule(world: World, card: Wire, option: str) -> None:
    path = f"/api/interactions/{card['interaction_id']}/response"
    said = {"approved": True, "response_data": {"selected_option": option}}
    answer = await world.http.post(path, json=said)
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(
    ("ruling", "state"),
    [("mark_done", "done"), ("skip", "not_executed"), ("run_again", "approved")],
)
async def test_what_is_unknown_a_person_is_asked_about(world: World, ruling: str, state: str):
    asked = await ask(world)
    await answered(world, asked)
    await start(world, asked)
    assert (await report(world, asked, "unknown", error="cut off")).json()["state"] == "unknown"
    assert (await report(world, asked, "unknown")).status_code == 200
    await rule(world, await uncertain(world), ruling)
    assert (await get(world, asked)).json()["state"] == state
    if ruling == "run_again":
        assert (await start(world, asked)).json()["state"] == "started"
        assert (await report(world, asked, "done")).json()["state"] == "done"
    assert (await world.http.get("/api/audit/verify")).json()["intact"]


async def test_a_late_truth_settles_the_question(world: World):
    asked = await ask(world)
    await answered(world, asked)
    await start(world, asked)
    await report(world, asked, "unknown")
    card = await uncertain(world)
    assert (await report(world, asked, "failed", error="no disk")).json()["state"] == "failed"
    told = (await world.http.get(f"/api/interactions/{card['interaction_id']}")).json()
    assert told["status"] == "completed"
    it = (await world.http.get(f"/api/interactions/{asked['interaction_id']}")).json()
    await world.until_run(it["chat_id"], "completed")
    assert (await get(world, asked)).json()["state"] == "failed", "as its asker has told it"


async def test_what_is_not_reported_in_its_time_is_asked_about():
    clock = FakeClock()
    async with running(clock=clock) as world:
        asked = await ask(world)
        await answered(world, asked)
        await start(world, asked, report_within=60)
        world.engine.runtime.overdue_asks.nudge()
        assert (await get(world, asked)).json()["state"] == "started"
        clock.advance(seconds=61)
        world.engine.runtime.overdue_asks.nudge()
        it = (await world.http.get(f"/api/interactions/{asked['interaction_id']}")).json()
        (card,) = await world.pending(it["chat_id"])
        assert card["card"] == "uncertain_effect"
        assert (await get(world, asked)).json()["state"] == "unknown"
        assert (await start(world, asked, idempotent=True)).status_code == 200


# ── withdrawn ──


async def test_withdrawing_closes_the_card_and_comes_too_late_for_an_answer(world: World):
    asked = await ask(world)
    gone = await world.http.delete(f"/api/asks/{asked['interaction_id']}")
    assert gone.json()["state"] == "withdrawn"
    again = await world.http.delete(f"/api/asks/{asked['interaction_id']}")
    assert again.status_code == 200
    path = f"/api/interactions/{asked['interaction_id']}/response"
    problem(await world.http.post(path, json={"approved": True}), 409, "already_settled")
    other = await ask(world)
    await answered(world, other, approved=False, user_message="no")
    late = await world.http.delete(f"/api/asks/{other['interaction_id']}")
    problem(late, 409, "already_settled")


async def test_an_approval_that_was_not_used_can_be_withdrawn_and_then_not_be_used(world: World):
    asked = await ask(world)
    await answered(world, asked)
    gone = await world.http.delete(f"/api/asks/{asked['interaction_id']}")
    assert gone.json()["state"] == "withdrawn"
    problem(await start(world, asked), 409, "not_approved")
    assert (await account(world, asked) or {})["state"] == "not_run"
    begun = await ask(world)
    await answered(world, begun)
    await start(world, begun)
    late = await world.http.delete(f"/api/asks/{begun['interaction_id']}")
    problem(late, 409, "already_started")


async def test_of_an_answer_and_a_withdrawal_one_wins(world: World):
    for _ in range(5):
        asked = await ask(world)
        path = f"/api/interactions/{asked['interaction_id']}/response"
        said, gone = await asyncio.gather(
            world.http.post(path, json={"approved": False, "user_message": "no"}),
            world.http.delete(f"/api/asks/{asked['interaction_id']}"),
        )
        assert sorted((said.status_code, gone.status_code)) == [200, 409]


async def test_an_ask_expires_by_its_own_default_which_approves_nothing():
    """An asker, who cannot answer, would have its approval by waiting for it."""
    clock = FakeClock()
    async with running(clock=clock) as world:
        until = clock.now().replace(microsecond=0)
        later = (until.timestamp() + 60, until.tzinfo)
        expires = until.fromtimestamp(*later).isoformat()
        approves = {"action": "answer", "answer": {"approved": True}}
        body = {**DEPLOY, "expires_at": expires, "on_expiry": approves}
        refused = await world.http.post("/api/asks", json=body)
        assert problem(refused, 422, "invalid_input")["errors"][0]["path"] == "on_expiry"
        no = await ask(world, expires_at=expires)
        chosen = await ask(
            world,
            kind="choose",
            options=["eu", "us"],
            expires_at=expires,
            on_expiry={
                "action": "answer",
                "answer": {"response_data": {"selected_option": "eu"}},
            },
        )
        clock.advance(seconds=61)
        world.engine.runtime.expiry.nudge()
        for asked, said in ((no, None), (chosen, "eu")):
            told = (await get(world, asked, wait=GUARD_SECONDS)).json()
            assert told["state"] == "expired"
            assert told["response"]["response_data"].get("selected_option") == said


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"kind": "form", "schema": {"type": "strin"}}, "schema"),
        ({"kind": "form", "schema": {"$ref": "http://127.0.0.1:1/x"}}, "schema"),
        ({"editable": {"version": {"type": 5}}}, "editable"),
    ],
)
async def test_a_schema_that_cannot_be_used_is_the_askers_mistake(wrong: Wire, path: str):
    async with running() as world:
        refused = await world.http.post("/api/asks", json={**DEPLOY, **wrong})
        assert problem(refused, 422, "invalid_input")["errors"][0]["path"] == path


# ── who ──

ADMIN, ASKER, OTHER, RESPONDER, VIEWER = (
    f"{name}-token-0123456789" for name in ("admin", "asker", "other", "resp", "view")
)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def test_who_asks_cannot_answer():
    tokens = [
        Token.model_validate(text)
        for text in (f"ada:admin:{ADMIN}", f"ci:asker:{ASKER}", f"bot:asker:{OTHER}")
    ]
    async with running(Settings(port=0, tokens=tokens), headers=bearer(ASKER)) as world:
        asked = await ask(world)
        one = f"/api/interactions/{asked['interaction_id']}"
        for method, path in (
            ("POST", f"{one}/response"),
            ("POST", f"{one}/dismiss"),
            ("GET", one),
            ("GET", "/api/chats"),
            ("GET", "/api/audit"),
            ("GET", "/api/stream"),
        ):
            refused = await world.http.request(method, path, json={"approved": True})
            problem(refused, 403, "forbidden")
        mine = f"/api/asks/{asked['interaction_id']}"
        problem(await world.http.get(mine, headers=bearer(OTHER)), 404, "not_found")
        assert (await world.http.get("/api/asks", headers=bearer(OTHER))).json()["asks"] == []
        (listed,) = (await world.http.get("/api/asks?session=build-7")).json()["asks"]
        assert listed["interaction_id"] == asked["interaction_id"]
        assert (await world.http.get("/api/asks?session=build-8")).json()["asks"] == []
        yes = await world.http.post(
            f"{one}/response", json={"approved": True}, headers=bearer(ADMIN)
        )
        assert yes.json()["settled_by"] == "ada"
        assert (await start(world, asked)).status_code == 200


# ── who answers ──


async def answer_line(world: World, asked: Wire) -> Wire:
    entries = (await world.http.get("/api/audit")).json()["entries"]
    return next(
        dict(line)
        for line in entries
        if line["subject"] == asked["interaction_id"] and line["action"].startswith("interaction.")
    )


@pytest.mark.parametrize("approved", [True, False])
async def test_card_and_audit_say_that_nobody_signed_in(world: World, approved: bool):
    asked = await ask(world, "k")
    said = await answered(world, asked, approved=approved, user_message="so be it")
    assert said["response"]["metadata"]["signed_in"] is False
    line = await answer_line(world, asked)
    assert "without sign-in" in line["ledger"]["decision"]
    it = (await world.http.get(f"/api/interactions/{asked['interaction_id']}")).json()
    (message,) = (await world.view(it["chat_id"]))["messages"]
    summary = message["metadata"]["ui_tool"]["response_summary"]
    assert summary.endswith("answered without sign-in")
    again = await answered(world, asked, approved=approved, user_message="so be it")
    assert again["repeated"]


async def test_who_signed_in_is_known_and_whoever_asks_cannot_answer():
    tokens = [Token.model_validate(text) for text in (f"ada:admin:{ADMIN}", f"bo:admin:{OTHER}")]
    async with running(Settings(port=0, tokens=tokens), headers=bearer(ADMIN)) as world:
        asked = await ask(world)
        path = f"/api/interactions/{asked['interaction_id']}/response"
        lie = {"approved": True, "metadata": {"signed_in": False}}
        refused = await world.http.post(path, json=lie)
        assert "asks" in problem(refused, 403, "forbidden")["detail"]
        yes = await world.http.post(path, json={"approved": True}, headers=bearer(OTHER))
        assert "signed_in" not in yes.json()["response"]["metadata"]
        assert "without" not in (await answer_line(world, asked))["ledger"]["decision"]


ROUTES = [
    ("POST", "/api/asks", 201),
    ("GET", "/api/asks", 200),
    ("GET", "/api/asks/{id}", 200),
    ("POST", "/api/asks/{id}/start", 409),
    ("POST", "/api/asks/{id}/report", 409),
    ("DELETE", "/api/asks/{id}", 200),
]


@pytest.mark.parametrize(
    ("method", "path", "status"), ROUTES, ids=[f"{r[0]} {r[1]}" for r in ROUTES]
)
async def test_routes_by_role_and_tenant(method: str, path: str, status: int):
    tokens: list[object] = [
        f"ada:admin:{ADMIN}",
        f"ci:asker:{ASKER}",
        f"bot:asker:{OTHER}",
        f"rob:responder:{RESPONDER}",
        f"vic:viewer:{VIEWER}",
        {"secret": "elsewhere-0123456789", "person": "ci", "role": "asker", "app_id": "other"},
    ]
    settings = Settings(port=0, tokens=[Token.model_validate(token) for token in tokens])
    async with running(settings, headers=bearer(ASKER)) as world:
        asked = await ask(world)
        address = path.format(id=asked["interaction_id"])
        body = (
            {"state": "done"} if path.endswith("report") else DEPLOY if path == "/api/asks" else {}
        )

        async def code(token: str | None) -> int:
            headers = bearer(token) if token is not None else {"Authorization": ""}
            sent = {"json": body} if method == "POST" else {}
            answer = await world.http.request(method, address, headers=headers, **sent)  # type: ignore[arg-type]
            return answer.status_code

        foreign = status if "{id}" not in path else 404
        assert await code(None) == 401
        assert await code("nobody-0123456789abc") == 401
        assert await code(RESPONDER) == await code(VIEWER) == 403
        assert await code(OTHER) == await code("elsewhere-0123456789") == foreign
        assert await code(ADMIN) == status
        assert await code(ASKER) == status


async def test_without_a_login_the_askers_token_still_cannot_answer():
    asker = Token.model_validate({"secret": ASKER, "person": "local asker", "role": "asker"})
    async with running(local_tokens=[asker]) as world:
        theirs = await world.http.post("/api/asks", json=DEPLOY, headers=bearer(ASKER))
        assert theirs.status_code == 201
        path = f"/api/interactions/{theirs.json()['interaction_id']}/response"
        body = {"approved": True}
        refused = await world.http.post(path, json=body, headers=bearer(ASKER))
        problem(refused, 403, "forbidden")
        assert (await world.http.post(path, json=body)).status_code == 200


async def test_an_asker_cannot_take_all_of_the_server():
    asker = Token.model_validate(f"ci:asker:{ASKER}")
    settings = Settings(port=0, tokens=[asker], acts_per_second=0.2, streams_per_person=1)
    async with running(settings, headers=bearer(ASKER)) as world:
        asked = await ask(world)
        waiting = asyncio.create_task(get(world, asked, wait=GUARD_SECONDS))
        await until_listening(world)
        problem(await get(world, asked, wait=1), 429, "rate_limited")
        refused = await world.http.post("/api/asks", json=DEPLOY)
        problem(refused, 429, "rate_limited")
        waiting.cancel()


async def test_asks_have_a_size():
    async with running() as world:
        for body in (
            {"title": "x" * 501},
            {"arguments": {"a": "x" * 1_100_000}},
            {"options": ["x"] * 101},
            {"assignees": ["x" * 201]},
        ):
            refused = await world.http.post("/api/asks", json={**DEPLOY, **body})
            assert refused.status_code in (413, 422), refused.text
        assert (await world.http.get("/api/asks")).json()["asks"] == []
