"""What a builder is given, and how one is found by its place."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from sayso.adapters.program import AgentProgram


@dataclass(frozen=True, slots=True)
class Turn:
    """One reply of the scripted model: words, then calls, all at once."""

    say: str = ""
    #: Tool and arguments; a text is what the model wrote in their place, however malformed.
    calls: Sequence[tuple[str, Mapping[str, JsonValue] | str]] = ()

    @property
    def whole_calls(self) -> list[tuple[str, Mapping[str, JsonValue]]]:
        """The calls for a framework whose models give arguments as objects."""
        return [(name, args) for name, args in self.calls if not isinstance(args, str)]


#: After its turns the model says "Results: " and every result it was given, in order.
Script = Sequence[Turn]
Builder = Callable[[Script], AgentProgram]


def as_written(arguments: Mapping[str, JsonValue] | str) -> str:
    """Return a call's arguments as its model writes them."""
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


@dataclass(frozen=True, slots=True)
class Idiom:
    """One of the framework's own ways to ask a person, as its documentation writes it."""

    #: "path/to/file.py:function", a builder.
    builder: str
    #: What its card is called, or the tool that it is about.
    title: str
    #: How a person answers it, and what the agent says then.
    answer: Mapping[str, object]
    said: str
    #: What its tools have done once it is answered.
    done: Sequence[str] = ()
    script: Script = ()


def load_builder(place: str) -> Builder:
    """Return the builder at "path/to/file.py:function"."""
    path, _, name = place.rpartition(":")
    spec = importlib.util.spec_from_file_location("adapter_builders", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["adapter_builders"] = module
    spec.loader.exec_module(module)
    builder: Builder = getattr(module, name)
    return builder
