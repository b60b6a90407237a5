"""`sayso inbox` and `sayso audit`: by a server or on the file, by options or by questions."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.programs import Served, Terminal, refused, sayso, serving


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("inbox") / "data"


@pytest.fixture(scope="module")
def server(data: Path) -> Iterator[Served]:
    with serving(data) as it:
        yield it


def test_nothing_waits(data: Path, server: Served):
    assert sayso("inbox", "--data", data).stdout == "Nothing waits for you.\n"


def test_no_sayso_in_this_folder(tmp_path: Path):
    assert "no database is there" in refused(sayso("inbox", "--data", tmp_path))
    sayso("db", "upgrade", "--data", tmp_path / "demo")
    assert f"--data {tmp_path / 'demo'}" in refused(sayso("inbox", "--data", tmp_path))


def test_a_list_for_people_and_for_scripts(data: Path, server: Served):
    _, card = server.ask("desk")
    listed = sayso("inbox", "--data", data).stdout
    assert card["interaction_id"] in listed
    assert card["title"] in listed
    shown = json.loads(sayso("inbox", "--data", data, "--json").stdout)
    assert shown["interactions"][-1] == card
    claimed = sayso("inbox", "claim", card["interaction_id"], "--note", "Asking", "--data", data)
    assert "✓ You are looking at it" in claimed.stdout
    assert "is looking at it (Asking)" in sayso("inbox", "--data", data).stdout
    sayso("inbox", "claim", card["interaction_id"], "--release", "--data", data)
    sayso("inbox", "snooze", card["interaction_id"], "--data", data)
    assert "put off until" in sayso("inbox", "--data", data).stdout
    assert "is looking" not in sayso("inbox", "--data", data).stdout


def test_an_answer_by_options(data: Path, server: Served):
    chat, card = server.ask("desk")
    no_reason = sayso("inbox", "answer", card["interaction_id"], "--reject", "--data", data)
    assert "needs a reason" in refused(no_reason)
    done = sayso(
        "inbox", "answer", card["interaction_id"][-8:], "--approve", "--data", data, "--json"
    )
    outcome = json.loads(done.stdout)
    assert outcome["status"] == "completed"
    assert outcome["response"]["metadata"]["digest"] == card["payload"]["sayso"]["digest"]
    server.until(chat, "completed")
    again = sayso("inbox", "answer", card["interaction_id"], "--approve", "--data", data)
    assert "had been answered so before" in again.stdout
    other = sayso(
        "inbox", "answer", card["interaction_id"], "--reject", "--reason", "x", "--data", data
    )
    assert "already" in refused(other)


def test_an_answer_as_json(data: Path, server: Served):
    chat, card = server.ask("chooser")
    wrong = sayso("inbox", "answer", card["interaction_id"], "--body", "{", "--data", data)
    assert "not JSON" in refused(wrong)
    body = '{"selected_option": "red"}'
    done = sayso(
        "inbox", "answer", card["interaction_id"], "--body", "-", "--data", data, given=body
    )
    assert done.code == 0, done.stderr
    view = server.until(chat, "completed")
    assert view["messages"][-1]["content"] == "You chose red."


def test_without_a_terminal_and_options_nobody_is_asked(data: Path, server: Served):
    _, card = server.ask("desk")
    said = refused(sayso("inbox", "answer", card["interaction_id"], "--data", data))
    assert "--approve" in said
    unknown = sayso("inbox", "answer", "no-such-id", "--approve", "--data", data)
    assert "no-such-id" in refused(unknown)


def test_with_no_server_the_file_is_answered_and_the_next_start_goes_on(tmp_path: Path):
    data = tmp_path / "data"
    with serving(data) as server:
        chat, card = server.ask("desk")
        server.stop()
    sayso("inbox", "claim", card["interaction_id"], "--to", "kim", "--data", data)
    sayso("inbox", "snooze", card["interaction_id"], "--for", "2h", "--data", data)
    listed = sayso("inbox", "--data", data).stdout
    assert "kim is looking at it, put off until" in listed
    assert card["interaction_id"] in listed
    done = sayso("inbox", "answer", card["interaction_id"], "--approve", "--data", data)
    assert done.code == 0, done.stderr
    assert sayso("inbox", "--data", data).stdout == "Nothing waits for you.\n"
    with serving(data) as server:
        view = server.until(chat, "completed")
        assert view["messages"][-1]["content"] == "20 paid back for 1001"


def test_a_person_approves_at_a_terminal(data: Path, server: Served):
    chat, card = server.ask("desk")
    terminal = Terminal("inbox", "answer", card["interaction_id"], "--data", data)
    shown = terminal.until("Approve this?")
    for words in (card["title"], "1001", "20"):
        assert words in shown
    terminal.type("y")
    terminal.until("Change something first (amount)?")
    terminal.type("y")
    terminal.until("mount")
    terminal.type("15")
    terminal.until("completed")
    assert terminal.end() == 0
    view = server.until(chat, "completed")
    assert view["messages"][-1]["content"] == "15 paid back for 1001"


def test_a_person_rejects_at_a_terminal(data: Path, server: Served):
    chat, card = server.ask("desk")
    terminal = Terminal("inbox", "answer", card["interaction_id"], "--data", data)
    terminal.until("Approve this?")
    terminal.type("n")
    terminal.until("Reason for rejecting")
    terminal.type("too much")
    terminal.until("Suggest alternatives")
    terminal.type("10 euros")
    terminal.until("rejected")
    assert terminal.end() == 0
    response = server.get(f"/api/interactions/{card['interaction_id']}")["response"]
    assert response["user_message"] == "too much"
    assert response["response_data"]["suggestions"] == ["10 euros"]
    server.until(chat, "completed")


def test_a_person_chooses_at_a_terminal(data: Path, server: Served):
    chat, card = server.ask("chooser")
    terminal = Terminal("inbox", "answer", card["interaction_id"], "--data", data)
    terminal.until("Which (1 to 2)")
    terminal.type("3")
    terminal.until("Which (1 to 2)")
    terminal.type("2")
    terminal.until("Anything to add?")
    terminal.type("")
    terminal.until("completed")
    assert terminal.end() == 0
    assert server.until(chat, "completed")["messages"][-1]["content"] == "You chose blue."


def test_a_person_fills_a_form_at_a_terminal(data: Path, server: Served):
    chat, card = server.ask("former")
    terminal = Terminal("inbox", "answer", card["interaction_id"], "--data", data)
    for words, typed in (("Street", "x"), ("Floors", "many"), ("Is there a lift", "y")):
        terminal.until(words)
        terminal.type(typed)
    shown = terminal.until("Street [x]")
    assert "street: " in shown
    assert "floors: " in shown
    for words, typed in (("", "Main St 1"), ("Floors", "3"), ("Is there a lift", "n")):
        terminal.until(words)
        terminal.type(typed)
    terminal.until("completed")
    assert terminal.end() == 0
    assert server.until(chat, "completed")["messages"][-1]["content"] == "Main St 1, 3, False"


def test_the_audit_log_is_shown_and_verified(tmp_path: Path):
    data = tmp_path / "data"
    with serving(data) as server:
        _, card = server.ask("desk")
        path = f"/api/interactions/{card['interaction_id']}/response"
        server.post(path, {"approved": True})
        assert sayso("audit", "verify", "--data", data).code == 0
        listed = json.loads(sayso("audit", "list", "--data", data, "--json").stdout)["entries"]
        assert any(entry["subject"] == card["interaction_id"] for entry in listed)
        assert "you" in sayso("audit", "list", "--data", data).stdout
        server.stop()
    assert sayso("audit", "verify", "--data", data).code == 0
    with sqlite3.connect(data / "sayso.db") as rows:
        rows.execute("UPDATE audit SET actor = 'somebody else'")
    rows.close()
    broken = sayso("audit", "verify", "--data", data, "--json")
    assert broken.code == 1
    assert json.loads(broken.stdout)["intact"] is False


def test_ids_are_whole_on_one_line_however_narrow_the_terminal(data: Path, server: Served):
    chat, card = server.ask("desk")
    listed = sayso("inbox", "--data", data).stdout.splitlines()
    assert f"{card['interaction_id']}  {card['title']}" in listed
    sayso("inbox", "answer", card["interaction_id"], "--approve", "--data", data)
    logged = sayso("audit", "list", "--data", data).stdout.splitlines()
    (line,) = [line for line in logged if card["interaction_id"] in line]
    assert chat in line
    assert "interaction.completed" in line
