"""`make mutants`: what it may leave out, and what it may decide without another import."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path

from scripts import mutants
from scripts.mutants_in_place import Calls
from scripts.mutations import mutants_of

MODULE = """
from functools import cache

def shared(n):
    return n + 1

@cache
def asked_early(n):
    return shared(n)

def asked_late(n):
    return n + 2

LIMIT = asked_early(1)
"""


def test_every_reason_is_of_a_mutant_that_is_still_made() -> None:
    files = {name.partition(":")[0] for name in mutants.explanations()}
    made = {name for file in files for name in mutants.names_of(file).values()}
    assert mutants.explanations().keys() <= made


def test_every_picked_mutant_is_still_made() -> None:
    files = {name.partition(":")[0] for name in mutants.picked()}
    made = {name for file in files for name in mutants.names_of(file).values()}
    assert mutants.picked() <= made


def test_the_functions_that_an_import_runs_are_known(tmp_path: Path) -> None:
    path = tmp_path / "early.py"
    path.write_text(MODULE)
    calls = Calls([str(path)])
    spec = importlib.util.spec_from_file_location("early", path)
    assert spec is not None
    assert spec.loader is not None
    before = sys.gettrace()
    sys.settrace(calls)
    try:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    finally:
        sys.settrace(before)
    functions = [it for it in ast.parse(MODULE).body if isinstance(it, ast.FunctionDef)]
    assert [calls.ran(path, it) for it in functions] == [True, True, False]


def test_what_two_lists_state_of_each_other_is_no_decision() -> None:
    assert not list(mutants_of("x.py", b"x = list(zip(a, b, strict=True))"))
    assert list(mutants_of("x.py", b"x = open(a, mode=b, strict=True)"))
