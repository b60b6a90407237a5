"""Work in forks, some side by side: each has a folder, and leaves nothing running."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pytest

from scripts.mutations import Mutant


@dataclass
class Job:
    """What a fork does, in a folder of its own, with which tests and which change."""

    work: Callable[[Path], int]
    items: Sequence[pytest.Item] = ()
    mutant: Mutant | None = None
    home: Path = Path()

    def said(self) -> str:
        return (self.home / "said").read_text(errors="replace")


def side_by_side(jobs: Iterable[Job], most: int, home: Path) -> Iterator[tuple[Job, int]]:
    """Each job in a fork and a group of its own, and what became of it, as they end."""
    going: dict[int, Job] = {}
    for number, job in enumerate(jobs):
        job.home = home / f"job{number}"
        job.home.mkdir()
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            _fork(job)
        going[pid] = job
        if len(going) == most:
            yield from _one_ended(going)
    while going:
        yield from _one_ended(going)


def _one_ended(going: dict[int, Job]) -> Iterator[tuple[Job, int]]:
    pid, status = os.wait()
    job = going.pop(pid)
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)  # what it started and left
    yield job, os.waitstatus_to_exitcode(status)
    shutil.rmtree(job.home, ignore_errors=True)


def _fork(job: Job) -> NoReturn:
    code = 2
    try:
        os.setpgid(0, 0)  # and not a session: it keeps the priority it was started with
        said = os.open(job.home / "said", os.O_WRONLY | os.O_CREAT)
        os.dup2(said, 1)
        os.dup2(said, 2)
        for item in job.items[:1]:
            item.config._tmp_path_factory._basetemp = job.home  # type: ignore[attr-defined]
        code = job.work(job.home)
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)
