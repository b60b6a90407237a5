"""The server as a process: it starts, stops and starts again, and what it cannot do it says."""

import json
import os
import re
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from sayso._version import __version__
from sayso.cli.serving import load
from tests.integration.programs import (
    ENVIRONMENT,
    GUARD_SECONDS,
    Served,
    program,
    refused,
    sayso,
    serving,
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def test_stopped_while_a_card_waits_and_started_again_all_is_as_it_was(data: Path):
    with serving(data) as server:
        chat, card = server.ask("desk")
        before = server.get(f"/api/chats/{chat}")
        assert server.stop() == 0
    assert not (data / "server.json").exists()
    with serving(data) as server:
        assert server.get(f"/api/chats/{chat}") == before
        server.post(f"/api/interactions/{card['interaction_id']}/response", {"approved": True})
        view = server.until(chat, "completed")
        assert view["messages"][-1]["content"] == "20 paid back for 1001"


def test_a_run_in_the_middle_goes_on_with_the_next_start(data: Path):
    with serving(data) as server:
        chat = server.post("/api/chats", {"agent": "talker"})["id"]
        server.post(f"/api/chats/{chat}/messages", {"content": "go", "client_message_id": "1"})
        server.until(chat, "running")
        assert server.stop() == 0
    with serving(data) as server:
        view = server.until(chat, "completed")
        said = [m for m in view["messages"] if m["role"] == "assistant"]
        whole = [m for m in said if m["status"] == "complete"]
        assert whole[-1]["content"].endswith("98 99 ")


@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGINT])
def test_open_streams_do_not_keep_it_from_stopping(data: Path, sig: signal.Signals):
    with serving(data) as server:
        host, port = server.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as stream:
            stream.sendall(b"GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert stream.recv(4096).startswith(b"HTTP/1.1 200")
            assert server.stop(sig) == 0


def test_who_waits_for_an_answer_is_told_that_the_ask_still_stands(data: Path):
    with serving(data) as server:
        host, port = server.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as waiting:
            body = b'{"kind": "approve", "title": "Deploy 4.2?"}'
            head = "POST /api/asks HTTP/1.1\r\nHost: localhost\r\nPrefer: wait=60\r\n"
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            waiting.sendall(head.encode() + body)
            deadline = time.monotonic() + GUARD_SECONDS
            while not server.get("/api/asks")["asks"]:
                assert time.monotonic() < deadline
                time.sleep(0.02)
            assert server.stop() == 0
            assert waiting.recv(4096).startswith(b"HTTP/1.1 202")


def test_its_address_lies_in_a_file_that_only_its_owner_reads(data: Path):
    with serving(data) as server:
        card = data / "server.json"
        assert stat.S_IMODE(card.stat().st_mode) == 0o600
        assert json.loads(card.read_text())["address"] == server.url
        server.stop()
        assert not card.exists()


def test_after_kill_nine_a_stale_address_stands_in_nobodys_way(data: Path):
    with serving(data) as server:
        _, card = server.ask("desk")
        server.stop(signal.SIGKILL)
    assert (data / "server.json").exists()
    listed = sayso("inbox", "--data", data, "--json")
    assert json.loads(listed.stdout)["interactions"][0]["interaction_id"] == card["interaction_id"]
    with serving(data) as server:
        assert server.get("/api/health")["status"] == "ok"


def test_a_port_that_is_taken(data: Path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        said = refused(
            program("serve", "tests.integration.desk:app", "--port", port, "--data", data)
        )
        assert f"Port {port}" in said
        assert f"--port {port + 1}" in said


def test_a_second_server_on_the_same_folder(data: Path):
    with serving(data) as server:
        said = refused(sayso("serve", "tests.integration.desk:app", "--port", 0, "--data", data))
        assert server.url in said
        assert (data / "server.json").exists()


def test_who_signed_in_stays_so_over_a_restart_as_long_as_their_token_does(data: Path):
    kept, other = "mara:admin:a-token-0123456789", "rob:admin:another-token-01234"
    body = {"token": kept.rpartition(":")[2]}

    def status(server: Served, cookie: str) -> int:
        headers = {"Cookie": f"sayso_session={cookie}"}
        return httpx.get(f"{server.url}/api/chats", headers=headers).status_code

    with serving(data, "--token", kept, "--token", other) as server:
        cookie = httpx.post(f"{server.url}/api/session", json=body).cookies["sayso_session"]
        assert status(server, cookie) == 200
        server.stop(signal.SIGKILL)
    for place in data.iterdir():
        assert cookie.encode() not in place.read_bytes(), "who reads the file cannot walk in"
    with serving(data, "--token", kept, "--token", other) as server:
        assert status(server, cookie) == 200
        server.stop()
    with serving(data, "--token", other) as server:
        assert status(server, cookie) == 401


def test_what_is_run_beside_a_server_is_of_its_tenant(data: Path, monkeypatch: pytest.MonkeyPatch):
    secret = "a-token-0123456789"
    with serving(data, "--token", secret, settings={"SAYSO_APP_ID": "acme"}) as server:
        headers = {"Authorization": f"Bearer {secret}"}
        said = httpx.get(f"{server.url}/api/session", headers=headers).json()
        card = json.loads((data / "server.json").read_text())
        local = {"Authorization": f"Bearer {card['token']}"}
        beside = httpx.get(f"{server.url}/api/session", headers=local).json()
    assert (said["app_id"], beside["app_id"]) == ("acme", "acme")


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("desk", "module:attr"),
        (":app", "module:attr"),
        ("desk.py", "sayso serve desk:app"),
        ("no_such_module:app", "no module 'no_such_module'"),
        ("tests.integration.desk:nothing", "has no 'nothing'"),
        ("tests.integration.desk:not_an_agent", "int"),
        ("broken:app", "ValueError: on purpose"),
        ("needy:app", "needs 'no_such_package'"),
    ],
)
def test_an_agent_that_cannot_be_loaded(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, words: str
):
    (tmp_path / "broken.py").write_text("raise ValueError('on purpose')")
    (tmp_path / "needy.py").write_text("import no_such_package")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(sys.path))
    assert words in refused(sayso("serve", target, "--port", 0, "--data", data))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--host", "0.0.0.0"], "can be reached from other machines"),
        (["--token", "short"], "16 characters"),
        (["--token", "ada:king:0123456789abcdef"], "role"),
        (["--policy", "none.toml"], "none.toml"),
        (["--host", "203.0.113.1"], "can be reached"),
        (["--host", "203.0.113.1", "--allow-anyone"], "Cannot listen"),
    ],
)
def test_options_that_cannot_be(data: Path, options: list[str], words: str):
    done = sayso("serve", "tests.integration.desk:app", "--port", 0, "--data", data, *options)
    assert words in refused(done)


def test_a_dict_of_agents_and_a_bare_agent_can_be_served():
    assert list(load("tests.integration.desk:agents").agents) == ["one", "two"]
    assert list(load("tests.integration.desk:chooser").agents) == ["chooser"]


def test_a_folder_that_cannot_be(tmp_path: Path):
    (tmp_path / "file").write_text("")
    said = refused(
        sayso("serve", "tests.integration.desk:app", "--port", 0, "--data", tmp_path / "file/data")
    )
    assert "file is a file where a folder is needed" in said
    desk = ("serve", "tests.integration.desk:app", "--port", 0)
    assert "too long" in refused(sayso(*desk, "--data", tmp_path / ("x" * 300)))


def test_the_version_is_said():
    assert sayso("--version").stdout == f"sayso {__version__}\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_database_that_cannot_be_written(data: Path):
    sayso("db", "upgrade", "--data", data)
    (data / "sayso.db").chmod(0o400)
    said = refused(sayso("serve", "tests.integration.desk:app", "--port", 0, "--data", data))
    assert "cannot be written" in said


def test_a_database_of_a_newer_version(data: Path):
    assert sayso("db", "upgrade", "--data", data).code == 0
    with sqlite3.connect(data / "sayso.db") as rows:
        rows.execute("UPDATE alembic_version SET version_num = '9999'")
    rows.close()
    for command in (
        ("serve", "tests.integration.desk:app", "--port", 0),
        ("db", "upgrade"),
        ("inbox",),
    ):
        assert "newer" in refused(sayso(*command, "--data", data))


def test_a_file_that_is_no_database(data: Path):
    data.mkdir()
    (data / "sayso.db").write_text("not a database " * 100)
    said = refused(sayso("serve", "tests.integration.desk:app", "--port", 0, "--data", data))
    assert "sound database" in said


def test_a_database_that_another_program_locks(data: Path):
    with serving(data) as server:
        rows = sqlite3.connect(data / "sayso.db", isolation_level=None)
        rows.execute("BEGIN EXCLUSIVE")
        refusal = httpx.post(f"{server.url}/api/chats", json={}, timeout=30)
        assert refusal.status_code == 503
        assert refusal.json()["code"] == "store_busy"
        assert "locked" in refusal.json()["detail"]
        assert server.get("/api/chats") == {"chats": [], "next": None}
        rows.close()
        server.ask("desk")


def test_doctor_names_what_nobody_declared(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    program = "from sayso import App\n\ndef look_up(order: int): ...\n\n"
    program += "async def agent(ctx): ...\n\napp = App(agent, tools=[look_up])\n"
    (tmp_path / "bare_app.py").write_text(program)
    named = "since nobody has declared them: look_up."
    looked = sayso("doctor", "bare_app:app", "--data", data, "--port", 0)
    assert looked.code == 0
    assert "bare_app:app can be served: agent." in looked.stdout
    assert named in looked.stdout
    lost = sayso("doctor", "bare_app:nope", "--data", data, "--port", 0)
    assert (lost.code, "bare_app has no 'nope'" in lost.stdout) == (1, True)


def test_doctor_finds_what_is_wrong_and_what_is_right(data: Path):
    with serving(data) as server:
        well = sayso("doctor", "--data", data, "--port", 0)
        assert f"A server runs on this folder: {server.url}" in well.stdout
        assert "Nobody has to sign in" in well.stdout
        server.stop()
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        ill = sayso("doctor", "--data", data, "--port", other.getsockname()[1])
        assert ill.code == 1
        assert re.search(r"✗ Port \d+ on 127.0.0.1 is in use", ill.stdout)
    (data / "sayso.db").write_text("not a database " * 100)
    broken = sayso("doctor", "--data", data, "--port", 0)
    assert broken.code == 1
    assert "sound database" in broken.stdout


def test_importing_the_command_line_is_light():
    program = (
        "import sys, sayso.cli\n"
        "heavy = {'fastapi', 'uvicorn', 'starlette', 'sqlalchemy', 'alembic', 'httpx'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=ENVIRONMENT, check=True
    )
    assert said.stdout.strip() == "[]"


# ── tokens of this machine ──


def test_an_asker_has_a_token_of_its_own_that_stays(data: Path):
    def kept() -> str:
        path = data / "asker.json"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        return str(json.loads(path.read_bytes())["token"])

    ask = {"kind": "approve", "title": "Deploy?"}
    with serving(data) as server:
        token, owner = kept(), json.loads((data / "server.json").read_bytes())["token"]
        assert token != owner
        headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": "k"}
        first = httpx.post(f"{server.url}/api/asks", json=ask, headers=headers, trust_env=False)
        assert first.status_code == 201, first.text
        assert server.stop() == 0
    with serving(data) as server:
        assert kept() == token
        again = httpx.post(f"{server.url}/api/asks", json=ask, headers=headers, trust_env=False)
        assert again.json()["interaction_id"] == first.json()["interaction_id"]
        path = f"{server.url}/api/interactions/{first.json()['interaction_id']}/response"
        answer = httpx.post(path, json={"approved": True}, headers=headers, trust_env=False)
        assert answer.status_code == 403


def test_the_link_that_the_server_prints_signs_in_once(data: Path):
    with serving(data, "--sign-in") as server:
        assert httpx.get(f"{server.url}/api/chats", trust_env=False).status_code == 401
        link = server.line("Sign in, once, by ").rpartition(" ")[2]
        with httpx.Client(trust_env=False) as browser:
            assert browser.get(link).status_code == 303
            assert browser.get(f"{server.url}/api/session").json()["person"] == "you"
        assert httpx.get(link, trust_env=False).status_code == 401
        assert server.line("Sign in, once, by ").rpartition(" ")[2] != link
