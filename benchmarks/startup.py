"""What it costs to import, and to be up."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time

from benchmarks.work import ROOT, server, spread, table

REPETITIONS = 7


def main() -> None:
    rows = [
        ("python, nothing imported", _import("pass")),
        ("import sayso", _import("import sayso")),
        ("import uvicorn, starlette", _import("import uvicorn, starlette.applications")),
    ]
    times = []
    for _ in range(REPETITIONS):
        with tempfile.TemporaryDirectory() as place:
            begun = time.perf_counter()
            with server("benchmarks.product", place):
                times.append((time.perf_counter() - begun) * 1000)
    rows.append(("exec → healthy", f"{spread(times)} ms"))
    table(f"starting, median (p10 .. p90) of {REPETITIONS}", rows)


def _import(statement: str) -> str:
    times = []
    for _ in range(REPETITIONS):
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", statement], cwd=ROOT, check=True)
        times.append((time.perf_counter() - begun) * 1000)
    return f"{spread(times)} ms"
