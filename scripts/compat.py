"""Runs the programs of examples/compat, and writes the table of docs/frameworks.md from their ends.

    python scripts/compat.py                 run all, write the table
    python scripts/compat.py langgraph …     run those of some frameworks, print how they end
    python scripts/compat.py --check         run all; fail where the table says something else

Each program is written as a framework's tutorial writes it, with the framework's own client of a
model: here a server of ours is at its other end, and says what the program's PLAY says. Whenever
the program waits for a person its process dies, and the answer is given in a new one.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "examples" / "compat"
PAGE = ROOT / "docs" / "frameworks.md"
TABLE = "<!-- Made by scripts/compat.py, which runs every program. -->"
TABLE_END = "<!-- end of what was run -->"
GUARD_SECONDS = 120
#: More lives than any program here needs.
MOST_LIVES = 12


@dataclass(frozen=True)
class Ran:
    """How a program ended: works, caveat or refused; "fails" where none of these is true."""

    how: str
    why: str = ""


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("frameworks", nargs="*")
    asked.add_argument("--check", action="store_true")
    asked.add_argument("--life", nargs=2, help=argparse.SUPPRESS)
    given = asked.parse_args()
    if given.life:
        live(Path(given.life[0]), Path(given.life[1]))
    found = {
        program: run(program)
        for program in programs()
        if not given.frameworks or program.parent.name in given.frameworks
    }
    failed = [program for program, ran in found.items() if ran.how == "fails"]
    if given.frameworks or failed:
        return 1 if failed else 0
    page = PAGE.read_text("utf-8")
    if given.check:
        return 0 if with_table(page, found) == page else 1
    PAGE.write_text(with_table(page, found), "utf-8")
    return 0


def programs() -> list[Path]:
    return sorted(PROGRAMS.glob("*/*.py"))


def run(program: Path) -> Ran:
    """Run a program, each stretch of it between two answers in a process of its own."""
    from tests.integration.model_server import model_server

    play = play_of(program)
    with tempfile.TemporaryDirectory() as directory, model_server(_mind(play)) as server:
        env = {
            **os.environ,
            "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}",
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": f"{server.url}/v1",
            "GOOGLE_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": server.url,
        }
        command = [sys.executable, __file__, "--life", str(program), directory]
        ran = Ran("fails", f"it has not ended after {MOST_LIVES} lives")
        for _ in range(MOST_LIVES):
            done = subprocess.run(
                command,
                env=env,
                cwd=directory,
                capture_output=True,
                text=True,
                timeout=GUARD_SECONDS,
                check=False,
            )
            lines = done.stdout.strip().splitlines()
            if done.returncode or not lines:
                ran = Ran("fails", done.stderr[-2000:])
                break
            state = json.loads(lines[-1])
            if state["status"] != "waiting":
                ran = _judged(state, play)
                break
    print(f"{ran.how:8}{program.relative_to(PROGRAMS)}  {ran.why}", flush=True)
    return ran


def _judged(state: dict[str, Any], play: dict[str, Any]) -> Ran:
    if state["status"] == "refused":
        return Ran("refused" if play.get("refused") else "fails", state["said"])
    if state["status"] != "completed":
        return Ran("fails", f"{state['status']}: {state['said']}")
    if state["answered"] != len(play.get("answers", ())):
        return Ran("fails", f"{state['answered']} cards were answered: {state['said']}")
    if play["says"] not in state["said"]:
        return Ran("fails", f"it does not say {play['says']!r}: {state['said']}")
    if state["caveats"] or play.get("caveat"):
        return Ran("caveat", play.get("caveat") or " ".join(state["caveats"]))
    return Ran("works")


def play_of(program: Path) -> dict[str, Any]:
    """Return the program's PLAY, without running it: the model's `calls` in turn and its last
    `answer`, the person's `answers`, and what the program `says` at the end."""
    for node in ast.parse(program.read_text("utf-8")).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="PLAY")], value=value):
                play: dict[str, Any] = ast.literal_eval(value)
                return play
            case _:
                continue
    raise SystemExit(f"{program} has no PLAY")


def feature_of(program: Path) -> str:
    """Return what it shows: the first line of its docstring."""
    said = ast.get_docstring(ast.parse(program.read_text("utf-8"))) or program.stem
    return said.split("\n")[0].rstrip(".")


def _mind(play: dict[str, Any]) -> Any:
    from tests.integration.model_server import Asked, Call, Reply

    plan = [Call(tool, arguments) for tool, arguments in play.get("calls", ())]

    def reply(asked: Asked) -> Reply:
        done = [tool for tool, _ in asked.results]
        for call in plan:
            if call.tool in asked.tools and call.tool not in done:
                return Reply("I see to it. ", call)
        last = f"I was told: {asked.results[-1][1]}" if asked.results else "I know nothing."
        return Reply(str(play.get("answer", last)))

    return reply


# ── one life of a program ──


def live(program: Path, directory: Path) -> None:
    """Go on until the program waits or has ended; say which, and die as a process dies."""
    state = asyncio.run(_live(program, directory))
    print("\n" + json.dumps(state), flush=True)
    os._exit(0)


async def _live(program: Path, directory: Path) -> dict[str, Any]:
    from sayso.app import as_app, caveat_lines
    from sayso.core.errors import NotSupportedError
    from sayso.core.inbox import InteractionFilter

    module = _load(program)
    play = module.PLAY
    try:
        app = as_app(getattr(module, "app", None) or module.agent)
        engine = app.engine(directory)
        caveats = caveat_lines(app)
    except NotSupportedError as exc:
        return {"status": "refused", "said": exc.detail}
    agent = app.agent_names[0]
    await engine.start()
    if await engine.store.load_view("default", "chat") is None:
        await engine.store.create_chat("default", agent=agent, chat_id="chat")
        words = play.get("words", "Please do it")
        await engine.post_message("default", "chat", content=words, client_message_id="m")
    else:
        for it in await engine.store.interactions("default", InteractionFilter(chat_id="chat")):
            if it.state.is_final:
                continue
            answered = _answered(directory)
            body = {**play["answers"][answered], "digest": it.digest}
            await engine.answer("default", it.id, body, key=None, by="ana")
            (directory / f"answered{answered}").touch()
    async with asyncio.timeout(GUARD_SECONDS):
        while True:
            view = await engine.store.load_view("default", "chat")
            status = view.run.status if view is not None and view.run is not None else ""
            if status in ("waiting", "completed", "failed", "cancelled"):
                break
            await asyncio.sleep(0.02)
    assert view is not None
    said = "".join(m.content for m in view.messages if m.role == "assistant")
    if status == "failed":
        said += str([m.metadata for m in view.messages])
    return {
        "status": str(status),
        "said": said,
        "answered": _answered(directory),
        "caveats": caveats,
    }


def _answered(directory: Path) -> int:
    return len(list(directory.glob("answered*")))


def _load(program: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"compat_{program.stem}", program)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


# ── the table ──


def with_table(page: str, found: dict[Path, Ran]) -> str:
    """Return the page with the table of these runs."""
    before, _, rest = page.partition(TABLE)
    _, _, after = rest.partition(TABLE_END)
    return f"{before}{TABLE}\n{table(found)}\n{TABLE_END}{after}"


def table(found: dict[Path, Ran]) -> str:
    """Return a row per feature and a column per framework; programs of one name are one feature."""
    from scripts.reference import CALLED

    columns = [name for name in CALLED if any(p.parent.name == name for p in found)]
    features: dict[str, str] = {}
    for program in found:
        features.setdefault(program.stem, feature_of(program))
    lines = [
        "| | " + " | ".join(CALLED[name] for name in columns) + " |",
        "| --- |" + " --- |" * len(columns),
    ]
    notes: list[str] = []
    for stem, feature in sorted(features.items(), key=lambda one: one[1]):
        cells = [_cell(PROGRAMS / name / f"{stem}.py", found, notes) for name in columns]
        lines.append(f"| {feature} | {' | '.join(cells)} |")
    return "\n".join([*lines, *(["", *notes] if notes else [])])


def _cell(program: Path, found: dict[Path, Ran], notes: list[str]) -> str:
    ran = found.get(program)
    if ran is None:
        return ""
    link = f"[{ran.how}](../{program.relative_to(ROOT)})"
    if not ran.why:
        return link
    notes.append(f"{len(notes) + 1}. {ran.why}")
    return f"{link} ({len(notes)})"


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
