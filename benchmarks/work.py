"""The work that is measured, and how: the same tokens for all, servers pinned to one core and the
client to another."""

from __future__ import annotations

import os
import resource
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

#: 300 tokens of 5 characters.
TOKENS = [f"{n:04d} " for n in range(300)]
ROOT = Path(__file__).parents[1]


@contextmanager
def server(module: str, *arguments: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A server process on the last core; gives its address (host:port) and the process."""
    port = _free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", module, str(port), *arguments],
        cwd=ROOT,
        preexec_fn=_pin_to_last_core,  # noqa: PLW1509  # no threads here
    )
    try:
        _until_up(port)
        yield f"127.0.0.1:{port}", process
    finally:
        process.kill()
        process.wait()


def pin_client() -> None:
    """This process on the first core, where there is more than one."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1:
        os.sched_setaffinity(0, {cores[0]})


def cpu_seconds(pid: int) -> float:
    """User and system time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int | None = None) -> float:
    """Resident memory of a process, or the peak of this one."""
    if pid is None:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def spread(values: Sequence[float]) -> str:
    """Median, 10th and 90th percentile."""
    ordered = sorted(values)
    low, high = ordered[len(ordered) // 10], ordered[len(ordered) * 9 // 10]
    return f"{statistics.median(ordered):8.2f}  ({low:.2f} .. {high:.2f})"


def table(title: str, rows: Sequence[tuple[str, str]]) -> None:
    print(f"\n{title}")
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"  {name:<{width}}  {value}")
    sys.stdout.flush()


def _pin_to_last_core() -> None:
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[-1]})


def _free_port() -> int:
    with socket.socket() as ear:
        ear.bind(("127.0.0.1", 0))
        return int(ear.getsockname()[1])


def _until_up(port: int, seconds: float = 30) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            if httpx.get(f"http://127.0.0.1:{port}/api/health").status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.01)
    raise TimeoutError(f"Nothing answered on port {port}.")
