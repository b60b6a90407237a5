"""A loop that no processor is free for is slow, and not stuck."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from sayso.engine import workers
from sayso.engine.starvation import starved_seconds
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from tests.unit.engine.test_workers import Stuck, a_worker

BUSY = "import os\nos.sched_setaffinity(0, {%d})\nprint(flush=True)\nwhile True: pass"


@contextmanager
def a_busy_processor() -> Iterator[None]:
    """This thread and a process that never rests share one processor."""
    allowed = os.sched_getaffinity(0)
    one = min(allowed)
    other = subprocess.Popen([sys.executable, "-c", BUSY % one], stdout=subprocess.PIPE)
    try:
        assert other.stdout is not None
        other.stdout.readline()
        os.sched_setaffinity(0, {one})
        yield
    finally:
        os.sched_setaffinity(0, allowed)
        other.kill()
        other.communicate()


@pytest.mark.skipif(
    not os.path.exists("/proc/self/schedstat"), reason="The system counts no waiting."
)
def test_waiting_for_a_processor_is_counted() -> None:
    thread = threading.get_native_id()
    before = starved_seconds(thread)
    with a_busy_processor():
        while starved_seconds(thread) < before + 0.02:  # its end is what is tested
            pass
    assert starved_seconds(thread) > before


def test_a_thread_that_is_no_more_has_waited_for_nothing() -> None:
    ended = threading.Thread(target=lambda: None)
    ended.start()
    ended.join()
    task = f"/proc/self/task/{ended.native_id}"
    while os.path.exists(task):  # the system takes it down a moment after Python let it go
        time.sleep(0)
    assert ended.native_id is not None
    assert starved_seconds(ended.native_id) == 0


def test_a_loop_that_waits_for_a_processor_is_not_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    now, starved = 100.0, 3.0
    monkeypatch.setattr(workers, "elapsed", lambda: now)
    monkeypatch.setattr(workers, "starved_seconds", lambda _: starved)
    clock = FakeClock()
    worker = a_worker(SqlStore.in_memory(clock=clock), clock, Stuck())
    assert worker.silent_seconds == 0
    worker.ping()
    now, starved = 120.0, 18.0
    assert worker.silent_seconds == 5
    worker.ping()
    assert worker.silent_seconds == 5
