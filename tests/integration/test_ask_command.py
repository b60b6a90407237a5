"""`sayso ask` and `sayso.ask`, as people use them: programs beside a running server."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import sayso
from sayso.core.errors import NoServer, NotApproved, NotExecuted
from tests.integration.programs import ENVIRONMENT, GUARD_SECONDS, ROOT, Served, serving

EXAMPLES = ROOT / "examples/asks"
Wire = dict[str, Any]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("server") / "data") as it:
        yield it


@pytest.fixture(scope="module")
def environment(server: Served, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """As a shell has it: `sayso` is on the path, and its server is the one of this user."""
    programs = tmp_path_factory.mktemp("bin")
    for name, command in (("sayso", '"$@"'), ("pipx", 'shift 2; exec sayso "$@"')):
        text = f'exec "{sys.executable}" -m sayso {command}' if name == "sayso" else command
        (programs / name).write_text(f"#!/bin/sh\n[ $1 = run ] && :\n{text}\n")
        (programs / name).chmod(0o755)
    token = json.loads((server.data / "asker.json").read_bytes())["token"]
    return {
        **ENVIRONMENT,
        "PATH": f"{programs}:{ENVIRONMENT['PATH']}",
        "SAYSO_DATA_DIR": str(server.data),
        "SAYSO_URL": server.url,
        "SAYSO_TOKEN": token,
    }


class Running:
    """A command that asks, and what its person does."""

    def __init__(self, server: Served, environment: dict[str, str], *command: str) -> None:
        self._server = server
        self._known = {it["interaction_id"] for it in self._pending()}
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=environment,
        )

    def card(self) -> Wire:
        deadline = time.monotonic() + GUARD_SECONDS
        while True:
            for it in self._pending():
                if it["interaction_id"] not in self._known:
                    return it
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < deadline, "it never asked"
            time.sleep(0.02)

    def answer(self, **body: object) -> Wire:
        it = self.card()
        said = {"approved": True, "metadata": {"digest": it["payload"]["sayso"]["digest"]}, **body}
        self._server.post(f"/api/interactions/{it['interaction_id']}/response", said)
        return it

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=GUARD_SECONDS)
        assert "Traceback" not in err, err
        return self.process.returncode, out, err

    def _pending(self) -> list[Wire]:
        found = self._server.get("/api/interactions?status=pending&limit=200")
        return list(found["interactions"])


@pytest.fixture
def run(server: Served, environment: dict[str, str]) -> Callable[..., Running]:
    return lambda *command: Running(server, environment, *command)


def outcome(server: Served, it: Wire) -> Wire:
    return dict(server.get(f"/api/asks/{it['interaction_id']}"))


def test_a_yes_is_0(run: Callable[..., Running]):
    asking = run("sayso", "ask", "Deploy 4.2 to production?", "--approve", "--arg", "version=4.2")
    it = asking.answer()
    assert it["payload"]["tool_params"] == {"version": "4.2"}
    asker = it["payload"]["sayso"]["asker"]
    assert (asker["client"], asker["folder"]) == ("sayso ask", str(ROOT))
    assert asking.end()[0] == 0


def test_a_no_is_10_and_says_why(run: Callable[..., Running]):
    asking = run("sayso", "ask", "Deploy?")
    asking.answer(approved=False, user_message="not on a Friday")
    code, _, err = asking.end()
    assert (code, err.strip()) == (10, "rejected: not on a Friday")


def test_nobody_answers_is_11(run: Callable[..., Running], server: Served):
    asking = run("sayso", "ask", "Deploy?")
    server.post(f"/api/interactions/{asking.card()['interaction_id']}/dismiss")
    assert asking.end()[0] == 11
    assert run("sayso", "ask", "Deploy?", "--expires", "1s").end()[0] == 11


def test_still_waiting_is_12_and_the_id_goes_on(run: Callable[..., Running], server: Served):
    code, out, err = run("sayso", "ask", "Deploy?", "--wait", "0s").end()
    assert (code, len(out.strip())) == (12, 36)
    assert f"/i/{out.strip()}" in err
    server.post(f"/api/interactions/{out.strip()}/response", {"approved": True})
    assert run("sayso", "ask", "--id", out.strip()).end()[0] == 0


def test_no_server_is_13(run: Callable[..., Running], environment: dict[str, str], tmp_path: Path):
    away = run("sayso", "ask", "Deploy?", "--on", "http://127.0.0.1:9")
    code, _, err = away.end()
    assert (code, "→" in err) == (13, True)
    nowhere = {n: v for n, v in environment.items() if not n.startswith(("SAYSO_URL", "SAYSO_TOK"))}
    done = subprocess.run(
        ["sayso", "ask", "Deploy?", "--data", str(tmp_path)],
        env=nowhere,
        capture_output=True,
        check=False,
        timeout=GUARD_SECONDS,
    )
    assert done.returncode == 13
    assert list(tmp_path.iterdir()) == [], "it starts nothing by itself"


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        ["Deploy?", "--arg", "version"],
        ["Deploy?", "--arg", "n:=x"],
        ["Deploy?", "--wait", "soon"],
        ["Deploy?", "--approve", "--choose", "a"],
        ["Deploy?", "--form", "/nowhere"],
        ["Deploy?", "--edit", "color"],
        ["--id", "none"],
    ],
)
def test_anything_else_is_an_error(run: Callable[..., Running], wrong: list[str]):
    code, _, err = run("sayso", "ask", *wrong).end()
    assert (code, "→" in err) == (2, True), err


def test_a_choice_and_a_form_print_what_was_answered(run: Callable[..., Running], tmp_path: Path):
    asking = run("sayso", "ask", "Which region?", "--choose", "eu", "--choose", "us")
    asking.answer(response_data={"selected_option": "us"})
    assert asking.end()[:2] == (0, "us\n")
    schema = tmp_path / "schema.json"
    schema.write_text('{"type": "object", "properties": {"size": {"type": "integer"}}}')
    asking = run("sayso", "ask", "How large?", "--form", str(schema))
    asking.answer(response_data={"values": {"size": 3}})
    assert asking.end()[:2] == (0, '{"size":3}\n')


def test_a_notice_waits_for_nothing(run: Callable[..., Running], server: Served):
    code, out, _ = run("sayso", "ask", "The backup is done.", "--notice").end()
    assert code == 0
    told = server.get(f"/api/asks/{out.strip()}")
    assert (told["kind"], told["state"]) == ("notice", "pending")
    code, shown, _ = run("sayso", "inbox", "answer", out.strip()).end()
    assert (code, "The backup is done." in shown) == (0, True)
    assert server.get(f"/api/asks/{out.strip()}")["state"] == "shown", "to show it is to be done"


def test_json_is_all_that_is_known(run: Callable[..., Running]):
    asking = run("sayso", "ask", "Deploy?", "--json", "--arg", "n:=3")
    it = asking.answer()
    code, out, _ = asking.end()
    told = json.loads(out)
    assert (code, told["state"], told["arguments"]) == (0, "approved", {"n": 3})
    assert told["interaction_id"] == it["interaction_id"]


def test_what_is_approved_runs_once_and_is_reported(
    run: Callable[..., Running], server: Served, tmp_path: Path
):
    command = f'echo "$SAYSO_ARG_WORD" >> {tmp_path / "said"}'
    options = ("--run", command, "--arg", "word=hello", "--key", f"run-{tmp_path}")
    asking = run("sayso", "ask", "Say it?", *options)
    it = asking.answer()
    assert it["payload"]["tool_params"]["command"] == command
    assert asking.end()[0] == 0
    assert outcome(server, it)["state"] == "done"
    code, _, err = run("sayso", "ask", "Say it?", *options).end()
    assert (code, (tmp_path / "said").read_text()) == (0, "hello\n"), err
    asking = run("sayso", "ask", "Fail?", "--run", "exit 7")
    it = asking.answer()
    assert asking.end()[0] == 7
    assert outcome(server, it)["state"] == "failed"
    asking = run("sayso", "ask", "Never?", "--run", f"touch {tmp_path / 'never'}")
    asking.answer(approved=False, user_message="no")
    assert asking.end()[0] == 10
    assert not (tmp_path / "never").exists()


# ── in Python ──


@pytest.fixture
def here(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SAYSO_URL", "SAYSO_TOKEN"):
        monkeypatch.setenv(name, environment[name])


@pytest.fixture
def person(server: Served, here: None) -> Iterator[Callable[..., Any]]:
    """Do something that asks, and answer it."""
    with ThreadPoolExecutor(1) as pool:

        def answered(work: Callable[[], Any], **body: object) -> Any:
            known = {it["interaction_id"] for it in pending(server)}
            working = pool.submit(work)
            deadline = time.monotonic() + GUARD_SECONDS
            while not (new := [i for i in pending(server) if i["interaction_id"] not in known]):
                assert not working.done(), working.result()
                assert time.monotonic() < deadline
                time.sleep(0.01)
            path = f"/api/interactions/{new[0]['interaction_id']}/response"
            server.post(path, {"approved": True, **body})
            return working.result(GUARD_SECONDS)

        yield answered


def pending(server: Served) -> list[Wire]:
    return list(server.get("/api/interactions?status=pending&limit=200")["interactions"])


def test_a_function_acts_once_and_reports(person: Callable[..., Any], server: Served):
    asked = person(
        lambda: sayso.ask("Deploy?", arguments={"version": "1"}, editable=["version"]),
        response_data={"edits": {"version": "2"}},
    )
    assert asked
    assert asked.approved
    with asked as go:
        assert go.arguments == {"version": "2"}
        go.result = {"url": "x"}
    told = server.get(f"/api/asks/{asked.id}")
    assert (told["state"], told["result"], asked.state) == ("done", {"url": "x"}, "done")
    with pytest.raises(sayso.SaysoError, match="was used"), asked:
        raise AssertionError("a second time")


@pytest.mark.parametrize(
    ("exc", "state"), [(ValueError("oh"), "unknown"), (NotExecuted("no line"), "not_executed")]
)
def test_an_exception_leaves_it_open_whether_it_acted(
    person: Callable[..., Any], server: Served, exc: Exception, state: str
):
    asked = person(lambda: sayso.ask("Deploy?"))
    with pytest.raises(type(exc)), asked:
        raise exc
    assert server.get(f"/api/asks/{asked.id}")["state"] == state


def test_a_no_lets_nothing_begin(person: Callable[..., Any]):
    asked = person(lambda: sayso.ask("Deploy?"), approved=False, user_message="no")
    assert (bool(asked), asked.reason) == (False, "no")
    with pytest.raises(NotApproved), asked:
        raise AssertionError("it was refused")


def test_choices_and_failures_awaited(person: Callable[..., Any], server: Served):
    async def choose() -> object:
        return (await sayso.ask_async("Which?", options=["a", "b"])).value

    chosen = person(lambda: asyncio.run(choose()), response_data={"selected_option": "b"})
    assert chosen == "b"

    async def fail() -> str:
        async with await sayso.ask_async("Deploy?", key="fails") as asked:
            asked.failed("no disk")
        return asked.id

    told = server.get(f"/api/asks/{person(lambda: asyncio.run(fail()))}")
    assert (told["state"], told["error"]) == ("failed", "no disk")


def test_no_server_is_said(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(NoServer):
        sayso.ask("Deploy?", on="http://127.0.0.1:9")


# ── five lines each ──


def test_a_makefile(run: Callable[..., Running]):
    asking = run("make", "-C", str(EXAMPLES), "deploy", "VERSION=4.2")
    asking.answer()
    code, out, _ = asking.end()
    assert (code, "deployed 4.2" in out) == (0, True)
    asking = run("make", "-C", str(EXAMPLES), "deploy", "VERSION=4.3")
    asking.answer(approved=False, user_message="no")
    code, out, _ = asking.end()
    assert (code, "deployed 4.3\n" in out) == (2, False)


def test_a_ci_job(server: Served, environment: dict[str, str]):
    (line,) = (
        line.partition("run: ")[2]
        for line in (EXAMPLES / "ci.yml").read_text().splitlines()
        if "run: " in line
    )
    runner = {**environment, "GITHUB_REF_NAME": "v4.2", "GITHUB_SHA": "abc"}
    asking = Running(server, runner, "bash", "-ec", line)
    assert asking.answer()["title"] == "Release v4.2?"
    assert asking.end()[0] == 0


def test_a_cron_script(run: Callable[..., Running], server: Served, tmp_path: Path):
    for name, days in (("old", 40), ("new", 1)):
        (tmp_path / name).write_text("x")
        at = time.time() - days * 86_400
        os.utime(tmp_path / name, (at, at))
    asking = run(str(EXAMPLES / "cleanup.sh"), str(tmp_path))
    it = asking.answer()
    assert asking.end()[0] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    assert outcome(server, it)["state"] == "done"


def test_a_python_function(run: Callable[..., Running], server: Served):
    code = f"import sys; sys.path.insert(0, {str(EXAMPLES)!r}); import deploy; deploy.deploy('4.2')"
    asking = run(sys.executable, "-c", code)
    it = asking.answer()
    assert asking.end()[0] == 0
    assert outcome(server, it)["result"] == "deployed 4.2"


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl here")
def test_curl(run: Callable[..., Running]):
    asking = run(str(EXAMPLES / "curl.sh"))
    asking.answer(response_data={"selected_option": "eu"})
    code, out, _ = asking.end()
    assert (code, json.loads(out)["response"]["response_data"]["selected_option"]) == (0, "eu")
