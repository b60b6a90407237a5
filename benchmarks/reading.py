"""What reading one message costs, beside another version of Sayso: processor time of every message
of a file of dialogues, in this tree and in another, turn about.

`python -m benchmarks.reading FILE.jsonl OTHER_TREE`, where OTHER_TREE is a checkout (`git worktree
add --detach PATH 040e3c4`). Both run with this Python and its libraries.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.work import ROOT, table

ROUNDS = 3
#: Runs in either tree: the bench had another name before the rules moved to `sayso.reading`.
_REPLAY = """
import asyncio, sys, time
from pathlib import Path
try:
    from sayso.reading.rule_extractor import RuleExtractor
    from sayso.testing import gate_bench as bench
except ImportError:
    from sayso.gate import bench
    from sayso.gate.rules import RuleExtractor
time.perf_counter = time.process_time
said = asyncio.run(bench.score(bench.read_dialogues(Path(sys.argv[1])), RuleExtractor()))
print(said.p50ms, said.p95ms)
"""


def main() -> None:
    file, other = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    rounds = [(_replayed(file, ROOT), _replayed(file, other)) for _ in range(ROUNDS)]
    rows = []
    for at, name in enumerate(("p50", "p95")):
        ours, theirs = (statistics.median(one[tree][at] for one in rounds) for tree in (0, 1))
        rows.append((f"{name} ms a message: here, there, ratio", _told(ours, theirs)))
    table(f"reading {file.name}, medians of {ROUNDS} rounds", rows)


def _told(ours: float, theirs: float) -> str:
    return f"{ours:6.2f} {theirs:6.2f} {ours / theirs:5.2f}"


def _replayed(file: Path, tree: Path) -> tuple[float, float]:
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    done = subprocess.run(
        [sys.executable, "-c", _REPLAY, str(file)],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    p50, p95 = map(float, done.stdout.split())
    return p50, p95


if __name__ == "__main__":
    main()
