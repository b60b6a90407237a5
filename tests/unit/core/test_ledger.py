"""Lines of the audit that only a ledger's reader would find wrong."""

from __future__ import annotations

import pytest

from sayso.core.digest import JsonObject
from sayso.core.effects import SKIPPED
from sayso.core.ledger import ledger_line


@pytest.mark.parametrize(
    ("option", "words"),
    [("run_again", "run it again"), ("mark_done", "it was done"), ("skip", "skip it")],
)
def test_what_a_person_said_of_an_unclear_call_stands_in_the_line(option: str, words: str) -> None:
    said: JsonObject = {"approved": True, "response_data": {"selected_option": option}}
    body: JsonObject = {"card": "uncertain_effect", "title": "Did pay run?", "response": said}
    assert ledger_line("interaction.completed", "mara", body).decision == words


def test_no_edits_are_not_said_to_have_changed_anything() -> None:
    said: JsonObject = {"approved": True, "response_data": {"edits": {}}}
    body: JsonObject = {"card": "approval", "title": "Pay Tom", "response": said}
    assert ledger_line("interaction.completed", "mara", body).decision == "approved"


def test_a_skipped_call_is_not_said_not_to_have_run() -> None:
    body: JsonObject = {"tool_name": "pay", "arguments": {"to": "Tom"}, "error": SKIPPED}
    line = ledger_line("effect.not_executed", "mara", body)
    assert line.what == "pay(to=Tom)"
    assert line.outcome == f"unclear: {SKIPPED}"


def test_a_rule_and_what_ran_by_it_say_whose_it_is() -> None:
    said = "rule by ada, refund: amount ≤ 50"
    written = ledger_line("rule.written", "ada", {"title": said})
    assert (written.who, written.what, written.decision) == ("ada", said, "written")
    ran = ledger_line("effect.done", None, {"tool_name": "refund", "rule": said})
    assert (ran.decision, ran.outcome) == (f"not asked ({said})", "ran")
