"""What a builder is given, and how one is found by its place."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from sayso.adapters.base import AgentProgram


@dataclass(frozen=True, slots=True)
class Turn:
    """One reply of the scripted model: words, then calls, all at once."""

    say: str = ""
    calls: Sequence[tuple[str, Mapping[str, JsonValue]]] = ()


#: After its turns the model says "Results: " and every result it was given, in order.
Script = Sequence[Turn]
Builder = Callable[[Script], AgentProgram]


def load_builder(place: str) -> Builder:
    """The builder at "path/to/file.py:function"."""
    path, _, name = place.rpartition(":")
    spec = importlib.util.spec_from_file_location("adapter_builders", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["adapter_builders"] = module
    spec.loader.exec_module(module)
    builder: Builder = getattr(module, name)
    return builder
