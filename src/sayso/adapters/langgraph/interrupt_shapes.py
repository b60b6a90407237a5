"""What a graph's own code makes of an answer to its `interrupt()`: which fields it reads of it,
what words it compares it with, whether it is a yes or a no, or a number.

An interrupt says what it shows and not what it wants back, so a person could only guess. The code
says it: `interrupt({"query": q})["data"]` wants an object with `data`. Where it says nothing plain,
the card stays as it was; `interrupt(…, response_schema=…)` always says it better.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import FunctionType
from weakref import WeakKeyDictionary

from langgraph.types import interrupt
from pydantic import JsonValue

from sayso.adapters.langgraph.create_agent import Graph
from sayso.adapters.reach import functions_that_name


class ShapeKind(StrEnum):
    OBJECT = "object"
    YES_OR_NO = "yes_or_no"
    NUMBER = "number"
    CHOICE = "choice"


@dataclass(frozen=True)
class Shape:
    """What the code wants back."""

    kind: ShapeKind
    #: Of an object: its fields, with the words that each is compared with.
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: Those that it cannot do without.
    needed: tuple[str, ...] = ()
    #: Those that it takes for a yes or a no.
    flags: tuple[str, ...] = ()
    #: Of a choice: the words.
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Site:
    """One `interrupt()` in the code. `keys` and `text` say which value is its own, if they can."""

    keys: frozenset[str] | None
    text: str | None
    shape: Shape | None


def shape_for(graph: Graph, value: JsonValue) -> Shape | None:
    """Return what the code that interrupted with this value wants back; None where that is not
    plain."""
    if graph not in _known:
        _known[graph] = tuple(_sites(graph))
    sites = _known[graph]
    if isinstance(value, dict):
        mine = [site for site in sites if site.keys == frozenset(value)]
    else:
        mine = [site for site in sites if site.text is not None and site.text == value]
    mine = mine or [site for site in sites if site.keys is None and site.text is None]
    return mine[0].shape if mine and all(site.shape == mine[0].shape for site in mine) else None


_known: WeakKeyDictionary[Graph, tuple[_Site, ...]] = WeakKeyDictionary()


def _sites(graph: Graph) -> Iterator[_Site]:
    bodies = [node.bound for node in graph.nodes.values()]
    for function in functions_that_name(bodies, interrupt):
        tree = _tree(function)
        if tree is None:
            continue
        parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _called(node) == "interrupt" and node.args:
                keys, text = _shown(node.args[0])
                yield _Site(keys, text, _shape(node, _uses(node, tree, parents), parents))


def _tree(function: FunctionType) -> ast.AST | None:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return None


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _shown(value: ast.expr) -> tuple[frozenset[str] | None, str | None]:
    match value:
        case ast.Dict(keys=keys):
            names = [text for key in keys if key is not None for text in _text(key)]
            return (frozenset(names) if len(names) == len(keys) else None), None
        case ast.Constant(value=str() as text):
            return None, text
        case _:
            return None, None


def _uses(call: ast.Call, tree: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> list[ast.AST]:
    """Return where the answer is used: where it is called for, or each place of its name."""
    match parents.get(call):
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            pass
        case ast.NamedExpr(target=ast.Name(id=name)) as named:
            return [named, *_loads(name, tree)]
        case _:
            return [call]
    return _loads(name, tree)


def _loads(name: str, tree: ast.AST) -> list[ast.AST]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    ]


def _shape(asks: ast.Call, uses: list[ast.AST], parents: Mapping[ast.AST, ast.AST]) -> Shape | None:
    fields: dict[str, tuple[str, ...]] = {}
    words: list[str] = []
    needed: list[str] = []
    flags: list[str] = []
    kinds: set[str] = set()
    for use in uses:
        at = parents.get(use)
        match at:
            case ast.Subscript(slice=ast.Constant(value=str() as name)):
                fields[name] = (*fields.get(name, ()), *_compared(at, parents))
                needed += [] if _is_in_a_branch(at, asks, parents) else [name]
                flags += [name] if _is_tested(at, parents) else []
            case ast.Attribute(attr="get") if isinstance(call := parents.get(at), ast.Call):
                match call.args:
                    case [ast.Constant(value=str() as name), *_]:
                        fields[name] = (*fields.get(name, ()), *_compared(call, parents))
                        flags += [name] if _is_tested(call, parents) else []
                    case _:
                        kinds.add("other")
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.Name(id=kind)]):
                kinds.add("number" if kind in ("int", "float") else "typed")
            case ast.Compare():
                found = _compared(use, parents)
                words += found
                kinds.add("word" if found else "compared")
            case _ if _is_tested(use, parents):
                kinds.add("test")
            case _:
                kinds.add("other")
    if fields:
        choices = {name: tuple(dict.fromkeys(found)) for name, found in fields.items()}
        yes_or_no = tuple(name for name in dict.fromkeys(flags) if not choices[name])
        return Shape(ShapeKind.OBJECT, choices, tuple(dict.fromkeys(needed)), yes_or_no)
    if "number" in kinds:
        return Shape(ShapeKind.NUMBER)
    if kinds == {"word"}:
        return Shape(ShapeKind.CHOICE, words=tuple(dict.fromkeys(words)))
    if kinds == {"test"}:
        return Shape(ShapeKind.YES_OR_NO)
    return None


def _is_tested(use: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> bool:
    match parents.get(use):
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            return test is use
        case ast.UnaryOp(op=ast.Not()) | ast.BoolOp():
            return True
        case _:
            return False


def _is_in_a_branch(use: ast.AST, asks: ast.Call, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Tell whether the code may do without it: it stands behind a condition, and what asks for it
    does not."""
    around = set(_above(asks, parents))
    at = use
    for above in _above(use, parents):
        if above in around:
            return False
        if isinstance(above, ast.match_case):
            return True
        if isinstance(above, ast.If | ast.IfExp) and at is not above.test:
            return True
        at = above
    return False


def _above(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> Iterator[ast.AST]:
    above = parents.get(node)
    while above is not None:
        yield above
        above = parents.get(above)


def _compared(use: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> list[str]:
    """Return the words that something is compared with: `== "approve"`, `in ("yes", "y")`."""
    match parents.get(use):
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
            other = right if left is use else left
            return _text(other)
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[listed]):
            return [text for part in getattr(listed, "elts", ()) for text in _text(part)]
        case _:
            return []


def _text(node: ast.AST) -> list[str]:
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []
