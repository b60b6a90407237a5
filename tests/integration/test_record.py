"""The record tells the truth, as a clerk at the demo's desk reads it: chat, inbox, history, CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

import pytest

from tests.integration.programs import sayso
from tests.integration.test_demo import Demo, Json, running, until


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with running(tmp_path_factory.mktemp("record")) as started:
        yield started


def approve(demo: Demo, card: Json, **data: object) -> Json:
    digest = card["payload"]["sayso"]["digest"]
    body = {"approved": True, "response_data": data, "metadata": {"digest": digest}}
    return demo.answer(card, body)


def receipt(demo: Demo, card: Json) -> Json:
    """What the chat knows of a card, once its outcome is known."""

    def there() -> Json | None:
        for message in demo.get(f"/api/chats/{card['chat_id']}")["messages"]:
            tool: Json = message["metadata"].get("ui_tool", {})
            if tool.get("event_id") == card["interaction_id"] and "outcome" in tool:
                return tool
        return None

    return until(there)


def entry(demo: Demo, card: Json) -> Json:
    """The card in all lists of what was decided; they say the same."""
    inbox = demo.get("/api/interactions", {"order": "settled", "chat": card["chat_id"]})
    [row] = [it for it in inbox["interactions"] if it["interaction_id"] == card["interaction_id"]]
    history = demo.get("/api/history", {"chat": card["chat_id"]})["entries"]
    [found] = [it for it in history if it["interaction_id"] == card["interaction_id"]]
    assert row["outcome"] == demo.get(f"/api/interactions/{card['interaction_id']}")["outcome"]
    assert found["outcome"] == row["outcome"]["state"]
    lines = demo.http.get("/api/history.jsonl", params={"chat": card["chat_id"]}).text.splitlines()
    assert found in [json.loads(line) for line in lines]
    entry_found: Json = found
    return entry_found


def in_csv(demo: Demo, card: Json) -> dict[str, str]:
    text = demo.http.get("/api/history.csv", params={"chat": card["chat_id"]}).text
    lines = text.removeprefix("\ufeff").splitlines()
    assert all(line.startswith('"') and line.endswith('"') for line in lines)
    table = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    [row] = [row for row in table if row["interaction_id"] == card["interaction_id"]]
    return row


def test_what_was_paid_is_what_every_list_says(demo: Demo) -> None:
    chat = demo.say("refund order 1005")
    [card] = demo.open_cards(chat)
    assert card["title"] == "Refund €32.40 for order 1005"
    approve(demo, card, edits={"amount": 5})
    demo.ended(chat)
    assert ("1005", 500) in demo.refunds
    outcome = receipt(demo, card)["outcome"]
    changed = [{"path": "amount", "before": 32.4, "after": 5}]
    assert outcome["state"] == "ran"
    assert outcome["title"] == "Refund €5.00 for order 1005"
    assert outcome["changed"] == changed
    found = entry(demo, card)
    assert found["title"] == "Refund €5.00 for order 1005"
    assert (found["decision"], found["outcome"]) == ("approve", "ran")
    assert found["changes"] == changed
    assert found["ran_arguments"]["amount"] == 5
    assert found["executed_digest"] not in (None, found["digest"])
    row = in_csv(demo, card)
    assert row["title"] == "Refund €5.00 for order 1005"
    assert row["proposed_title"] == "Refund €32.40 for order 1005"
    assert (row["outcome"], row["settled_by"]) == ("ran", "you")
    assert json.loads(row["changes"]) == changed


def test_what_the_tool_refused_is_never_called_done(demo: Demo) -> None:
    chat = demo.say("refund order 1009")
    [card] = demo.open_cards(chat)
    body = {
        "approved": True,
        "response_data": {"edits": {"amount": 50}},
        "metadata": {"digest": card["payload"]["sayso"]["digest"]},
    }
    demo.answer(card, body)
    outcome = receipt(demo, card)["outcome"]
    assert outcome["state"] == "not_run"
    words = "€50.00 is more than can be paid back for order 1009. At most €43.20"
    assert outcome["error"].startswith(words)
    assert entry(demo, card)["outcome"] == "not_run"
    assert in_csv(demo, card)["outcome"] == "not_run"
    assert [order for order, _ in demo.refunds if order == "1009"] == []


def test_an_approval_of_what_has_changed_did_not_run_and_its_revision_waits(demo: Demo) -> None:
    first, second = (demo.say("refund order 1010") for _ in range(2))
    [older], [newer] = demo.open_cards(first), demo.open_cards(second)
    approve(demo, newer)
    demo.ended(second)
    assert entry(demo, newer)["outcome"] == "ran"
    approve(demo, older)
    [revised] = demo.open_cards(first)
    assert revised["payload"]["sayso"]["revision"] == 2
    outcome = receipt(demo, older)["outcome"]
    assert outcome["state"] == "not_run"
    assert outcome["error"]
    found = entry(demo, older)
    assert (found["status"], found["decision"], found["outcome"]) == (
        "completed",
        "approve",
        "not_run",
    )
    assert len([order for order, _ in demo.refunds if order == "1010"]) == 1
    assert demo.get(f"/api/interactions/{revised['interaction_id']}")["outcome"] is None


def test_a_rejection_says_that_nothing_ran(demo: Demo) -> None:
    chat = demo.say("refund order 1001")
    [card] = demo.open_cards(chat)
    demo.answer(card, {"approved": False, "user_message": "=HYPERLINK(1)"})
    demo.ended(chat)
    found = entry(demo, card)
    assert (found["decision"], found["outcome"], found["reason"]) == (
        "reject",
        "not_run",
        "=HYPERLINK(1)",
    )
    assert in_csv(demo, card)["reason"] == "'=HYPERLINK(1)"


def test_every_approved_effect_names_its_person_and_both_digests(demo: Demo) -> None:
    lines = demo.get("/api/audit", {"limit": "200"})["entries"]
    effects = [line for line in lines if line["action"].startswith("effect.")]
    assert effects
    for line in effects:
        assert line["actor"] == "you", line
        assert line["body"]["shown_digest"]
        assert line["body"]["executed_digest"]
        assert line["body"]["interaction_id"]


def test_the_audit_reads_like_a_ledger(demo: Demo) -> None:
    chat = demo.say("refund order 1002")
    [card] = demo.open_cards(chat)
    approve(demo, card, edits={"amount": 3})
    demo.ended(chat)
    ran, decided, *_ = demo.get("/api/audit", {"chat": chat})["entries"]
    before = card["payload"]["tool_params"]["amount"]
    assert ran["ledger"] == {
        "who": "you",
        "what": f"Refund €3.00 for order 1002 (amount was {before})",
        "decision": "approved",
        "outcome": "ran",
    }
    assert decided["ledger"] == {
        "who": "you",
        "what": card["title"],
        "decision": "approved, with amount changed",
        "outcome": None,
    }
    listed = sayso("audit", "list", "--chat", chat, "--data", demo.data).stdout.splitlines()
    [line] = [line for line in listed if "effect.done" in line]
    for words in ("you", ran["ledger"]["what"], "approved", "ran"):
        assert words in line


def test_what_ran_unasked_names_the_rule(demo: Demo) -> None:
    chat = demo.say("fail softly")

    def there() -> list[Json] | None:
        lines: list[Json] = demo.get("/api/audit", {"chat": chat})["entries"]
        return [line for line in lines if line["action"].startswith("effect.")] or None

    [line] = until(there)
    assert line["body"]["rule"] == "no rule asked"
    assert line["ledger"]["decision"] == "not asked (no rule asked)"
