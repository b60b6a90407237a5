"""Every program of examples/compat is in the table of docs/frameworks.md, which `make frameworks`
makes by running them."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import compat

PAGE = compat.PAGE.read_text("utf-8")


@pytest.mark.parametrize(
    "program", compat.programs(), ids=lambda p: p.relative_to(compat.PROGRAMS).as_posix()
)
def test_a_program_has_its_cell_and_its_play(program: Path) -> None:
    if f"examples/compat/{program.parent.name}/" not in PAGE:
        pytest.skip("this framework has no column yet: `make frameworks` makes it")
    assert f"](../{program.relative_to(compat.ROOT).as_posix()})" in PAGE
    play = compat.play_of(program)
    assert play.get("refused") or play["says"]
