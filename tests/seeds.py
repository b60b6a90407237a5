"""How long random tests look, and from which seed: a new one in each run, printed at its end.

`SAYSO_SEED=123` repeats a run, `SAYSO_SOAK=20` looks twenty times as long (`make soak`).
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

# Through the environment, so that the workers of pytest-xdist and child processes have the same.
os.environ.setdefault("SAYSO_SEED", str(random.SystemRandom().randrange(10**9)))

SEED = int(os.environ["SAYSO_SEED"])
SOAK = int(os.environ.get("SAYSO_SOAK") or 1)


def third_of(points: Sequence[T]) -> list[T]:
    """A third of what a long look takes whole, in its order and another one in each run."""
    if SOAK > 1:
        return list(points)
    drawn = set(random.Random(SEED).sample(range(len(points)), -(-len(points) // 3)))
    return [point for number, point in enumerate(points) if number in drawn]
