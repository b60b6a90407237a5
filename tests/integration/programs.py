"""`sayso` as a program of its own, the way a person starts it."""

from __future__ import annotations

import io
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import httpx
import pytest

from sayso.cli import main
from tests.browser import fork_server

ROOT = Path(__file__).parents[2]
#: Starting Python on a busy machine takes seconds; nothing here takes this long.
GUARD_SECONDS = 120
#: No proxy, setting or colour of the machine that runs the tests.
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name in ("PATH", "HOME", "LANG", "SYSTEMROOT", "VIRTUAL_ENV", "SAYSO_AUDIT_KEY")
} | {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "NO_COLOR": "1", "COLUMNS": "200"}


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    stdout: str
    stderr: str


def sayso(*arguments: object, given: str = "") -> Done:
    """Run a command to its end, in this process: starting Python takes longer than all it does."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["sayso", *map(str, arguments)])
        patch.setattr(sys, "stdin", io.StringIO(given))
        patch.setenv("COLUMNS", "200")
        code: object = 0
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
    assert isinstance(code, int)
    return Done(code, out.getvalue(), err.getvalue())


def program(*arguments: object) -> Done:
    """Run a command as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "sayso", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=GUARD_SECONDS,
        cwd=ROOT,
        env=ENVIRONMENT,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def refused(done: Done) -> str:
    """What a command says that could not do its work: sentences for a person, and no traceback."""
    assert done.code == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert "→" in done.stderr, f"no remedy in: {done.stderr}"
    return done.stderr


class Forked:
    """A `sayso` that need not be imported first."""

    def __init__(
        self, arguments: Sequence[str], environment: Mapping[str, str], errors: int
    ) -> None:
        output, its_output = os.pipe()
        report, its_report = os.pipe()
        fork_server.start(arguments, environment, (its_output, errors, its_report))
        os.close(its_output)
        os.close(its_report)
        self.stdout = os.fdopen(output)
        self._report = os.fdopen(report)
        self._pid = int(self._report.readline())
        self._code: int | None = None

    def send_signal(self, number: signal.Signals) -> None:
        """A signal; to one that is dead already, none."""
        if self._code is None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, number)

    def wait(self) -> int:
        """How it ended, once it has."""
        if self._code is None:
            ended, _, _ = select.select([self._report], [], [], GUARD_SECONDS)
            assert ended, "it does not end"
            self._code = int(self._report.readline())
            self._report.close()
        return self._code


@dataclass
class Served:
    """A running `sayso serve`."""

    process: Forked
    url: str
    data: Path

    def post(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        answer = httpx.post(
            f"{self.url}{path}", json=body or {}, timeout=GUARD_SECONDS, verify=False
        )
        assert answer.is_success, answer.text
        return dict(answer.json())

    def get(self, path: str) -> dict[str, Any]:
        answer = httpx.get(f"{self.url}{path}", timeout=GUARD_SECONDS, verify=False)
        assert answer.is_success, answer.text
        return dict(answer.json())

    def ask(self, agent: str) -> tuple[str, dict[str, Any]]:
        """A chat whose run waits, and its open card."""
        chat = self.post("/api/chats", {"agent": agent})["id"]
        self.post(f"/api/chats/{chat}/messages", {"content": "go", "client_message_id": "1"})
        self.until(chat, "waiting")
        return chat, self.get(f"/api/interactions?chat={chat}")["interactions"][0]

    def until(self, chat: str, *statuses: str) -> dict[str, Any]:
        """The chat once its run has one of these statuses."""
        deadline = time.monotonic() + GUARD_SECONDS
        while True:
            view = self.get(f"/api/chats/{chat}")
            if (view.get("run") or {}).get("status") in statuses:
                return view
            assert time.monotonic() < deadline, f"{view.get('run')} is none of {statuses}"
            time.sleep(0.02)

    def line(self, beginning: str) -> str:
        """The next line of its output that begins so."""
        return next(line.rstrip("\n") for line in self.process.stdout if line.startswith(beginning))

    def stop(self, sig: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(sig)
        return self.process.wait()


@contextmanager
def serving(
    data: Path,
    *options: object,
    target: str = "tests.integration.desk:app",
    settings: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Served]:
    """A server on this folder; killed at the end if it still runs."""
    command = ("serve", target, "--port", "0", "--data", str(data), *map(str, options))
    said = data.parent / "stderr.txt"
    with said.open("a") as errors:
        process = Forked(command, {**ENVIRONMENT, **settings}, errors.fileno())
    try:
        line = process.stdout.readline()
        assert line.startswith("Sayso listens on "), said.read_text()
        yield Served(process, line.split()[-1], data)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()


class Terminal:
    """A command with a person at its terminal."""

    def __init__(self, *arguments: object) -> None:
        self._master, slave = pty.openpty()
        self.shown = ""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "sayso", *map(str, arguments)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=ROOT,
            env={**ENVIRONMENT, "TERM": "dumb"},
        )
        os.close(slave)

    def until(self, words: str) -> str:
        """What has been shown since the last time, up to these words."""
        deadline = time.monotonic() + GUARD_SECONDS
        shown = ""
        while words not in shown:
            ready, _, _ = select.select([self._master], [], [], deadline - time.monotonic())
            assert ready, f"{words!r} never came; shown was: {shown}"
            try:
                shown += os.read(self._master, 65536).decode()
            except OSError as exc:  # the other end is closed
                raise AssertionError(f"{words!r} never came; shown was: {shown}") from exc
        self.shown += shown
        return shown

    def type(self, words: str) -> None:
        os.write(self._master, f"{words}\n".encode())

    def end(self) -> int:
        code = self._process.wait(GUARD_SECONDS)
        os.close(self._master)
        return code
