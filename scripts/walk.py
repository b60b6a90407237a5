"""Writes the tables of docs/explanation/the-life-of-an-answer.md from one answer that is traced.

    python scripts/walk.py            trace it, write the page, print how many files it passes
    python scripts/walk.py --check    only say whether the page is current

A real server with a database file runs in this process. A function agent calls a tool that needs an
approval, the answer comes over the socket that the console uses, and every file of ours that code
enters from then to the last frame is noted under its stage. A file counts if each of three answers
passes it, and under the first stage that it is met in. What only runs beside an answer (the lease's
heartbeat, the sweep, the sealer) is left out; so is what a file does once, at its import.
"""

from __future__ import annotations

import ast
import asyncio
import json
import re
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import httpx
import uvicorn
from websockets.asyncio.client import ClientConnection, connect

import sayso
from sayso import AgentContext, App, tool
from sayso.settings import Settings
from sayso.store.verbs import audit

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/explanation/the-life-of-an-answer.md"
HOME = Path(sayso.__file__).parent
#: In the order in which the answer comes to them.
STAGES = ("door", "engine", "store", "worker", "tool", "feed")
GUARD_SECONDS = 60.0

#: Where each folder stands. The others (`core`, `clock.py` …) stand where their caller does.
_STAGE_OF_FOLDER = {
    "server": "door",
    "engine": "engine",
    "store": "store",
    "adapters": "worker",
    "tools": "tool",
    "feed": "feed",
}
#: Runs whether an answer comes or not: tasks and threads, by the start of their names, and a file.
_SEALER = audit.__file__
_BESIDE = ("sayso-heart", "sayso-expiry", "sayso-sweep", "sayso-effects", "sayso-sealer")
_BESIDE_IT = "beside"
_FEED_TASK = "sayso-live-writer"
_WORKER_THREAD = "sayso-worker"


@dataclass(frozen=True)
class Stop:
    """A file that the answer passes, and where it comes in first."""

    file: str
    function: str

    @property
    def purpose(self) -> str:
        """The first sentence of the file's docstring."""
        words = ast.get_docstring(ast.parse((HOME / self.file).read_text("utf-8"))) or ""
        paragraph = " ".join(words.split("\n\n")[0].split())
        return re.split(r"(?<=[.!?]) ", paragraph)[0]


Walk = dict[str, list[Stop]]


@tool(approval=True)
def send_letter(to: str) -> str:
    """Send a letter by post."""
    return f"posted to {to}"


async def secretary(ctx: AgentContext) -> None:
    await ctx.say("I have written it. ")
    await ctx.say(str(await ctx.call(send_letter, to="Mara")))


def trace() -> Walk:
    """Return the files that an answer passes: by stage, in the order of their first entry."""
    traces = [_Trace() for _ in range(3)]
    profiler = _Profiler()
    threading.setprofile(profiler.note)
    try:
        with tempfile.TemporaryDirectory() as data, _served(Path(data)) as address:
            asyncio.run(_story(address, profiler, None))  # what is done but once is not the walk
            for each in traces:
                asyncio.run(_story(address, profiler, each))
    finally:
        threading.setprofile(None)
    first, *others = traces
    return {
        stage: [stop for stop in stops if all(other.passes(stop) for other in others)]
        for stage, stops in first.walk().items()
    }


class _Trace:
    """The first entry into each file of ours, for each stage."""

    def __init__(self) -> None:
        self._entered: dict[str, dict[str, str]] = {stage: {} for stage in STAGES}

    def enter(self, stage: str, file: str, function: str) -> None:
        self._entered[stage].setdefault(file, function)

    def passes(self, stop: Stop) -> bool:
        return any(stop.file in files for files in self._entered.values())

    def walk(self) -> Walk:
        walk: Walk = {}
        seen: set[str] = set()
        for stage, files in self._entered.items():
            new = [Stop(f, function) for f, function in files.items() if f not in seen]
            walk[stage] = new
            seen |= files.keys()
        return walk


class _Profiler:
    """Hands each call of our code to the trace that is on."""

    def __init__(self) -> None:
        self.trace: _Trace | None = None

    def note(self, frame: FrameType, event: str, _: object) -> None:
        trace = self.trace
        code = frame.f_code
        if trace is None or event != "call" or not code.co_filename.startswith(str(HOME)):
            return
        stage = _stage(frame)
        if stage is not None:
            file = Path(code.co_filename).relative_to(HOME).as_posix()
            trace.enter(stage, file, code.co_qualname.split(".<locals>")[0])


def _stage(frame: FrameType) -> str | None:
    """Return the stage that this frame belongs to; None where it is no part of the walk."""
    folders = list(_folders(frame))
    if _BESIDE_IT in folders or _runs_beside():
        return None
    staged = [_STAGE_OF_FOLDER[folder] for folder in folders if folder in _STAGE_OF_FOLDER]
    if not staged:
        return None
    stage = staged[0]
    if stage in ("door", "engine") and ("feed" in staged or _task().startswith(_FEED_TASK)):
        return "feed"
    if stage == "engine" and threading.current_thread().name.startswith(_WORKER_THREAD):
        return "worker"
    return stage


def _folders(frame: FrameType | None) -> Iterator[str]:
    """Yield the folder of each of our frames, from this one outwards."""
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(str(HOME)):
            at_import = frame.f_code.co_name == "<module>" or file == _SEALER
            yield _BESIDE_IT if at_import else Path(file).relative_to(HOME).parts[0]
        frame = frame.f_back


def _runs_beside() -> bool:
    return threading.current_thread().name.startswith(_BESIDE) or _task().startswith(_BESIDE)


def _task() -> str:
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return ""
    return task.get_name() if task else ""


@contextmanager
def _served(data: Path) -> Iterator[str]:
    """A server on a free port, in a thread of its own."""
    app = App(secretary, tools=[send_letter])
    config = uvicorn.Config(
        sayso.asgi(app, Settings(data_dir=data)), log_level="warning", ws="websockets-sansio"
    )
    server = uvicorn.Server(config)
    listening = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, args=([listening],), name="walk-server")
    thread.start()
    try:
        yield f"127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


async def _story(address: str, profiler: _Profiler, trace: _Trace | None) -> None:
    """One chat: a message, a card, a yes, and the end of the run."""
    async with asyncio.timeout(GUARD_SECONDS):
        async with httpx.AsyncClient(base_url=f"http://{address}", trust_env=False) as http:
            chat = (await http.post("/api/chats", json={})).raise_for_status().json()["id"]
        async with connect(f"ws://{address}/api/chats/{chat}/live", proxy=None) as page:
            message = {"content": "Write to Mara", "client_message_id": "m1"}
            await page.send(json.dumps({"ref": "1", "type": "message", "data": message}))
            card = await _until(page, lambda frame: frame["type"] == "chat.ui_tool")
            await _until(page, lambda frame: _run_is(frame, "waiting"))
            await asyncio.sleep(0.2)  # let go what the message still does
            profiler.trace = trace
            answer = {
                "interaction_id": card["data"]["eventId"],
                "key": "k1",
                "body": {"decision": "approve", "metadata": _digest(card)},
            }
            await page.send(json.dumps({"ref": "2", "type": "answer", "data": answer}))
            await _until(page, lambda frame: _run_is(frame, "completed"))
            profiler.trace = None


def _digest(card: dict[str, Any]) -> dict[str, Any]:
    return {"digest": card["data"]["payload"]["sayso"]["digest"]}


def _run_is(frame: dict[str, Any], status: str) -> bool:
    return bool(frame["type"] == "chat.run" and frame["data"]["status"] == status)


async def _until(
    page: ClientConnection, wanted: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    while True:
        frame: dict[str, Any] = json.loads(await page.recv())
        if "problem" in frame:
            raise RuntimeError(f"the answer was refused: {frame}")
        if "type" in frame and wanted(frame):
            return frame


def written(page: str, walk: Walk) -> str:
    """Return the page with its tables and its count made from this walk."""
    counts = " · ".join(f"{stage} {len(stops)}" for stage, stops in walk.items())
    total = sum(len(stops) for stops in walk.values())
    made = {"count": f"**{total} files**: {counts}."}
    for stage, stops in walk.items():
        lines = ["| file | comes in at | what it is |", "| --- | --- | --- |"]
        for stop in stops:
            link = f"[`{stop.file}`](../../src/sayso/{stop.file})"
            lines.append(f"| {link} | `{stop.function}` | {stop.purpose} |")
        made[stage] = "\n".join(lines)
    for part, words in made.items():
        begin, end = f"<!-- walk: {part} -->", "<!-- /walk -->"
        before, found, after = page.partition(begin)
        if not found:
            raise ValueError(f"{PAGE.name} has no place for {part}: {begin}")
        page = f"{before}{begin}\n{words}\n{end}{after.partition(end)[2]}"
    return page


def differences(page: str, walk: Walk) -> list[str]:
    """Return in which stages the page and this walk name different files."""
    wrong = []
    for stage, stops in walk.items():
        table = page.partition(f"<!-- walk: {stage} -->")[2].partition("<!-- /walk -->")[0]
        told, passed = set(re.findall(r"\[`([^`]+)`\]", table)), {stop.file for stop in stops}
        wrong += [f"{stage}: {file} is passed, and not on the page" for file in passed - told]
        wrong += [f"{stage}: {file} is on the page, and not passed" for file in told - passed]
    return sorted(wrong)


def main() -> int:
    walk, page = trace(), PAGE.read_text("utf-8")
    if "--check" in sys.argv:
        wrong = differences(page, walk)
        print("\n".join([*wrong, "run: make walk"] if wrong else []), end="")
        return 1 if wrong else 0
    PAGE.write_text(written(page, walk), encoding="utf-8")
    print(f"{sum(len(stops) for stops in walk.values())} files, from the click to the page")
    return 0


if __name__ == "__main__":
    sys.exit(main())
