"""Who may do what: loopback without a login, tokens, roles, pages from elsewhere, foreign names."""

import hashlib
import json
from collections.abc import AsyncIterator
from dataclasses import replace

import httpx
import pytest
from websockets.exceptions import InvalidStatus

from sayso.core.errors import InvalidInput
from sayso.server import rate_limits
from sayso.settings import Settings, Token
from sayso.testing.clock import FakeClock
from tests.integration.test_bad_input import problem
from tests.integration.world import Wire, World, refund, running
from tests.loopback import client_of

ADMIN, RESPONDER, VIEWER, OTHER = (f"{name}-token-0123456789" for name in "arvo")


@pytest.fixture
async def guarded() -> AsyncIterator[World]:
    tokens: list[object] = [
        f"ada:admin:{ADMIN}",
        f"rob:responder:{RESPONDER}",
        f"vic:viewer:{VIEWER}",
        {"secret": OTHER, "person": "olga", "app_id": "other"},
    ]
    settings = Settings(port=0, tokens=[Token.model_validate(token) for token in tokens])
    async with running(settings, headers=bearer(ADMIN)) as world:
        yield world


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def test_on_loopback_there_is_no_login(world: World):
    assert (await world.http.get("/api/session")).json() == {
        "person": "you",
        "role": "admin",
        "app_id": "default",
        "needs_login": False,
    }


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])
def test_any_other_address_needs_a_login_or_the_flag(host: str):
    with pytest.raises(InvalidInput) as refused:
        Settings(host=host).checked()
    assert "--token" in refused.value.fix
    Settings(host=host, allow_anyone=True).checked()
    Settings(host=host, tokens=[Token.model_validate(ADMIN)]).checked()


async def test_without_a_token_nothing_but_health_and_the_page(guarded: World):
    async def get(path: str) -> int:
        return (await guarded.http.get(path, headers={"Authorization": ""})).status_code

    assert await get("/api/health") == 200
    assert await get("/api/version") == 200
    for path in ("/api/chats", "/api/interactions", "/metrics", "/api/stream", "/api/history.csv"):
        answer = await guarded.http.get(path, headers={"Authorization": ""})
        problem(answer, 401, "not_signed_in")
        assert answer.headers["www-authenticate"].startswith("Bearer")
    wrong = await guarded.http.get("/api/chats", headers=bearer("wrong-token-0123456789"))
    problem(wrong, 401, "not_signed_in")


async def test_the_person_comes_from_the_token(guarded: World):
    chat_id = await guarded.chat()
    (card,) = await guarded.asked(chat_id)
    path = f"/api/interactions/{card['interaction_id']}/response"
    body = {"approved": True, "by": "somebody"}
    refused = await guarded.http.post(path, json=body, headers=bearer(RESPONDER))
    problem(refused, 422, "answer_invalid")
    answer = await guarded.http.post(path, json={"approved": True}, headers=bearer(RESPONDER))
    assert answer.json()["settled_by"] == "rob"


async def test_roles(guarded: World):
    chat_id = await guarded.chat()
    (card,) = await guarded.asked(chat_id)
    http, viewer = guarded.http, bearer(VIEWER)
    assert (await http.get(f"/api/chats/{chat_id}", headers=viewer)).status_code == 200
    writes = [
        ("POST", "/api/chats", {}),
        ("PATCH", f"/api/chats/{chat_id}", {"title": "x"}),
        ("POST", f"/api/chats/{chat_id}/messages", {"content": "x", "client_message_id": "9"}),
        ("POST", f"/api/chats/{chat_id}/cancel", {}),
        ("DELETE", f"/api/chats/{chat_id}/messages/m1", {}),
        ("PUT", f"/api/chats/{chat_id}/preferences", {"key": "always_allow", "value": ["refund"]}),
        ("POST", f"/api/interactions/{card['interaction_id']}/response", {"approved": True}),
        ("POST", f"/api/interactions/{card['interaction_id']}/dismiss", {}),
        ("POST", f"/api/interactions/{card['interaction_id']}/extend", {"seconds": 5}),
        ("POST", "/api/tool-calls/t1/retry", {}),
    ]
    for method, path, body in writes:
        problem(await http.request(method, path, json=body, headers=viewer), 403, "forbidden")
    rule = {"interaction_id": card["interaction_id"], "then": "allow"}
    for path in ("/api/rules", "/api/rules/trial"):
        problem(await http.post(path, json=rule, headers=bearer(RESPONDER)), 403, "forbidden")
        problem(await http.post(path, json=rule), 422, "not_supported")
    problem(await http.delete("/api/rules/r", headers=viewer), 403, "forbidden")
    problem(await http.delete("/api/rules/r", headers=bearer(RESPONDER)), 404, "not_found")
    put = await http.put(
        "/api/artifacts/a", json={"content": 1}, headers={**viewer, "If-Match": '"1"'}
    )
    problem(put, 403, "forbidden")
    for path in ("/api/admin/pending", "/api/audit", "/api/audit/verify"):
        problem(await http.get(path, headers=bearer(RESPONDER)), 403, "forbidden")
        assert (await http.get(path)).status_code == 200
    (still,) = await guarded.pending(chat_id)
    assert still == card


async def test_a_viewer_can_watch_but_not_act_over_a_websocket(guarded: World):
    chat_id = await guarded.chat()
    (card,) = await guarded.asked(chat_id)
    live = await guarded.live(chat_id, additional_headers=bearer(VIEWER))
    assert (await live.next())["type"] == "chat.snapshot"
    answer = {"interaction_id": card["interaction_id"], "key": "k", "body": {"approved": True}}
    draft = {"interaction_id": card["interaction_id"], "content": {}}
    for kind, data in (
        ("answer", answer),
        ("message", {"content": "x", "client_message_id": "9"}),
        ("dismiss", {"interaction_id": card["interaction_id"]}),
        ("extend", {"interaction_id": card["interaction_id"], "seconds": 5}),
        ("cancel", {}),
        ("draft", draft),
    ):
        assert (await live.call(kind, data))["problem"]["code"] == "forbidden", kind


async def test_only_those_it_names_may_answer(guarded: World):
    chat_id = await guarded.chat()
    one, two = await guarded.asked(
        chat_id, replace(refund("a"), assignees=("mara",)), replace(refund("b"), assignees=("rob",))
    )
    http, rob = guarded.http, bearer(RESPONDER)
    mine, theirs = (f"/api/interactions/{it['interaction_id']}" for it in (two, one))
    for verb, body in (
        ("response", {"approved": True}),
        ("dismiss", {}),
        ("extend", {"seconds": 5}),
    ):
        refused = await http.post(f"{theirs}/{verb}", json=body, headers=rob)
        assert "mara" in problem(refused, 403, "forbidden")["detail"]
    listed = (await http.get("/api/interactions?assignee=me&status=pending", headers=rob)).json()
    assert [it["interaction_id"] for it in listed["interactions"]] == [two["interaction_id"]]
    assert (await http.post(f"{mine}/response", json={"approved": True}, headers=rob)).is_success
    answer = await http.post(f"{theirs}/response", json={"approved": True})
    assert answer.json()["settled_by"] == "ada"


async def test_another_tenant_sees_nothing(guarded: World):
    chat_id = await guarded.chat()
    (card,) = await guarded.asked(chat_id)
    olga = bearer(OTHER)
    http = guarded.http
    for path in (
        f"/api/chats/{chat_id}",
        f"/api/chats/{chat_id}/stream",
        f"/api/interactions/{card['interaction_id']}",
    ):
        problem(await http.get(path, headers=olga), 404, "not_found")
    answer = f"/api/interactions/{card['interaction_id']}"
    settling: dict[str, Wire] = {
        "response": {"approved": True},
        "dismiss": {},
        "extend": {"seconds": 1},
    }
    for verb, body in settling.items():
        problem(await http.post(f"{answer}/{verb}", json=body, headers=olga), 404, "not_found")
    acting: dict[str, Wire] = {
        "messages": {"content": "x", "client_message_id": "9"},
        "cancel": {},
    }
    for path, body in acting.items():
        refused = await http.post(f"/api/chats/{chat_id}/{path}", json=body, headers=olga)
        problem(refused, 404, "not_found")
    problem(
        await http.patch(f"/api/chats/{chat_id}", json={"title": "x"}, headers=olga),
        404,
        "not_found",
    )
    assert (await http.get("/api/interactions", headers=olga)).json()["interactions"] == []
    assert (await http.get("/api/audit", headers=olga)).json()["entries"] == []
    with pytest.raises(InvalidStatus) as denied:
        await guarded.live(chat_id, additional_headers=olga)
    assert denied.value.response.status_code == 404


async def test_a_session_cookie_stands_for_the_token_and_cannot_be_read(guarded: World):
    http = guarded.http
    http.headers.pop("Authorization")
    problem(await http.post("/api/session", json={"token": "no-such-token"}), 401, "not_signed_in")
    signed_in = await http.post("/api/session", json={"token": RESPONDER})
    assert signed_in.json()["person"] == "rob"
    cookie = signed_in.headers["set-cookie"]
    assert RESPONDER not in cookie
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {p.strip() for p in cookie.split(";")}
    assert (await http.get("/api/session")).json()["role"] == "responder"
    chat_id = await guarded.chat()
    value = http.cookies["sayso_session"]
    live = await guarded.live(
        chat_id, additional_headers={"Cookie": f"sayso_session={value}"}, origin=guarded.url
    )
    assert (await live.next())["type"] == "chat.snapshot"
    await http.delete("/api/session")
    problem(await http.get("/api/chats"), 401, "not_signed_in")


async def test_a_websocket_can_bring_its_token_as_a_subprotocol(guarded: World):
    chat_id = await guarded.chat()
    live = await guarded.live(chat_id, subprotocols=["sayso", f"sayso.token.{VIEWER}"])
    assert live.socket.subprotocol == "sayso", "the token is not echoed"
    with pytest.raises(InvalidStatus) as refused:
        await guarded.live(chat_id, subprotocols=["sayso", "sayso.token.wrong"])
    assert refused.value.response.status_code == 401
    assert json.loads(refused.value.response.body or b"")["code"] == "not_signed_in"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
async def test_a_name_that_only_resolves_here_reaches_nothing(world: World, host: str):
    for path in ("/", "/api/chats", "/api/health"):
        problem(await world.http.get(path, headers={"Host": host}), 403, "forbidden")


@pytest.mark.parametrize("host", ["127.0.0.1:1", "localhost", "LOCALHOST:8765", "[::1]:8765"])
async def test_loopback_by_any_of_its_names(world: World, host: str):
    assert (await world.http.get("/api/chats", headers={"Host": host})).status_code == 200


async def test_a_further_name_can_be_allowed():
    async with running(Settings(port=0, allowed_hosts=["desk.example"])) as world:
        answer = await world.http.get("/api/chats", headers={"Host": "desk.example"})
        assert answer.status_code == 200


@pytest.mark.parametrize(
    "origin",
    [
        *("http://evil.example", "null", "http://127.0.0.1:9", "https://localhost", "http://", "x"),
        *("http://[", "http://localhost:99999", "http://localhost:x"),
    ],
)
async def test_a_page_from_elsewhere_changes_nothing(world: World, origin: str):
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        answer = await world.http.request(method, "/api/chats", headers={"Origin": origin})
        problem(answer, 403, "forbidden")
    assert (await world.http.get("/api/chats")).json()["chats"] == []


async def test_our_own_page_and_allowed_ones_do(world: World):
    port = world.url.rpartition(":")[2]
    # The second is what a proxy for development sends: our address as Origin, its own Host.
    for headers in (
        {"Origin": world.url},
        {"Origin": world.url, "Host": "localhost:5173"},
        {"Origin": f"http://localhost:{port}"},
    ):
        assert (await world.http.post("/api/chats", headers=headers)).status_code == 201
    async with running(Settings(port=0, allowed_origins=["https://desk.example/"])) as other:
        headers = {"Origin": "https://desk.example"}
        assert (await other.http.post("/api/chats", headers=headers)).status_code == 201


async def test_a_page_that_the_settings_name_reads_answers_and_asks_first():
    settings = Settings(port=0, allowed_origins=["https://desk.example"])
    async with running(settings) as world:
        asks = {"Access-Control-Request-Method": "POST", "Origin": "https://desk.example"}
        before = await world.http.request("OPTIONS", "/api/chats", headers=asks)
        assert before.status_code == 204
        assert before.headers["access-control-allow-origin"] == "https://desk.example"
        allowed = before.headers["access-control-allow-headers"].split(", ")
        assert {"authorization", "idempotency-key", "if-match"} <= set(allowed)
        # Its token travels in a header; a cookie of this server never goes along.
        assert "access-control-allow-credentials" not in before.headers
        made = await world.http.post("/api/chats", headers={"Origin": "https://desk.example"})
        assert made.headers["access-control-allow-origin"] == "https://desk.example"
        assert made.headers["vary"] == "Origin"
        wrong = await world.http.get("/api/chats/none", headers={"Origin": "https://desk.example"})
        assert wrong.headers["access-control-allow-origin"] == "https://desk.example"


async def test_any_other_page_reads_nothing(world: World):
    for method in ("GET", "OPTIONS"):
        asks = {"Access-Control-Request-Method": "GET", "Origin": "https://evil.example"}
        answer = await world.http.request(method, "/api/chats", headers=asks)
        assert "access-control-allow-origin" not in answer.headers


async def test_every_answer_forbids_guessing_and_framing(world: World):
    for path in ("/", "/api/chats", "/nothing"):
        headers = (await world.http.get(path)).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers


@pytest.mark.parametrize("text", ["short", "ada:admin:short", "a:b", "ada:king:0123456789abcdef"])
def test_tokens_that_are_none(text: str):
    with pytest.raises(ValueError):
        Token.model_validate(text)


async def test_one_person_cannot_take_all_of_the_server(monkeypatch: pytest.MonkeyPatch):
    # Five at once, and so few a second that none comes back while a busy machine is at it.
    monkeypatch.setattr(rate_limits, "BURST_SECONDS", 5_000.0)
    tokens = [
        Token.model_validate(f"{name}:admin:{name}-0123456789abcdef") for name in ("ada", "rob")
    ]
    settings = Settings(port=0, tokens=tokens, acts_per_second=0.001, streams_per_person=2)
    ada, rob = bearer("ada-0123456789abcdef"), bearer("rob-0123456789abcdef")
    async with running(settings, headers=ada) as world:
        chat_id = await world.chat()
        codes = [(await world.http.post("/api/chats", json={})).status_code for _ in range(8)]
        assert codes == [201] * 4 + [429] * 4, "five may come at once, and no more"
        refused = await world.http.post("/api/chats", json={})
        problem(refused, 429, "rate_limited")
        assert int(refused.headers["retry-after"]) >= 1
        assert (await world.http.post("/api/chats", json={}, headers=rob)).status_code == 201
        assert (await world.http.get("/api/chats")).status_code == 200

        live = [await world.live(chat_id, additional_headers=ada) for _ in range(2)]
        problem(await world.http.get(f"/api/chats/{chat_id}/stream"), 429, "rate_limited")
        with pytest.raises(InvalidStatus) as denied:
            await world.live(chat_id, additional_headers=ada)
        assert denied.value.response.status_code == 429
        await world.live(chat_id, additional_headers=rob)
        await live[0].socket.close()
        await world.until_metric('sayso_connections{kind="live"} 2.0')
        await world.live(chat_id, additional_headers=ada)
        assert world.listening == 3


async def test_without_a_login_nobody_is_counted():
    async with running(Settings(port=0, acts_per_second=0.001)) as world:
        for _ in range(20):
            await world.chat()


# ── sessions end ──


def signed_in_cookie(answer: httpx.Response) -> str:
    return answer.headers["set-cookie"].split(";")[0].partition("=")[2]


async def as_cookie(world: World, cookie: str) -> int:
    """What a request with this cookie alone gets."""
    headers = {"Authorization": "", "Cookie": f"sayso_session={cookie}"}
    async with client_of(world.url) as browser:
        return (await browser.get("/api/chats", headers=headers)).status_code


async def sign_in(world: World, **headers: str) -> httpx.Response:
    body = {"token": RESPONDER}
    async with client_of(world.url) as browser:
        return await browser.post("/api/session", json=body, headers=headers)


async def test_signing_out_ends_the_session_and_no_other(guarded: World):
    cookies = [signed_in_cookie(await sign_in(guarded)) for _ in range(2)]
    assert len(set(cookies)) == 2, "each browser has its own"
    assert all(RESPONDER not in cookie and len(cookie) >= 43 for cookie in cookies)
    assert [await as_cookie(guarded, cookie) for cookie in cookies] == [200, 200]
    async with client_of(guarded.url) as browser:
        headers = {"Cookie": f"sayso_session={cookies[0]}"}
        assert (await browser.delete("/api/session", headers=headers)).status_code == 204
    assert [await as_cookie(guarded, cookie) for cookie in cookies] == [401, 200]


async def test_the_digest_of_a_token_is_no_session(guarded: World):
    """As it was, for ever, in earlier versions."""
    digest = hashlib.sha256(b"sayso session\n" + RESPONDER.encode()).hexdigest()
    assert await as_cookie(guarded, digest) == 401


@pytest.mark.parametrize(
    ("idle", "total", "codes"),
    [(100, 1000, [200, 200, 200, 401]), (1000, 150, [200, 200, 401, 401])],
)
async def test_a_session_ends_by_itself(idle: int, total: int, codes: list[int]):
    """Looked at after 60 s, after 120 s, then 180 s, and after 300 s, each time by a request."""
    settings = Settings(
        port=0,
        tokens=[Token.model_validate(f"rob:responder:{RESPONDER}")],
        session_idle_seconds=idle,
        session_seconds=total,
    )
    clock = FakeClock()
    async with running(settings, clock=clock) as world:
        cookie = signed_in_cookie(await sign_in(world))
        seen = []
        for seconds in (60, 60, 60, 120):
            clock.advance(seconds=seconds)
            seen.append(await as_cookie(world, cookie))
    assert seen == codes


async def test_the_cookie_is_secure_behind_https(guarded: World):
    def is_secure(answer: httpx.Response) -> bool:
        return "Secure" in {part.strip() for part in answer.headers["set-cookie"].split(";")}

    assert not is_secure(await sign_in(guarded))
    assert is_secure(await sign_in(guarded, **{"X-Forwarded-Proto": "https"}))
    assert is_secure(await sign_in(guarded, **{"X-Forwarded-Proto": "https, http"}))
    assert not is_secure(await sign_in(guarded, **{"X-Forwarded-Proto": "http"}))
    tokens = [Token.model_validate(f"rob:responder:{RESPONDER}")]
    async with running(Settings(port=0, tokens=tokens, secure_cookies=True)) as world:
        assert is_secure(await sign_in(world))


# ── doors ──


async def test_who_may_not_answer_may_not_end_what_waits_either(guarded: World):
    http, rob = guarded.http, bearer(RESPONDER)
    chat_id = await guarded.chat()
    mine = replace(refund("mine"), assignees=("ada",))
    (card,) = await guarded.asked(chat_id, mine)
    path = f"/api/chats/{chat_id}"
    supersede = {"content": "no", "client_message_id": "9", "mode": "supersede"}
    for method, where, body in (
        ("POST", f"{path}/cancel", {"reason": "mine now"}),
        ("POST", f"{path}/messages", supersede),
        ("POST", f"{path}/requirements/reset", {}),
    ):
        refused = await http.request(method, where, json=body, headers=rob)
        problem(refused, 403, "forbidden")
        assert "ada" in refused.json()["detail"]
        assert "admin" in refused.json()["fix"]
    live = await guarded.live(chat_id, additional_headers=rob)
    await live.next()
    said = await live.call("cancel", {})
    assert said["problem"]["code"] == "forbidden"
    assert await guarded.pending(chat_id) == [card]
    assert (await http.post(f"{path}/cancel", json={})).json()["status"] == "cancelled", "an admin"


async def test_a_run_that_waits_for_nobody_in_particular_can_be_cancelled_by_all(guarded: World):
    chat_id = await guarded.chat()
    await guarded.asked(chat_id)
    done = await guarded.http.post(
        f"/api/chats/{chat_id}/cancel", json={}, headers=bearer(RESPONDER)
    )
    assert done.json()["status"] == "cancelled"


async def test_the_description_of_the_api_is_behind_the_login(guarded: World, world: World):
    path = "/api/openapi.json"
    problem(await guarded.http.get(path, headers={"Authorization": ""}), 401, "not_signed_in")
    assert (await guarded.http.get(path)).json()["info"]["title"] == "Sayso"
    assert (await world.http.get(path)).json()["openapi"].startswith("3.")


async def test_wrong_tokens_become_slow_and_are_told_and_right_ones_pass(
    guarded: World, caplog: pytest.LogCaptureFixture
):
    wrong = [bearer(f"wrong-token-{n:010}") for n in range(30)]
    codes = [(await guarded.http.get("/api/chats", headers=one)).status_code for one in wrong]
    assert codes[:10] == [401] * 10
    assert set(codes[12:]) == {429}
    assert (await guarded.http.get("/api/chats")).status_code == 200
    refused = await guarded.http.post("/api/session", json={"token": "wrong-token-0123456789"})
    problem(refused, 429, "rate_limited")
    assert int(refused.headers["retry-after"]) >= 1
    told = [vars(record) for record in caplog.records if record.msg == "auth.wrong_token"]
    assert 10 <= len(told) <= 12
    assert told[0]["address"] == "127.0.0.1"
    assert "wrong-token-0" not in repr([vars(record) for record in caplog.records])


async def test_tokens_are_of_the_servers_tenant_unless_they_say_another():
    tokens = [Token.model_validate(f"ada:admin:{ADMIN}")]
    tokens.append(Token.model_validate({"secret": OTHER, "app_id": "other"}))
    async with running(Settings(port=0, app_id="acme", tokens=tokens)) as world:
        for token, app_id in ((ADMIN, "acme"), (OTHER, "other")):
            said = await world.http.get("/api/session", headers=bearer(token))
            assert said.json()["app_id"] == app_id


@pytest.mark.parametrize("site", ["cross-site", "same-site", "Cross-Site"])
async def test_a_page_that_hides_its_origin_changes_nothing(world: World, site: str):
    headers = {"Sec-Fetch-Site": site}
    problem(await world.http.post("/api/chats", headers=headers), 403, "forbidden")
    assert (await world.http.get("/api/chats", headers=headers)).status_code == 200
    for ours in ("same-origin", "none"):
        made = await world.http.post("/api/chats", headers={"Sec-Fetch-Site": ours})
        assert made.status_code == 201


async def test_preferences_are_not_a_place_to_store_things(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(rate_limits, "BURST_SECONDS", 20_000.0)
    tokens = [Token.model_validate(f"vic:viewer:{VIEWER}")]
    tokens.append(Token.model_validate(f"rob:responder:{RESPONDER}"))
    settings = Settings(port=0, tokens=tokens, acts_per_second=0.001)
    async with running(settings, headers=bearer(VIEWER)) as world:
        http, path = world.http, "/api/preferences"
        assert (await http.put(path, json={"theme": "dark"})).json() == {"theme": "dark"}
        for too_much in (
            {"big": "x" * 70_000},
            {f"key-{n}": n for n in range(101)},
            {"k" * 201: 1},
        ):
            problem(await http.put(path, json=too_much), 413, "too_large")
        assert (await http.get(path)).json() == {"theme": "dark"}, "nothing of it is kept"
        grown = [
            (await http.put(path, json={f"part-{n}": "x" * 10_000})).status_code for n in range(8)
        ]
        assert grown[:6] == [200] * 6
        assert set(grown[7:]) == {413}, "they do not grow bit by bit"
        codes = [(await http.put(path, json={"a": n})).status_code for n in range(20)]
        assert codes[-1] == 429
        rob = bearer(RESPONDER)
        chat_id = (await http.post("/api/chats", json={}, headers=rob)).json()["id"]
        big = {"key": "note", "value": "x" * 70_000}
        where = f"/api/chats/{chat_id}/preferences"
        problem(await http.put(where, json=big, headers=rob), 413, "too_large")
