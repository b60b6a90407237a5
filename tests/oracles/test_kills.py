"""A program whose process is killed at any of its awaits is what it would be with plain calls.

The kills are real: SIGKILL to a real process, over a SQLite file that the next one opens.
"""

from __future__ import annotations

import json
import pickle
import random
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal

from sayso.testing.contract.harness import ForkServer
from tests.oracles import lives
from tests.oracles.lives import Life, Yeses
from tests.oracles.programs import Block, Call, Gather, Loop, Node, Try, Unless
from tests.oracles.test_journal import as_plain_calls, asked_as_often, lines_of
from tests.seeds import SEED, SOAK


def _block(*steps: Node) -> Block:
    return Block(steps)


PROGRAMS: dict[str, Block] = {
    "a look-up and two gated tools with one order": _block(
        Call("look_up"), Call("refund"), Call("cancel_subscription")
    ),
    "tools within tools": _block(Call("both"), Call("settle")),
    "the same beside itself": _block(Gather((Call("refund"), Call("refund"), Call("note")))),
    "tools that gather": _block(Call("close"), Unless(Call("refund"), Call("log"))),
    "the same again, and one that fails": _block(
        Loop(2, Call("note")), Try(Call("broken"), Call("wipe", None)), Call("ping", None)
    ),
}


#: To everything else the person says yes.
NOES: dict[str, Yeses] = {"tools that gather": {("refund", 7): 0}}


class Mortals:
    def __init__(self, folder: Path, zygote: ForkServer) -> None:
        self._folder, self._zygote, self._count = folder, zygote, 0

    def live(self, life: Life) -> Life | None:
        """The life as it has become; None when it was killed."""
        self._count += 1
        path = self._folder / f"life{self._count}"
        path.write_bytes(pickle.dumps(life))
        [code] = self._zygote.live([path])
        if code == -signal.SIGKILL:
            return None
        assert code == 0, "the other process ended badly; its words are above"
        lived: Life = pickle.loads(path.read_bytes())
        return lived


@pytest.fixture(scope="module")
def mortals(folder: Path) -> Iterator[Mortals]:
    with closing(ForkServer(f"{lives.__file__}:warm_up")) as zygote:
        yield Mortals(folder, zygote)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_kill_at_any_await(mortals: Mortals, portal: BlockingPortal, tmp_path: Path, name: str):
    program, yeses = PROGRAMS[name], NOES.get(name, {})
    plain = portal.call(as_plain_calls, program, yeses)
    whole = mortals.live(Life(tmp_path, "whole", program, yeses))
    assert whole is not None
    assert _seen(whole) == plain
    awaits = range(1, whole.passed + 1)
    for at in random.Random(SEED).sample(awaits, min(3 * SOAK, len(awaits))):
        name = f"at {at} of {len(awaits)}"
        assert mortals.live(Life(tmp_path, name, program, yeses, at=at)) is None, "it lived on"
        heir = mortals.live(Life(tmp_path, name, program, yeses))
        assert heir is not None
        assert _seen(heir) == plain, name
        left = Counter(json.loads(heir.left.read_text()))
        assert asked_as_often(program, heir.asked, left), f"{name}: {left}, {heir.asked}"


def _seen(life: Life) -> tuple[Any, Any]:
    return life.value, lines_of(life.ran, life.program)
