"""The life of an answer, as docs/explanation tells it, is the life of an answer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import sayso

ROOT = Path(__file__).parents[2]


def test_the_page_names_the_files_that_an_answer_passes(tmp_path: Path) -> None:
    # In a process of its own: a trace of this one would show what earlier tests left running.
    ran = subprocess.run(
        [sys.executable, "scripts/walk.py", "--check"],
        cwd=ROOT,
        env=os.environ
        | {"HOME": str(tmp_path), "PYTHONPATH": str(Path(sayso.__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
