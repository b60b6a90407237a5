"""What the server says is a code with parameters: every language has it, with the same parameters,
and the page says what the terminal says (web/packages/core/src/messages.test.ts reads the same
`tests/vectors/said/messages.json`, which `UPDATE=1` writes)."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sayso.core import errors
from sayso.core.messages import (
    LANGUAGES,
    SOURCE,
    SPOKEN_ONLY,
    catalogue,
    message,
    places_in,
    spoken,
    text_of,
)
from sayso.core.requirements import Source
from sayso.reading import lexicon
from sayso.server import problems

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests/vectors/said/messages.json"

#: What ends a program before there is a page, and the classes that others stand under.
NEVER_SHOWN = {
    *("error", "mistake", "recoverable", "critical"),
    *("no_server", "refused"),  # of the client, in a terminal or a program
    *("agent_not_loaded", "policy_invalid", "database_too_new", "database_in_use", "port_taken"),
}
#: Codes that are put together: the rest of each is a word that the wire names.
MADE = {
    *(f"source.{source.value}" for source in Source),
    *(f"value.{unit}" for unit in ("weeks", "days", "hours", "minutes", "yes", "no")),
    *(f"effect.{word}" for word in ("was_approved", "was_started", "ran_after_all")),
    *(f"effect.{word}" for word in ("did_not_run", "said_run_again", "said_skip")),
    "effect.said_mark_done",
    *(f"gate.{word}" for word in ("ready", "ready_to_do", "missing", "missing_to_do")),
    *(f"gate.{word}" for word in ("value", "value_assumed", "do_both", "do_all")),
}

_CODE = re.compile(r"[a-z]+\.[a-z_]+")

_ONE_DAY = message("gate.value", label="Days", value=message("value.days", n=1))
_AT = "2026-11-22T10:02:03+00:00"
SAID = [
    message("gate.details_needed", questions=["Where to?", "For how long?"]),
    message(
        "gate.known",
        actions=[message("gate.your", title=title) for title in ("list", "plan", "budget")],
        phrases=["write it", message("gate.do_all")],
    ),
    message("gate.ask_verb", verbs=["wire the money", "tell them"]),
    message(
        "gate.would_use",
        values=[_ONE_DAY],
    ),
    message("value.days", n=10),
    message("settled.changed", ended=message("settled.approved", name="Pay"), fields=["a", "b"]),
    message("settled.changed_many", ended=message("settled.approved", name="Pay"), n=3),
    message("problem.for_others", title="Pay", people=["ana", "ben", "eva"]),
    message("problem.settled", id="i1", how=message("state.expired")),
    message(
        "problem.settled_at",
        id="i1",
        how=message("state.completed"),
        at=_AT,
    ),
    message("field.one_of", options=["x", "y", "z"]),
    message("field.too_short", limit=1),
    message("run.started_over"),
]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_the_same_codes_with_the_same_parameters(language: str) -> None:
    source, other = catalogue(SOURCE), catalogue(language)
    assert other.keys() == source.keys()
    differing = [code for code in source if places_in(other[code]) != places_in(source[code])]
    assert differing == []
    broken = [code for code, text in other.items() if _braces(text) != 0 or not text.strip()]
    assert broken == []


#: What the page alone says of the gate, beside the conversation.
_ON_THE_PAGE = ("gate.ready", "gate.missing", "gate.cannot_be")


@pytest.mark.parametrize("language", SPOKEN_ONLY)
def test_what_the_gate_says_it_says_in_every_language_that_it_understands(language: str) -> None:
    source, other = catalogue(SOURCE), catalogue(language)
    own = {code for code in source if code.startswith(("gate.", "value."))}
    assert other.keys() == {code for code in own if not code.startswith(_ON_THE_PAGE)} | {
        "gate.ready_when"
    }
    assert [c for c in other if places_in(other[c]) != places_in(source[c])] == []
    assert [c for c, text in other.items() if _braces(text) != 0 or not text.strip()] == []


def test_the_gate_speaks_all_languages_that_it_understands() -> None:
    assert {*SPOKEN_ONLY, "en", "zh"} == {*lexicon.LANGUAGES}
    said = message("gate.noted", values=["Rom", message("value.days", n=1)])
    assert spoken(said, "de") == "Notiert: Rom, 1 Tag."
    assert spoken(message("value.days", n=2), "ja") == "2日間"
    assert spoken(said, "zh") == "已记下：Rom、1 天。"
    assert spoken(said, "en") is said


def test_every_code_that_python_sends_is_in_the_catalogue() -> None:
    known = catalogue(SOURCE).keys()
    parts = {code.rpartition(".")[0] for code in known}
    sent = set(_codes_of("message")) | MADE
    assert {code for code in sent if code not in known} == set()
    assert {code for code in _codes_of("parts_of") if code not in parts} == set()
    assert len(sent) > 60


def test_every_problem_is_in_the_catalogue() -> None:
    codes = {each.code for each in _all_of(errors.SaysoError)} - NEVER_SHOWN
    codes |= {code for code, *_ in problems._REFUSALS.values()}
    codes |= set(re.findall(r'problem\(\s*\d+,\s*"(\w+)"', Path(problems.__file__).read_text()))
    known = catalogue(SOURCE)
    assert [c for c in sorted(codes) if f"{c}.title" not in known or f"{c}.text" not in known] == []


def test_a_code_that_is_unknown_or_lacks_a_parameter_shows_the_stored_text() -> None:
    assert text_of("from.the.future", {}, "zh-Hans", stored="As it stands") == "As it stands"
    assert text_of("gate.not_done", {}, "zh-Hans", stored="As it stands") == "As it stands"
    assert text_of(None, None, "zh-Hans", stored="As it stands") == "As it stands"
    with pytest.raises(KeyError):
        message("gate.not_done")


def test_the_vectors_that_the_page_is_held_to_are_current() -> None:
    written = json.dumps(_vectors(), ensure_ascii=False, indent=1) + "\n"
    if os.environ.get("UPDATE"):
        VECTORS.write_text(written)
    assert VECTORS.read_text() == written, "run UPDATE=1 pytest tests/public/test_messages.py"


def _vectors() -> list[dict[str, Any]]:
    return [
        {
            **said.as_json(),
            "says": {
                language: text_of(said.code, said.params, language, stored=str(said))
                for language in LANGUAGES
            },
        }
        for said in SAID
    ]


def _braces(text: str) -> int:
    return text.count("{") - text.count("}")


def _codes_of(function: str) -> Iterator[str]:
    """The codes that are written out where this function is called; of an f-string none."""
    for path in (ROOT / "src/sayso").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(
                    func=ast.Name(id=name) | ast.Attribute(attr=name), args=[code, *_]
                ) if name == function and not isinstance(code, ast.JoinedStr):
                    yield from filter(_CODE.fullmatch, _texts_in(code))


def _texts_in(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value


def _all_of(base: type[errors.SaysoError]) -> Iterator[type[errors.SaysoError]]:
    yield base
    for each in base.__subclasses__():
        if each.__module__.startswith("sayso."):
            yield from _all_of(each)
