"""What bad input gets: a problem document that says what to do, and nothing is lost by it."""

import gzip
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from sayso.core.errors import AgentFailed, StoreBusy, StoreReadOnly
from sayso.core.events import ArtifactChanged
from sayso.settings import Settings
from tests.integration.world import Wire, World, refund, running, which

MEMBERS = {"type", "title", "status", "detail", "code"}


def problem(answer: httpx.Response, status: int, code: str) -> Wire:
    """The problem document of this answer, which has to be one."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body: Wire = answer.json()
    assert set(body) >= MEMBERS
    assert body["status"] == status
    assert body["code"] == code
    assert body["type"] == f"urn:sayso:problem:{code}"
    assert body["detail"].endswith((".", "?"))
    return body


async def test_every_route_refuses_in_one_shape(world: World):
    """Each route of the OpenAPI document, with ids that are unknown and a body that is none."""
    document = world.app.openapi()
    seen = 0
    for path, item in document["paths"].items():
        for method, operation in item.items():
            address = path.replace("{chat_id}", "x").replace("{interaction_id}", "x")
            address = address.replace("{artifact_id}", "x").replace("{tool_call_id}", "x")
            if address != path or "requestBody" in operation:
                answer = await world.http.request(
                    method, address, content=b"[1", headers={"Content-Type": "application/json"}
                )
                assert answer.status_code in (400, 404, 422), (method, path)
                problem(answer, answer.status_code, answer.json()["code"])
                seen += 1
    assert seen > 12


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/api/nothing", 404, "unknown_route"),
        ("GET", "/nothing", 404, "unknown_route"),
        ("GET", "/assets/none.js", 404, "unknown_route"),
        ("GET", "/..%2f..%2fsettings.py", 404, "unknown_route"),
        ("DELETE", "/api/chats", 405, "method_not_allowed"),
        ("GET", "/api/chats/none", 404, "not_found"),
        ("GET", "/api/interactions/none", 404, "not_found"),
        ("GET", "/api/artifacts/none", 404, "not_found"),
        ("POST", "/api/tool-calls/none/retry", 404, "not_found"),
        ("POST", "/api/interactions/none/dismiss", 404, "not_found"),
        ("GET", "/api/chats/none/stream", 404, "not_found"),
        ("GET", "/api/chats?limit=0", 422, "invalid_input"),
        ("GET", "/api/chats?limit=many", 422, "invalid_input"),
        ("GET", "/api/chats?before=yesterday", 422, "invalid_input"),
        ("GET", "/api/interactions?status=lost", 422, "invalid_input"),
        ("GET", "/api/interactions?kind=nonsense", 422, "invalid_input"),
        ("GET", "/api/chats/x?before=-1", 422, "invalid_input"),
        ("GET", f"/api/chats/x?before={2**63}", 422, "invalid_input"),
        ("GET", f"/api/audit?before={2**63}", 422, "invalid_input"),
    ],
)
async def test_addresses(world: World, method: str, path: str, status: int, code: str):
    body = problem(await world.http.request(method, path), status, code)
    assert body["fix"]


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b"{", 400, "malformed_json"),
        (b'{"title": NaN}', 400, "malformed_json"),
        (b'{"title": "\\ud800"}', 400, "malformed_json"),
        (b'{"title": "\xff"}', 400, "malformed_json"),
        (b"[" * 100_000, 400, "malformed_json"),
        (b'{"title": "a", "title": "b"}', 400, "malformed_json"),
        (b'{"title": ' + b"9" * 5000 + b"}", 400, "malformed_json"),
        (b"[]", 422, "invalid_input"),
        (b"null x", 400, "malformed_json"),
        (b'{"title": 5}', 422, "invalid_input"),
        (b'{"titel": "x"}', 422, "invalid_input"),
        (b'{"agent": "nobody"}', 404, "not_found"),
    ],
    ids=lambda value: repr(value)[:30],
)
async def test_bodies(world: World, content: bytes, status: int, code: str):
    answer = await world.http.post(
        "/api/chats", content=content, headers={"Content-Type": "application/json"}
    )
    problem(answer, status, code)


@pytest.mark.parametrize("depth", [100, 252, 255])
async def test_what_is_nested_too_deeply_does_not_get_in(world: World, depth: int):
    """Once it is kept, every list that it stands in would break, for everybody."""
    chat_id, http = await world.chat(), world.http
    (card,) = await world.asked(chat_id)
    deep: Wire = json.loads("[" * depth + "]" * depth)
    answers = f"/api/interactions/{card['interaction_id']}/response"
    for method, path, body in (
        ("POST", answers, {"approved": True, "metadata": {"x": deep}}),
        ("PUT", f"/api/chats/{chat_id}/preferences", {"key": "x", "value": deep}),
        ("PUT", "/api/preferences", {"x": deep}),
    ):
        problem(await http.request(method, path, json=body), 400, "malformed_json")
    client = await world.live(chat_id)
    frame = {"interaction_id": card["interaction_id"], "content": {"x": deep}}
    await client.socket.send(json.dumps({"ref": 1, "type": "draft", "data": frame}))
    while "problem" not in (told := json.loads(await client.socket.recv())):
        pass
    assert told["problem"]["code"] == "invalid_input"
    for path in ("/api/interactions", f"/api/chats/{chat_id}", "/api/preferences"):
        assert (await http.get(path)).status_code == 200


async def test_validation_names_every_field(world: World):
    chat_id = await world.chat()
    answer = await world.http.post(
        f"/api/chats/{chat_id}/messages", json={"content": "", "mode": "loud", "extra": 1}
    )
    body = problem(answer, 422, "invalid_input")
    paths = {error["path"] for error in body["errors"]}
    assert paths == {"content", "client_message_id", "mode", "extra"}


async def test_a_body_that_is_not_json(world: World):
    answer = await world.http.post("/api/chats", content=b"title=x")
    problem(answer, 415, "unsupported_media_type")
    answer = await world.http.post(
        "/api/chats", content=b"{}", headers={"Content-Type": "text/plain"}
    )
    problem(answer, 415, "unsupported_media_type")
    packed = {"content-type": "application/json", "content-encoding": "gzip"}
    answer = await world.http.post("/api/chats", content=gzip.compress(b"{}"), headers=packed)
    problem(answer, 415, "unsupported_media_type")


async def test_a_body_that_is_too_large_whole_or_in_chunks(world: World):
    large = json.dumps({"title": "x" * 2_000_000}).encode()

    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(large), 50_000):
            yield large[start : start + 50_000]

    headers = {"Content-Type": "application/json"}
    for content in (large, chunks()):
        answer = await world.http.post("/api/chats", content=content, headers=headers)
        assert "1,048,576 bytes" in problem(answer, 413, "too_large")["detail"]
    assert (await world.http.get("/api/chats")).json()["chats"] == []


async def test_the_limit_can_be_set():
    async with running(Settings(port=0, max_body_bytes=2000)) as world:
        answer = await world.http.post("/api/chats", json={"title": "x" * 2000})
        problem(answer, 413, "too_large")


async def test_an_agent_without_actions_says_where_to_go(world: World):
    path = f"/api/chats/{await world.chat()}/requirements"
    answer = await world.http.patch(path, json={"field": "to", "value": "Oslo"})
    assert problem(answer, 422, "not_supported")["fix"]


async def test_an_answer_that_does_not_fit_leaves_the_card_open(world: World):
    chat_id = await world.chat()
    (card,) = await world.asked(chat_id, which("w", "a", "b"))
    path = f"/api/interactions/{card['interaction_id']}/response"
    body = problem(
        await world.http.post(path, json={"selected_option": "c"}), 422, "answer_invalid"
    )
    (error,) = body["errors"]
    assert (error["path"], error["message"]) == ("selected_option", "needs to be one of: a, b")
    assert (error["code"], error["params"]) == ("field.one_of", {"options": ["a", "b"]})
    assert (await world.pending(chat_id))[0] == card
    assert (await world.http.post(path, json={"selected_option": "a"})).status_code == 200


async def test_an_answer_that_says_two_things_is_none(world: World):
    chat_id = await world.chat()
    (card,) = await world.asked(chat_id)
    path = f"/api/interactions/{card['interaction_id']}/response"
    twice = b'{"approved": false, "user_message": "no", "approved": true}'
    answer = await world.http.post(
        path, content=twice, headers={"Content-Type": "application/json"}
    )
    assert "'approved' stands twice" in problem(answer, 400, "malformed_json")["detail"]
    client = await world.live(chat_id)
    frame = f'"interaction_id": "{card["interaction_id"]}", "key": "k", "body": {twice.decode()}'
    await client.socket.send(f'{{"ref": 1, "type": "answer", "data": {{{frame}}}}}')
    while "problem" not in (told := json.loads(await client.socket.recv())):
        pass
    assert told["problem"]["code"] == "invalid_input"
    assert (await world.pending(chat_id)) == [card]


async def test_a_rejection_needs_a_reason(world: World):
    (card,) = await world.asked(await world.chat())
    path = f"/api/interactions/{card['interaction_id']}/response"
    body = problem(await world.http.post(path, json={"decision": "reject"}), 422, "answer_invalid")
    assert body["errors"][0]["path"] == "reason"


async def test_a_stale_digest_tells_the_current_one(world: World):
    (card,) = await world.asked(await world.chat())
    path = f"/api/interactions/{card['interaction_id']}/response"
    body = {"approved": True, "metadata": {"digest": "sha256:old"}}
    told = problem(await world.http.post(path, json=body), 409, "stale_digest")
    assert told["digest"] == card["payload"]["sayso"]["digest"]
    assert told["revision"] == 1


async def test_a_second_answer(world: World):
    (card,) = await world.asked(await world.chat())
    path = f"/api/interactions/{card['interaction_id']}/response"
    key = {"Idempotency-Key": "k1"}
    yes, no = {"approved": True}, {"approved": False, "user_message": "no"}
    first = await world.http.post(path, json=yes, headers=key)
    again = await world.http.post(path, json=yes, headers=key)
    assert {**first.json(), "repeated": True} == again.json()
    problem(await world.http.post(path, json=no, headers=key), 422, "idempotency_key_reused")
    told = problem(await world.http.post(path, json=no), 409, "already_settled")
    assert told["outcome"]["status"] == "completed"
    problem(
        await world.http.post(f"/api/interactions/{card['interaction_id']}/dismiss"),
        409,
        "already_settled",
    )


async def test_a_message_id_that_was_used_for_other_words(world: World):
    chat_id = await world.chat()
    path = f"/api/chats/{chat_id}/messages"
    body = {"content": "one", "client_message_id": "m1"}
    first = (await world.http.post(path, json=body)).json()
    assert (await world.http.post(path, json=body)).json()["message_id"] == first["message_id"]
    problem(await world.http.post(path, json={**body, "content": "two"}), 409, "message_id_reused")


async def test_a_message_while_the_run_waits_is_never_dropped(world: World):
    chat_id = await world.chat()
    await world.asked(chat_id, refund())
    path = f"/api/chats/{chat_id}/messages"
    queued = await world.http.post(path, json={"content": "also", "client_message_id": "m2"})
    assert queued.json()["status"] == "queued"
    body = {"content": "instead", "client_message_id": "m3", "mode": "supersede"}
    assert (await world.http.post(path, json=body)).json()["status"] == "superseded"
    view = await world.view(chat_id)
    said = [m["content"] for m in view["messages"] if m["role"] == "user"]
    assert {"go", "also", "instead"} <= set(said)


async def test_an_artifact_that_someone_changed_first(world: World):
    chat_id = await world.chat()
    hold = await world.start(chat_id)
    await hold.show(
        ArtifactChanged(id="a1", ui_tool_id="p", title="P", content=1, version=1),
        ArtifactChanged(id="a1", ui_tool_id="p", title="P", content=2, version=2),
    )
    path, body = "/api/artifacts/a1", {"content": 3}
    problem(
        await world.http.put(path, json=body, headers={"If-Match": '"1"'}), 409, "version_conflict"
    )
    problem(await world.http.put(path, json=body), 422, "invalid_input")
    answer = await world.http.get(f"{path}?format=pdf")
    problem(answer, 406, "not_acceptable")


async def test_an_agent_that_raises_is_told_in_the_chat(world: World):
    chat_id = await world.chat()
    hold = await world.start(chat_id)
    await hold.fail(AgentFailed("ValueError: no such order"))
    view = await world.until_run(chat_id, "failed")
    assert view["run"]["error"]["code"] == "agent_failed"
    assert view["messages"][-1]["metadata"]["ui_tool"]["ui_tool_id"] == "critical_failure"
    await world.start(chat_id, "again", "m2")


@pytest.mark.parametrize(
    ("error", "code"),
    [(StoreBusy("busy."), "store_busy"), (StoreReadOnly("ro."), "store_read_only")],
)
async def test_a_database_that_cannot_be_written(
    world: World, monkeypatch: pytest.MonkeyPatch, error: Exception, code: str
):
    async def refuse(*_: Any, **__: Any) -> Any:
        raise error

    monkeypatch.setattr(world.engine.store, "create_chat", refuse)
    answer = await world.http.post("/api/chats", json={})
    problem(answer, 503, code)
    assert answer.headers["retry-after"] == "1"


async def test_what_nobody_foresaw_tells_nothing_of_the_inside(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    async def break_down(*_: Any, **__: Any) -> Any:
        raise RuntimeError("password=secret")

    monkeypatch.setattr(world.engine.store, "create_chat", break_down)
    answer = await world.http.post("/api/chats", json={})
    assert "secret" not in answer.text
    problem(answer, 500, "internal")


async def test_a_batch_settles_what_can_be_settled(world: World):
    first, second = await world.asked(await world.chat(), refund("a"), refund("b"))
    items = [
        {"interaction_id": first["interaction_id"], "key": "1", "body": {"approved": True}},
        {"interaction_id": "none", "key": "2", "body": {"approved": True}},
        {"interaction_id": second["interaction_id"], "key": "3", "body": {"approved": "yes"}},
    ]
    results = (await world.http.post("/api/interactions/responses", json=items)).json()["results"]
    assert results[0]["ok"]["status"] == "completed"
    assert [r["problem"]["code"] for r in results[1:]] == ["not_found", "answer_invalid"]
    problem(await world.http.post("/api/interactions/responses", json=[]), 422, "invalid_input")
    many = [items[0]] * 101
    problem(await world.http.post("/api/interactions/responses", json=many), 422, "invalid_input")


async def test_answers_are_strict_where_consent_is_read(world: World):
    (card,) = await world.asked(await world.chat())
    path = f"/api/interactions/{card['interaction_id']}/response"
    for body in (
        {"approved": "true"},
        {"approved": 1},
        {},
        {"decision": "maybe"},
        {"approved": None},
    ):
        problem(await world.http.post(path, json=body), 422, "answer_invalid")
    assert (await world.http.get(f"/api/interactions/{card['interaction_id']}")).json() == card
