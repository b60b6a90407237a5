"""Tests against a changed function, without a new process's imports: milliseconds for a mutant.

pytest collects once. What each test runs of the watched files is learned first; then each mutant is
a fork in which the code of its function is exchanged, and which runs the tests that come by it.
"""

from __future__ import annotations

import ast
import gc
import importlib
import pickle
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType

import pytest
from hypothesis.internal.conjecture import engine

from scripts.forks import Job, side_by_side
from scripts.mutations import Mutant

#: A test that takes so much longer than where nothing is changed hangs.
LEAST_SECONDS, TIMES = 10, 10
#: A test of another file has to be so many times quicker to go first: it may hang, and not say why.
FAR = 10
_Line = tuple[str, int]
_Key = tuple[str, int, int]
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(slots=True)
class Learned:
    """What one test is, where nothing is changed."""

    seconds: float
    passed: bool
    lines: frozenset[_Line]


@dataclass(eq=False)
class InPlace:
    """A pytest plugin that runs mutants in the place of the tests."""

    sources: dict[str, Path]
    table: dict[str, list[str]]
    mutants: list[Mutant]
    home: Path
    side_by_side: int
    learned: dict[str, Learned] = field(default_factory=dict)
    fates: dict[Mutant, str] = field(default_factory=dict)
    #: Those that nothing has killed here and another import has to decide.
    undecided: list[Mutant] = field(default_factory=list)
    red: list[str] = field(default_factory=list)
    #: Which tests noticed a change of a function, and how often: they go first.
    killers: dict[_Line, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    calls: Calls = field(init=False)

    def __post_init__(self) -> None:
        self.calls = Calls(map(str, self.sources.values()))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        session.items = _once(session.items)
        engine.MAX_SHRINKS = 0  # that it fails is all that is asked, not with how little
        gc.unfreeze()
        watched = {file: _Watched(file, path) for file, path in self.sources.items()}
        sys.settrace(None)
        if any(file.startswith(_READS) for file in self.sources):
            _read_once()
        gc.freeze()
        self._learn(session, watched)
        if not self.red:
            self._try(session, watched)
        return True

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and report.longrepr:
            print(report.longreprtext)

    def _learn(self, session: pytest.Session, watched: dict[str, _Watched]) -> None:
        files: dict[Path, list[pytest.Item]] = defaultdict(list)
        for item in session.items:
            if item.nodeid not in self.learned:
                files[item.path].append(item)
        all_ = watched.values()
        jobs = (Job(partial(_learn, session, items, all_), items) for items in files.values())
        for job, status in side_by_side(jobs, self.side_by_side, self.home):
            told = job.home / _LEARNED
            if status != 0 or not told.exists():
                self.red.append(f"{job.items[0].path} ended with {status}\n{job.said()[-3000:]}")
                continue
            learned: dict[str, Learned] = pickle.loads(told.read_bytes())
            self.learned |= learned
            if red := [one for one, it in learned.items() if not it.passed]:
                self.red.append(f"{red}\n{job.said()[-3000:]}")

    def _try(self, session: pytest.Session, watched: dict[str, _Watched]) -> None:
        reaching: dict[_Line, list[int]] = defaultdict(list)
        for n, item in enumerate(session.items):
            for line in self.learned[item.nodeid].lines:
                reaching[line].append(n)
        seconds = [self.learned[item.nodeid].seconds for item in session.items]
        near = {
            file: {n for n, item in enumerate(session.items) if item.nodeid.startswith(tuple(row))}
            for file, row in self.table.items()
        }

        def job(mutant: Mutant) -> Job:
            one = watched[mutant.file]
            numbers = {n for line in one.lines(mutant) for n in reaching[mutant.file, line]}
            if not one.is_in_function(mutant):
                numbers |= near[mutant.file]  # what an import does is no line of any test
            killed, row = self.killers[one.place(mutant)], near[mutant.file]
            takes = {n: seconds[n] * (1 if n in row else FAR) for n in numbers}
            in_turn = sorted(numbers, key=lambda n: (-killed[n], takes[n]))
            items = [session.items[n] for n in in_turn]
            return Job(partial(self._run, session, items, one, mutant), items, mutant)

        number_of = {item.nodeid: n for n, item in enumerate(session.items)}
        for it, status in side_by_side(map(job, self.mutants), self.side_by_side, self.home):
            assert it.mutant is not None
            fate = _FATES.get(status, "killed" if status > 0 else "timed out")
            one = watched[it.mutant.file]
            if fate == "not in place":
                self.undecided.append(it.mutant)
            elif fate in ("survived", "not reached"):
                fate = "survived"
                if one.was_imported(it.mutant, self.calls):
                    self.undecided.append(it.mutant)
            self.fates[it.mutant] = fate
            if (killer := it.home / _KILLER).exists():
                self.killers[one.place(it.mutant)][number_of[killer.read_text()]] += 1
            if fate != "killed":
                print(f"{fate} in place: {it.mutant.told(one.source)}")
            if len(self.fates) % 100 == 0:
                print(f"{len(self.fates)} of {len(self.mutants)}", flush=True)

    def _run(
        self,
        session: pytest.Session,
        items: list[pytest.Item],
        watched: _Watched,
        mutant: Mutant,
        home: Path,
    ) -> int:
        try:
            if not watched.change(mutant):
                return _NOT_IN_PLACE
        except Exception:  # the module does not even load
            return 1
        if not items:
            return _NOT_REACHED
        for item, following in zip(items, [*items[1:], None], strict=True):
            signal.alarm(LEAST_SECONDS + int(TIMES * self.learned[item.nodeid].seconds))
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                (home / _KILLER).write_text(item.nodeid)
                return 1
        return 0


def _read_once() -> None:
    """Read a message in every language: word lists, patterns and the network take seconds, which
    each fork would spend anew."""
    readers, lexicon = map(importlib.import_module, ("tests.unit.reading.readers", _LEXICON))
    for language in lexicon.LANGUAGES:
        readers.intents("Hm, 1 -- hm?", pending=["checklist"], kind="card", language=language)


def _once(items: list[pytest.Item]) -> list[pytest.Item]:
    """What keeps the stores' contract in memory keeps it on a file: one of the two is enough."""
    ids = {item.nodeid for item in items}
    return [
        it for it in items if (other := it.nodeid.replace(*_ALIKE)) == it.nodeid or other not in ids
    ]


_ALIKE = "[sqlite", "[memory"
_READS, _LEXICON = ("reading/", "gate/"), "sayso.reading.lexicon"
_LEARNED, _KILLER, _PROBE = "learned", "killer", "__reached__"
_NOT_IN_PLACE, _NOT_REACHED = 77, 78
_FATES = {0: "survived", _NOT_IN_PLACE: "not in place", _NOT_REACHED: "not reached"}


def _learn(
    session: pytest.Session, items: list[pytest.Item], watched: Iterable[_Watched], home: Path
) -> int:
    seen: set[_Line] = set()
    for one in watched:
        one.tell(seen.add)
    session.config.option.tbstyle = "short"  # here a failure is read by a person
    learned: dict[str, Learned] = {}
    for item, following in zip(items, [*items[1:], None], strict=True):
        failed, began = session.testsfailed, time.monotonic()
        item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
        took = time.monotonic() - began
        learned[item.nodeid] = Learned(took, failed == session.testsfailed, frozenset(seen))
        seen.clear()
    (home / _LEARNED).write_bytes(pickle.dumps(learned))
    return 0


class Calls:
    """A tracer that notes which functions of these files are called, by their first lines."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.called: dict[str, set[int]] = {path: set() for path in paths}

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        code = frame.f_code
        if (called := self.called.get(code.co_filename)) is not None:
            called.add(code.co_firstlineno)

    def ran(self, path: Path, function: _Function) -> bool:
        decorated = [one.lineno for one in function.decorator_list]
        return min([function.lineno, *decorated]) in self.called[str(path)]


class _Watched:
    """A module of the tree, and the functions that live of it."""

    def __init__(self, file: str, path: Path) -> None:
        self.file, self.path = file, path
        self.source = path.read_bytes()
        self.tree = ast.parse(self.source)
        dotted = "sayso." + file.removesuffix(".py").replace("/", ".")
        self.module: ModuleType = importlib.import_module(dotted)
        assert self.module.__file__ == str(path)
        self.codes = _codes(compile(self.source, str(path), "exec"))
        self.functions: dict[_Key, list[FunctionType]] = defaultdict(list)
        keys = {code: key for key, code in self.codes.items()}
        for one in gc.get_objects():
            if type(one) is FunctionType and one.__code__.co_filename == str(path):
                self.functions[keys[one.__code__]].append(one)

    def tell(self, reached: Callable[[_Line], None]) -> None:
        """From now on each statement of a function tells that it is reached."""
        setattr(self.module, _PROBE, lambda line: reached((self.file, line)))
        tree = ast.fix_missing_locations(_Probes().visit(ast.parse(self.source)))
        assert self._exchange(compile(tree, str(self.path), "exec"))

    def change(self, mutant: Mutant) -> bool:
        """Whether it could be: what a class declares cannot."""
        changed = mutant.of(self.source)
        top = self._top(mutant)
        if isinstance(top, ast.ClassDef) and not self.is_in_function(mutant):
            return False
        if not self._exchange(compile(changed, str(self.path), "exec")):
            return False
        if not self.is_in_function(mutant) and not isinstance(top, ast.ClassDef):
            self._again(ast.parse(changed), self.tree.body.index(top))
        return True

    def lines(self, mutant: Mutant) -> set[int]:
        """The statements that a test has to reach."""
        if self.is_in_function(mutant):
            return {self._statement_at(mutant.line, mutant.last_line)}
        names = self._named(self.tree.body.index(self._top(mutant)))
        if not all(name.startswith("_") for name in names):
            return set(range(1, len(self.source.splitlines()) + 1))
        used = (it for it in ast.walk(self.tree) if isinstance(it, ast.Name) and it.id in names)
        return {self._statement_at(it.lineno, it.lineno) for it in used}

    def _statement_at(self, first: int, last: int) -> int:
        """The line of the innermost statement around these."""
        return max(
            node.lineno
            for node in ast.walk(self.tree)
            if isinstance(node, ast.stmt)
            and node.lineno <= first
            and last <= (node.end_lineno or 0)
        )

    def _exchange(self, code: CodeType) -> bool:
        """Give each living function its code in this one; False where one cannot take it."""
        codes = _codes(code)
        for key, functions in self.functions.items():
            for function in functions:
                if key in codes and codes[key] != function.__code__:
                    try:
                        function.__code__ = codes[key]
                    except ValueError:
                        return False
        return True

    def _top(self, mutant: Mutant) -> ast.stmt:
        return next(
            node
            for node in self.tree.body
            if node.lineno <= mutant.line and mutant.last_line <= (node.end_lineno or 0)
        )

    def is_in_function(self, mutant: Mutant) -> bool:
        return bool(self._functions_around(mutant))

    def was_imported(self, mutant: Mutant, by_imports: Calls) -> bool:
        """Whether an import has run it: what none has run is wholly in the code exchanged."""
        around = self._functions_around(mutant)
        return not around or any(by_imports.ran(self.path, one) for one in around)

    def place(self, mutant: Mutant) -> _Line:
        """The function it is in, or its statement."""
        around = self._functions_around(mutant)
        return self.file, (around[-1] if around else self._top(mutant)).lineno

    def _functions_around(self, mutant: Mutant) -> list[_Function]:
        """The outermost first."""
        return [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, _Function)
            and node.lineno <= mutant.line
            and mutant.last_line <= (node.end_lineno or 0)
        ]

    def _named(self, first: int) -> set[str]:
        """The names of this statement and of all later ones that are made of them."""
        names: set[str] = set()
        for node in self.tree.body[first:]:
            read = {it.id for it in ast.walk(node) if isinstance(it, ast.Name)}
            if node is self.tree.body[first] or read & names:
                names |= set(_targets(node))
        return names

    def _again(self, tree: ast.Module, first: int) -> None:
        names = self._named(first)
        before = {name: getattr(self.module, name) for name in names}
        for node in tree.body[first:]:
            if any(it in names for it in _targets(node)):
                only = compile(ast.Module([node], []), str(self.path), "exec", flags=_FUTURE)
                exec(only, self.module.__dict__)  # a line of this tree
        for module in list(sys.modules.values()):
            for name, was in before.items():
                if module is not self.module and getattr(module, "__dict__", {}).get(name) is was:
                    setattr(module, name, getattr(self.module, name))


_FUTURE = annotations.compiler_flag


class _Probes(ast.NodeTransformer):
    """Before each statement of a function a call with its line."""

    def __init__(self) -> None:
        self._depth = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.stmt:
        return self._function(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt:
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if self._depth and isinstance(block, list) and not isinstance(node, ast.ClassDef):
                setattr(node, name, [one for it in block for one in (_probe(it), it)])
        return node


def _probe(node: ast.stmt) -> ast.stmt:
    call = ast.Call(ast.Name(_PROBE, ast.Load()), [ast.Constant(node.lineno)], [])
    return ast.copy_location(ast.Expr(call), node)


def _targets(node: ast.stmt) -> list[str]:
    """The names that a statement gives a value to."""
    match node:
        case ast.Assign(targets=targets):
            return [it.id for it in targets if isinstance(it, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case _:
            return []


def _codes(code: CodeType) -> dict[_Key, CodeType]:
    found: dict[_Key, CodeType] = {}
    left = [code]
    while left:
        one = left.pop()
        number = 0
        while (key := (one.co_qualname, one.co_firstlineno, number)) in found:
            number += 1
        found[key] = one
        left.extend(reversed([it for it in one.co_consts if isinstance(it, CodeType)]))
    return found
