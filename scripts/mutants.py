"""`make mutants`: change one place of a file that decides, and see whether a test of it fails.

What a person consents to rests on these files, so a line of them that may be changed unseen is a
line without a promise. A mutant that nothing kills is a missing test, or has its reason in
`tests/mutants/explained.txt` and is not run again. Of a file that has lines in
`tests/mutants/picked.txt` only these are run: what hears a message works on word lists and a
network, and seconds of tests stand for each of its many places. `MUTANTS=n` draws so many of them
and not all, `MUTANTS_SEED=n` the same ones again, `MUTANTS_OF=core/answers,store/` those of some
files. `MUTANTS_TABLE=tests/mutants/folders.toml` draws from every file of its folders.
"""

from __future__ import annotations

import importlib
import importlib.util
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
import tomllib
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

from scripts.forks import Job, side_by_side
from scripts.mutants_in_place import InPlace
from scripts.mutations import Mutant, mutants_of

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "tests/mutants/table.toml"
EXPLAINED = ROOT / "tests/mutants/explained.txt"
PICKED = ROOT / "tests/mutants/picked.txt"
SOURCES = ROOT / "src/sayso"
#: Some wait for a time-out, and none needs a processor all the time.
SIDE_BY_SIDE = 3
#: In memory, where there is such a place: each mutant has a folder, and its databases there.
MEMORY = Path("/dev/shm")
#: Many times what the slowest row of the table takes where nothing is changed.
MOST_SECONDS = 300

#: What a mutant's process need not import again: all that is not of this tree.
_IMPORTED_BEFORE = (
    "alembic",
    "anyio.pytest_plugin",
    "fastapi",
    "httpx",
    "hypothesis",
    "jsonschema_rs",
    "mcp",
    "pydantic",
    "sqlalchemy",
)
_Table = dict[str, list[str]]


def main() -> int:
    chosen = os.environ.get("MUTANTS_OF", "").split(",")
    asked = Path(os.environ.get("MUTANTS_TABLE") or TABLE)
    table = {file: row for file, row in rows(asked).items() if any(it in file for it in chosen)}
    picks = picked()
    files = {name.partition(":")[0] for name in picks}
    names = {
        it: name
        for file in table
        for it, name in names_of(file).items()
        if name in picks or file not in files
    }
    explained = explanations()
    every = [it for it, name in names.items() if name not in explained]
    seed = int(os.environ.get("MUTANTS_SEED") or random.SystemRandom().randrange(10**6))
    rng = random.Random(seed)
    drawn = sorted(every, key=lambda it: rng.random() ** (1 / it.weight), reverse=True)
    drawn = drawn[: int(os.environ.get("MUTANTS") or len(every))]
    told = f"{len(names) - len(every)} more are explained"
    print(f"{len(drawn)} of {len(every)} mutants, {told}, MUTANTS_SEED={seed}", flush=True)
    began = time.monotonic()
    fates = _fates(drawn, table, seed)
    ended = Counter(fates.values())
    for mutant, fate in fates.items():
        if fate != "killed":
            print(f"{fate}: {mutant.told((SOURCES / mutant.file).read_bytes())}")
    told = ", ".join(f"{n} {fate}" for fate, n in sorted(ended.items()))
    print(f"{told}; {time.monotonic() - began:.0f} s, MUTANTS_SEED={seed}")
    return 1 if ended["survived"] or len(fates) < len(drawn) else 0


def rows(table: Path) -> _Table:
    """Which tests are to notice a change of which file; a folder's row is for the rest of it."""
    own: _Table = tomllib.loads(TABLE.read_text())
    found: _Table = {}
    for name, row in tomllib.loads(table.read_text()).items():
        paths = (
            (SOURCES / name).rglob("[!_]*.py") if (SOURCES / name).is_dir() else [SOURCES / name]
        )
        for path in paths:
            if "migrations" not in path.parts:  # one that has run is never changed again
                file = str(path.relative_to(SOURCES))
                found[file] = own.get(file, row)
    return found


def names_of(file: str) -> dict[Mutant, str]:
    """Every mutant of a file, with the name that explanations know it by."""
    source = (SOURCES / file).read_bytes()
    return {it: it.name(source) for it in mutants_of(file, source)}


def explanations() -> dict[str, str]:
    """Why mutants survive, by their names."""
    lines = EXPLAINED.read_text().splitlines()
    return dict(line.split("  # ", 1) for line in lines if "  # " in line)


def picked() -> set[str]:
    """The names of the mutants that stand for their whole file."""
    return {line for line in PICKED.read_text().splitlines() if not line.startswith("#")}


def _fates(drawn: list[Mutant], table: _Table, seed: int) -> dict[Mutant, str]:
    """What became of each; none where the tests fail although nothing is changed."""
    forks = multiprocessing.get_context("fork")
    memory = MEMORY if os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="mutants", dir=memory) as home:
        # In a process of its own: the tree is not imported here, where others are forked from.
        with ProcessPoolExecutor(1, mp_context=forks) as process:
            fates, left, red = process.submit(_in_place, drawn, table, Path(home), seed).result()
        if red:
            print(*red, "The tests fail where nothing is changed.", sep="\n")
            return {}
        for name in _IMPORTED_BEFORE:
            importlib.import_module(name)
        jobs = (Job(partial(_import_anew, it, table[it.file], seed), (), it) for it in left)
        for job, status in side_by_side(jobs, SIDE_BY_SIDE, Path(home)):
            assert job.mutant is not None
            fates[job.mutant] = (
                "survived" if status == 0 else "killed" if status > 0 else "timed out"
            )
    return fates


def _in_place(
    drawn: list[Mutant], table: _Table, home: Path, seed: int
) -> tuple[dict[Mutant, str], list[Mutant], list[str]]:
    """What became of each, which of them another import has to decide, and what was red before."""
    for name in _IMPORTED_BEFORE:
        importlib.import_module(name)
    plugin = InPlace({file: SOURCES / file for file in table}, table, drawn, home, SIDE_BY_SIDE)
    targets = sorted({target for row in table.values() for target in row})
    sys.settrace(plugin.calls)
    pytest.main([*_options(seed), *targets], plugins=[plugin])
    return plugin.fates, plugin.undecided, plugin.red


def _import_anew(mutant: Mutant, targets: list[str], seed: int, _home: Path) -> int:
    """Run the tests of the row where the file reads as changed."""
    path = str(SOURCES / mutant.file)
    changed = mutant.of(Path(path).read_bytes())
    compiled = importlib.util.cache_from_source(path)
    read = SourceFileLoader.get_data

    def get_data(self: SourceFileLoader, asked: str) -> bytes:
        if asked == compiled:
            raise OSError("It is not the file that was compiled.")
        return changed if asked == path else read(self, asked)

    SourceFileLoader.get_data = get_data  # type: ignore[assignment,method-assign]
    sys.dont_write_bytecode = True
    signal.alarm(MOST_SECONDS)
    # One by one: most are killed by the first, and then the others are not even collected.
    said = (int(pytest.main(["-x", *_options(seed), target])) for target in targets)
    return next(filter(None, said), 0)


def _options(seed: int) -> list[str]:
    early = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"
    return ["-qs", "--tb=no", "-W", early, "-p", "no:cacheprovider", f"--hypothesis-seed={seed}"]


if __name__ == "__main__":
    sys.exit(main())
