"""The page says in other languages what the server says in English: it knows every code, and every
sentence as it is still said. (The gate's own card: tests/browser/test_languages.py.)"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from sayso.core import errors
from sayso.core.detect import validation_card
from sayso.core.effects import Effect, EffectState
from sayso.core.requirements import ActionNeed, ActionSpec, RequirementState, Slot
from sayso.gate import Requirements
from sayso.gate.actions import Action
from sayso.gate.outcome import Outcome
from sayso.gate.wording import reply, result_words
from sayso.server import problems
from sayso.tools import effects
from sayso.tools.masking import Mask

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "web/packages/core/src/serverWords.ts").read_text()

#: What ends a program before there is a page, and the classes that others stand under.
NEVER_IN_A_PAGE = {
    *("error", "mistake", "recoverable", "critical"),
    *("agent_not_loaded", "policy_invalid", "database_too_new", "database_in_use", "port_taken"),
}


def test_the_page_knows_every_problem_by_its_code() -> None:
    codes = {each.code for each in _all_of(errors.SaysoError)} - NEVER_IN_A_PAGE
    codes |= {code for code, *_ in problems._REFUSALS.values()}
    codes |= set(re.findall(r'problem\(\s*\d+,\s*"(\w+)"', Path(problems.__file__).read_text()))
    known = set(re.findall(r'case "(\w+)":', PAGE))
    assert sorted(codes - known) == []


def test_every_sentence_that_the_page_translates_is_still_said() -> None:
    said = set(_texts_of_the_server())
    whole = re.findall(r'(?:case|said ===) (".+ .+")[:)]', PAGE)
    translated = [json.loads(found) for found in whole]
    assert len(translated) > 5
    assert [sentence for sentence in translated if sentence not in said] == []


def test_every_title_and_reply_that_the_server_makes_has_a_form_in_the_page() -> None:
    forms = [re.compile(form) for form in re.findall(r"(?:among\(\w+, |= )/(\^.+?\$)/i?[,.]", PAGE)]
    made = [validation_card({"is_valid": is_valid}).title for is_valid in (True, False)]
    made += [result_words(outcome) for outcome in _outcomes()]
    wanted = RequirementState(requested=("walk",))
    made += [
        reply([walk], wanted) for walk in (_walk(), _walk(ActionNeed(field="pace", slot=_PACE)))
    ]
    for digest in ("sha256:1", None):
        card = effects._card(_begun(digest), Mask((), {}), "desk", None).card
        made += [card.title, card.agent_message]
    assert [title for title in made if not any(form.fullmatch(title) for form in forms)] == []


_PACE = Slot(name="pace", label="Pace", question="How fast?", schema={"type": "string"})


def _walk(*needs: ActionNeed) -> ActionSpec:
    return ActionSpec(name="walk", title="Walk", needs=needs, phrases=("plan the walk",))


def _outcomes() -> Iterator[Outcome]:
    action = Action(_walk(), Requirements, None, "")
    for status in ("rejected", "granted", "done"):
        yield Outcome(action=action, status=status)


def _begun(digest: str | None) -> Effect:
    return Effect(
        key="k",
        attempt=1,
        tool_name="refund",
        arguments={},
        state=EffectState.STARTED,
        shown_digest=digest,
        started_at=datetime(2026, 11, 22, tzinfo=UTC),
    )


def _all_of(base: type[errors.SaysoError]) -> Iterator[type[errors.SaysoError]]:
    yield base
    for each in base.__subclasses__():
        if each.__module__.startswith("sayso."):
            yield from _all_of(each)


def _texts_of_the_server() -> Iterator[str]:
    for path in (ROOT / "src/sayso").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
