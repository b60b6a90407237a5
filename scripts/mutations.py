"""What may be changed in a file: one place of it becomes another text, and the rest stays."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

_SWAPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE,
    ast.GtE: ast.Gt, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_OTHER: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.BitAnd: ast.BitOr,
}  # fmt: skip
#: Arguments that hold words for people, and nothing else.
_WORDS = {"fix", "suggestion"}
#: `zip(..., strict=True)` states what is so of two lists that the code itself has made or compared;
#: no input breaks it, so no test can.
_STATES = ("zip", "strict")
#: A limit of so many stands for a size, and one more decides nothing.
_LARGE = 1000
#: What decides is drawn three times as often as what only tells.
DECIDES, TELLS = 3, 1
_Found = tuple[ast.expr | ast.stmt, str, int]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one file: these bytes of it become that text."""

    file: str
    line: int
    last_line: int
    start: int
    end: int
    was: str
    text: str
    weight: int

    def of(self, source: bytes) -> bytes:
        """The file with the change, and every other line where it was."""
        lost = "\n" * (self.last_line - self.line - self.text.count("\n"))
        is_statement = self.text in ("pass", "return None")
        text = self.text + lost if is_statement or not lost else f"({self.text}{lost})"
        return source[: self.start] + text.encode() + source[self.end :]

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
        lines = node.lineno, node.end_lineno
        yield Mutant(file, *lines, start, end, ast.unparse(node), text, weight)


def _changes(node: ast.AST) -> Iterator[_Found]:
    # Words for people, types, and what a check of the types alone would notice, are no decisions.
    if isinstance(node, ast.JoinedStr | ast.Assert | ast.arguments | ast.Import | ast.ImportFrom):
        return
    if isinstance(node, ast.Module):
        node.body = [statement for statement in node.body if not _is_alias(statement)]
    if isinstance(node, ast.expr):
        yield from _of_expression(node)
    if isinstance(node, ast.stmt):
        yield from _of_statement(node)
    if isinstance(node, ast.comprehension):
        yield from ((test, "True", DECIDES) for test in node.ifs)
    skipped = {"annotation", "returns", "decorator_list", "type_params"}
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and name not in skipped and not _states(node, child):
                yield from _changes(child)


def _is_alias(node: ast.stmt) -> bool:
    match node:
        case ast.Assign(value=ast.BinOp(op=ast.BitOr())):
            return True
        case _:
            return False


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
        case ast.Constant(value=int() as value) if value < _LARGE:
            yield node, _text(ast.Constant(value + 1)), TELLS
        case ast.List(elts=parts) if any(isinstance(part, ast.Starred) for part in parts):
            for n in range(len(parts)):
                yield node, _text(ast.List(parts[:n] + parts[n + 1 :], ast.Load())), DECIDES
        case ast.Call(func=func, args=args, keywords=keywords):
            if isinstance(func, ast.Attribute) and func.attr in {"where", "and_"} and args[1:]:
                for n in range(len(args)):
                    yield node, _text(ast.Call(func, args[:n] + args[n + 1 :], keywords)), DECIDES
            for n, one in enumerate(keywords):
                if one.arg in _WORDS or _states(node, one):
                    continue
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


def _states(call: ast.AST, keyword: ast.AST) -> bool:
    match call, keyword:
        case ast.Call(func=ast.Name(id=name)), ast.keyword(arg=arg):
            return (name, arg) == _STATES
        case _:
            return False


def _text(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"
