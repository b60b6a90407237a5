"""What the page on accessibility names as proof is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "docs/explanation/accessibility.md").read_text()


def test_every_test_that_is_named_exists() -> None:
    named = re.findall(r"`(test_\w+)::(test_\w+)`", TABLE)
    assert len(named) > 25
    missing = [
        f"{file}::{test}"
        for file, test in named
        if f"def {test}(" not in (ROOT / f"tests/browser/{file}.py").read_text()
    ]
    assert missing == []


def test_every_promise_has_a_row() -> None:
    rows = re.findall(r"^\| (\d+) \|", TABLE, re.MULTILINE)
    assert rows == [str(n) for n in range(1, 26)]
