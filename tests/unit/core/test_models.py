"""What the core's models and records say stays as it was said, and what nobody says has a name."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

from pydantic import BaseModel

import sayso.core
from sayso.core.segments import Capabilities


def kinds_of(kind: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for one in kind.__subclasses__():
        yield one
        yield from kinds_of(one)


def test_no_model_of_the_core_can_be_changed() -> None:
    for module in pkgutil.walk_packages(sayso.core.__path__, "sayso.core."):
        importlib.import_module(module.name)
    ours = {it for it in kinds_of(BaseModel) if it.__module__.startswith("sayso.core.")}
    assert len(ours) > 50
    assert [it.__name__ for it in ours if not it.model_config.get("frozen")] == []


def test_an_adapter_that_names_no_limit_is_held_to_everything() -> None:
    assert set(Capabilities().as_json().values()) == {True, "all"}
