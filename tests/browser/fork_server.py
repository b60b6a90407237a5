"""Starts `sayso` processes for tests by forking: what a start would import is imported once, and a
start costs a third of the time.

An order brings three files: the process's standard output, its standard error, and one that is told
its number and, once it is dead, how it ended.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypedDict

from sayso.core.extraction_ops import Reading
from sayso.reading.rule_extractor import operations_in

ROOT = Path(__file__).parents[2]
#: An order is short: an address, a folder, some settings.
ORDER_BYTES = 65_536


class Order(TypedDict):
    arguments: list[str]
    environment: dict[str, str]


def start(
    arguments: Sequence[str], environment: Mapping[str, str], files: tuple[int, int, int]
) -> None:
    """Start `sayso` with these files as its output, its errors and its report."""
    order = Order(arguments=list(arguments), environment=dict(environment))
    line = json.dumps(order).encode()
    assert len(line) < ORDER_BYTES
    socket.send_fds(_server(), [line], files)


@cache
def _server() -> socket.socket:
    """The fork server of this process; it ends when its socket is closed."""
    ours, its = socket.socketpair()
    with its:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.browser.fork_server"], cwd=ROOT, stdin=its.fileno()
        )

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def import_all() -> None:
    """Import what a server imports before it listens; none that is forked then collects it."""
    for module in (
        "sayso.adapters.function",
        "sayso.cli.serving",
        "sayso.gate.gated_program",
        "sayso.packs.support",
        "sayso.server.process",
        "sayso.store.migrations",
        "sayso.store.store",
        "uvicorn.lifespan.on",
        "uvicorn.protocols.http.httptools_impl",
        "uvicorn.protocols.websockets.auto",
    ):
        importlib.import_module(module)
    gc.freeze()


def main() -> None:
    # The words of the gate take a server half a second of its first message.
    operations_in(Reading(message="I want to travel", slots={}, actions=(), language="en"))
    import_all()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how an attendant ended
    with socket.socket(fileno=0) as orders:
        while True:
            line, files, _, _ = socket.recv_fds(orders, ORDER_BYTES, 3)
            if not line:
                return
            if os.fork() == 0:
                _attend(json.loads(line), *files)
            for file in files:
                os.close(file)


def _attend(order: Order, output: int, errors: int, report: int) -> None:
    """Stay beside one process, and tell its number and its end."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(output, 1)
    os.dup2(errors, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.close(output)
    os.close(errors)
    pid = os.fork()
    if pid == 0:
        os.close(report)
        _be_sayso(order)
    os.close(1)  # whoever reads it sees its end with that of the process
    os.write(report, f"{pid}\n".encode())
    _, status = os.waitpid(pid, 0)
    with suppress(BrokenPipeError):  # nobody may want to know any more
        os.write(report, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def _be_sayso(order: Order) -> None:
    from sayso.cli import main as sayso

    os.environ.clear()
    os.environ.update(order["environment"])
    sys.argv = ["sayso", *order["arguments"]]
    code = 1
    try:
        sayso()
    except SystemExit as exc:
        code = exc.code if isinstance(exc.code, int) else int(exc.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
