"""The lease heartbeat: a thread that renews the leases of what runs here, off every event loop."""

from __future__ import annotations

import threading
from collections.abc import Callable

from sayso.clock import elapsed
from sayso.core.errors import StoreMoved
from sayso.core.ports import Store
from sayso.engine.workers import WorkerHost
from sayso.logs import logger

log = logger("sayso.engine")


class LeaseHeartbeat:
    """Renews the leases of all segments that run here, and replaces a worker that is stuck."""

    def __init__(
        self, store: Store, owner: Callable[[], str], *, lease_seconds: float, host: WorkerHost
    ) -> None:
        self._store, self._owner, self._lease_seconds = store, owner, lease_seconds
        self._host = host
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._main, name="sayso-heartbeat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join(5)

    def _main(self) -> None:
        # Three beats in a lease: two may fail before anything is lost.
        while not self._stopped.wait(min(1.0, self._lease_seconds / 3)):
            try:
                self._renew()
                self._host.replace_if_stuck()
                self._store.look()
            except StoreMoved:
                continue  # the store has logged it
            except Exception as exc:  # the heartbeat must outlive a busy database
                log.warning("heart.missed", error=repr(exc))

    def _renew(self) -> None:
        worker = self._host.worker
        if worker is None:
            return
        now = elapsed()
        due = [s for s in worker.segments if s.deadline - now < self._lease_seconds * 2 / 3]
        if due:
            fences = [segment.claimed.fence for segment in due]
            held = self._store.renew_blocking(self._owner(), fences, self._lease_seconds)
            worker.renewed(held, now)
        worker.ping()
