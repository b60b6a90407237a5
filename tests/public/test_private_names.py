"""Every private name of a framework that an adapter uses stands in docs/frameworks.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.adapters.registry import FRAMEWORKS
from scripts import reference

ADAPTERS = Path(__file__).parents[2] / "src/sayso/adapters"
WORDS = re.findall(r"`([\w.]+)`", reference.FRAMEWORKS.read_text("utf-8"))
LISTED = {part for word in WORDS for part in word.split(".") if part.startswith("_")}
#: Documented, whatever they look like.
PUBLIC = {"_getframe", "_replace"}
OWN_OBJECTS = {"self", "cls", "mine"}
BY_NAME = {"getattr", "hasattr", "setattr", "getattr_static"}


@pytest.mark.parametrize("key", [framework.key for framework in FRAMEWORKS])
def test_private_names_of_a_framework_are_listed(key: str) -> None:
    trees = [ast.parse(path.read_text("utf-8")) for path in (ADAPTERS / key).rglob("*.py")]
    own = {name for tree in trees for name in _defined(tree)}
    used = {name for tree in trees for name in _used(tree)}
    assert (
        sorted(name for name in used - own - LISTED - PUBLIC if not name.startswith("_sayso")) == []
    )


def _used(tree: ast.AST) -> Iterator[str]:
    """Yield the private names that are read of objects, or imported."""
    for node in ast.walk(tree):
        yield from (name for name in _names_in(node) if _is_private(name))


def _names_in(node: ast.AST) -> list[str]:
    match node:
        case ast.Attribute(value=ast.Name(id=holder)) if holder in OWN_OBJECTS:
            return []
        case ast.Attribute(attr=name):
            return [name]
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=given):
            found = [each.value for each in given if isinstance(each, ast.Constant)]
            return [one for one in found if isinstance(one, str)] if called in BY_NAME else []
        case ast.ImportFrom(module=str(module), names=names) if not module.startswith("sayso"):
            return [*module.split("."), *(alias.name for alias in names)]
        case _:
            return []


def _defined(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                yield name
            case _:
                pass


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")
