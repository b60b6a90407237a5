"""The fork server of the contract's other processes: it imports a framework once, and each process
is a fork that has run no agent before.

`python -m sayso.testing.contract.fork_server BUILDER` reads one JSON list of files per line, runs
all of them at the same time, each in a process of its own, and prints how they ended: exit codes,
or minus the signal.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import traceback
from pathlib import Path

from sayso.testing.contract.lives import live_in
from sayso.testing.contract.script import load_builder

#: Our words to the test; what an agent itself prints goes to standard error.
REPORTS = os.dup(1)


def main(builder: str) -> None:
    os.dup2(2, 1)
    for module in ("sayso.store.store", "sayso.feed.local", "sayso.clock"):
        importlib.import_module(module)  # what a life would else spend its first second on
    load_builder(builder)(())
    gc.freeze()  # or each process would walk through the framework, and copy it, to collect
    for line in sys.stdin:
        pids = [_fork(Path(path)) for path in json.loads(line)]
        ended = [os.waitpid(pid, 0)[1] for pid in pids]
        codes = [os.waitstatus_to_exitcode(status) for status in ended]
        os.write(REPORTS, json.dumps(codes).encode() + b"\n")


def _fork(path: Path) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        live_in(path)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
