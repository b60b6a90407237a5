"""`make mutants`: change one place of a file that decides, and see whether a test of it fails.

What a person consents to rests on these files, so a line of them that may be changed unseen is a
line without a promise. Each mutant runs in a copy of the tree, against the tests that the table
names for its file; one that nothing kills is a missing test, or has its reason in
`tests/mutants/explained.txt`. `MUTANTS=n` draws more, `MUTANTS_SEED=n` the same ones again,
`MUTANTS_OF=core/answers,store/` those of some files.
"""

from __future__ import annotations

import ast
import importlib
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "tests/mutants/table.toml"
EXPLAINED = ROOT / "tests/mutants/explained.txt"
HOW_MANY = 200  # should end in less than half an hour on two cores that are free
SIDE_BY_SIDE = 2
#: Many times what the slowest row of the table takes where nothing is changed.
MOST_SECONDS = 180

_SWAPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE,
    ast.GtE: ast.Gt, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_OTHER: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.BitAnd: ast.BitOr,
}  # fmt: skip
#: Arguments that hold words for people, and nothing else.
_WORDS = {"fix", "suggestion"}
#: What decides is drawn three times as often as what only tells.
DECIDES, TELLS = 3, 1
_SOURCES, _CONSOLE = "src/sayso", "src/sayso/console/static"
#: What a mutant's process need not import again: all that is not of this tree.
_IMPORTED_BEFORE = (
    "alembic",
    "anyio.pytest_plugin",
    "fastapi",
    "httpx",
    "hypothesis",
    "jsonschema_rs",
    "mcp",
    "pydantic",
    "sqlalchemy",
)
_Found = tuple[ast.expr | ast.stmt, str, int]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one file: these bytes of it become that text."""

    file: str
    line: int
    start: int
    end: int
    was: str
    text: str
    weight: int

    def of(self, source: bytes) -> bytes:
        return source[: self.start] + self.text.encode() + source[self.end :]

    def told(self, source: bytes) -> str:
        """Where it is, the line as it was, and what changed from where it differs."""
        at = source.splitlines()[self.line - 1].decode().strip()
        now = self.text.removeprefix("(").removesuffix(")")
        differs = (n for n, (a, b) in enumerate(zip(self.was, now, strict=False)) if a != b)
        same = max(next(differs, min(len(self.was), len(now))) - 20, 0)
        changed = f"{self.was[same:][:80]} -> {now[same:][:80]}"
        return f"{self.file}:{self.line}: {at[:60]} | {changed}"

    def name(self, source: bytes) -> str:
        """As the explained ones are known: without a line number, which moves."""
        return self.told(source).replace(f":{self.line}:", ":", 1)


def mutants_of(file: str, source: bytes) -> Iterator[Mutant]:
    starts = [0, *itertools.accumulate(len(line) for line in source.splitlines(keepends=True))]
    for node, text, weight in _changes(ast.parse(source)):
        start = starts[node.lineno - 1] + node.col_offset
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        end = starts[node.end_lineno - 1] + node.end_col_offset
        yield Mutant(file, node.lineno, start, end, ast.unparse(node), text, weight)


def _changes(node: ast.AST) -> Iterator[_Found]:
    # Words for people, types, and what a check of the types alone would notice, are no decisions.
    if isinstance(node, ast.JoinedStr | ast.Assert | ast.arguments | ast.Import | ast.ImportFrom):
        return
    if isinstance(node, ast.expr):
        yield from _of_expression(node)
    if isinstance(node, ast.stmt):
        yield from _of_statement(node)
    if isinstance(node, ast.comprehension):
        yield from ((test, "True", DECIDES) for test in node.ifs)
    skipped = {"annotation", "returns", "decorator_list", "type_params"}
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and name not in skipped:
                yield from _changes(child)


def _of_expression(node: ast.expr) -> Iterator[_Found]:
    match node:
        case ast.Compare(ops=[op]):
            yield node, _text(ast.Compare(node.left, [_SWAPPED[type(op)]()], node.comparators)), 3
        case ast.BoolOp(op=op, values=values):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield node, _text(ast.BoolOp(other, values)), DECIDES
            for n in range(len(values)):
                rest = values[:n] + values[n + 1 :]
                yield node, _text(rest[0] if len(rest) == 1 else ast.BoolOp(op, rest)), DECIDES
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield node, _text(operand), DECIDES
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield node, _text(left), DECIDES
            yield node, _text(right), DECIDES
        case ast.BinOp(op=op) if type(op) in _OTHER:
            yield node, _text(ast.BinOp(node.left, _OTHER[type(op)](), node.right)), TELLS
        case ast.IfExp(body=body, orelse=orelse):
            yield node, _text(body), DECIDES
            yield node, _text(orelse), DECIDES
        case ast.Constant(value=bool() as value):
            yield node, str(not value), DECIDES
        case ast.Constant(value=int() as value):
            yield node, _text(ast.Constant(value + 1)), TELLS
        case ast.List(elts=parts) if any(isinstance(part, ast.Starred) for part in parts):
            for n in range(len(parts)):
                yield node, _text(ast.List(parts[:n] + parts[n + 1 :], ast.Load())), DECIDES
        case ast.Call(func=func, args=args, keywords=keywords):
            if isinstance(func, ast.Attribute) and func.attr in {"where", "and_"} and args[1:]:
                for n in range(len(args)):
                    yield node, _text(ast.Call(func, args[:n] + args[n + 1 :], keywords)), DECIDES
            for n in (n for n, one in enumerate(keywords) if one.arg not in _WORDS):
                yield node, _text(ast.Call(func, args, keywords[:n] + keywords[n + 1 :])), TELLS
        case _:
            return


def _of_statement(node: ast.stmt) -> Iterator[_Found]:
    match node:
        case ast.If(test=test) | ast.While(test=test):
            yield test, "False", DECIDES
            if isinstance(node, ast.If):
                yield test, "True", DECIDES
        case ast.Expr(value=ast.Constant()):
            return
        case ast.Expr() | ast.Raise() | ast.AugAssign() | ast.Continue():
            yield node, "pass", DECIDES
        case ast.Return(value=value) if value is not None and not isinstance(value, ast.Constant):
            yield node, "return None", TELLS
        case _:
            return


def _text(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"


def run_all(
    drawn: list[Mutant],
    table: dict[str, list[str]],
    home: Path,
    seed: int,
    *,
    most_seconds: int = MOST_SECONDS,
) -> Iterator[tuple[Mutant, str]]:
    """Each mutant and what became of it, as they end."""
    idle = [_copied(home / str(n)) for n in range(SIDE_BY_SIDE)]
    going: dict[int, tuple[Mutant, Path, float]] = {}
    left = list(reversed(drawn))
    while left or going:
        while left and idle:
            mutant, tree = left.pop(), idle.pop()
            pid = os.fork()
            if pid == 0:
                _test(mutant, table[mutant.file], tree, seed)
            going[pid] = mutant, tree, time.monotonic() + most_seconds
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            for late, (_, _, until) in going.items():
                if time.monotonic() > until:
                    os.killpg(late, signal.SIGKILL)
            time.sleep(0.05)
            continue
        mutant, tree, _ = going.pop(pid)
        shutil.copy2(ROOT / _SOURCES / mutant.file, tree / _SOURCES / mutant.file)
        idle.append(tree)
        if os.WIFSIGNALED(status):
            yield mutant, "timed out"
        else:
            yield mutant, "survived" if os.waitstatus_to_exitcode(status) == 0 else "killed"


def _copied(tree: Path) -> Path:
    command = ["git", "ls-files", "-coz", "--exclude-standard", "--", ".", ":!web"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    console = [one.relative_to(ROOT) for one in (ROOT / _CONSOLE).rglob("*") if one.is_file()]
    for file in [*map(Path, filter(None, listed.stdout.split("\0"))), *console]:
        (tree / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / file, tree / file)
    return tree


def _test(mutant: Mutant, targets: list[str], tree: Path, seed: int) -> NoReturn:
    """In a process of its own, which has imported all but Sayso: run the tests and end."""
    code = 2
    try:
        os.setsid()
        path = tree / _SOURCES / mutant.file
        path.write_bytes(mutant.of(path.read_bytes()))
        os.chdir(tree)
        sys.path[:0] = [str(tree / "src"), str(tree)]
        sys.dont_write_bytecode = True
        os.environ |= {"PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        said = os.open(
            tree.parent / f"{mutant.file.replace('/', '.')}.txt",
            os.O_WRONLY | os.O_CREAT | os.O_TRUNC,
        )
        os.dup2(said, 1)
        os.dup2(said, 2)
        hang = f"faulthandler_timeout={MOST_SECONDS // 3}"
        early = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"
        options = [
            "-xq",
            "-W",
            early,
            "-o",
            hang,
            "-p",
            "no:cacheprovider",
            f"--hypothesis-seed={seed}",
        ]
        code = int(pytest.main([*options, *targets]))
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _is_green(files: list[str], table: dict[str, list[str]], home: Path, seed: int) -> bool:
    """Where nothing is changed all these tests pass, or nothing would be told by one that fails."""
    targets = sorted({target for file in files for target in table[file]})
    halves = {file: targets[n :: len(files[:2])] for n, file in enumerate(files[:2])}
    unchanged = [Mutant(file, 1, 0, 0, "", "", 1) for file in halves]
    failed = [
        m
        for m, result in run_all(unchanged, halves, home, seed, most_seconds=900)
        if result != "survived"
    ]
    for mutant in failed:
        print((home / f"{mutant.file.replace('/', '.')}.txt").read_text()[-2000:])
        print("The tests fail where nothing is changed.")
    return not failed


def main() -> int:
    table: dict[str, list[str]] = tomllib.loads(TABLE.read_text())
    sources = {file: (ROOT / _SOURCES / file).read_bytes() for file in table}
    chosen = os.environ.get("MUTANTS_OF", "").split(",")
    every = [
        m
        for file in table
        if any(c in file for c in chosen)
        for m in mutants_of(file, sources[file])
    ]
    seed = int(os.environ.get("MUTANTS_SEED") or random.SystemRandom().randrange(10**6))
    rng = random.Random(seed)
    every.sort(key=lambda mutant: rng.random() ** (1 / mutant.weight), reverse=True)
    drawn = every[: int(os.environ.get("MUTANTS") or HOW_MANY)]
    reasons = dict(
        line.split("  # ", 1) for line in EXPLAINED.read_text().splitlines() if "  # " in line
    )
    print(f"{len(drawn)} of {len(every)} mutants, MUTANTS_SEED={seed}", flush=True)
    for name in _IMPORTED_BEFORE:
        importlib.import_module(name)
    ended: Counter[str] = Counter()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutants") as home:
        if not _is_green(sorted({m.file for m in drawn}), table, Path(home), seed):
            return 2
        for mutant, result in run_all(drawn, table, Path(home), seed):
            source = sources[mutant.file]
            is_explained = result == "survived" and mutant.name(source) in reasons
            ended["explained" if is_explained else result] += 1
            if result != "killed" and not is_explained:
                print(f"{result}: {mutant.told(source)}", flush=True)
    told = ", ".join(f"{n} {result}" for result, n in sorted(ended.items()))
    print(f"{told}; {time.monotonic() - began:.0f} s, MUTANTS_SEED={seed}")
    return 1 if ended["survived"] else 0


if __name__ == "__main__":
    sys.exit(main())
