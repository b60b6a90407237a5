"""The audit by its programs: `sayso audit verify` and `head`, by a server and on the file."""

import json
import os
import signal
import sqlite3
import stat
import time
from contextlib import closing
from pathlib import Path

import pytest

from sayso.cli.connection import running_server
from sayso.core.errors import InvalidInput
from sayso.keys import audit_keys, default_config_dir
from tests.integration.programs import (
    ENVIRONMENT,
    GUARD_SECONDS,
    Done,
    Served,
    refused,
    sayso,
    serving,
)
from tests.integration.world import World


def answered(server: Served) -> None:
    chat, card = server.ask("desk")
    server.post(f"/api/interactions/{card['interaction_id']}/response", {"approved": True})
    server.until(chat, "completed")


def until_sealed(server: Served, number: int = 1) -> str:
    """The head once so many seals are there: nobody asked for them."""
    deadline = time.monotonic() + GUARD_SECONDS
    while True:
        found = server.get("/api/audit/head")
        if found["number"] >= number and server.get("/api/audit/verify")["unsealed"] == 0:
            return str(found["head"])
        assert time.monotonic() < deadline, found
        time.sleep(0.02)


def verify(data: Path, *options: str) -> Done:
    return sayso("audit", "verify", "--data", data, *options)


def exported(data: Path, file: Path, document: object) -> tuple[int, str]:
    """The exit code, and the first words."""
    file.write_text(json.dumps(document))
    done = sayso("audit", "verify-export", str(file), "--data", data)
    return done.code, (done.stdout or done.stderr).partition(":")[0]


def test_a_server_seals_what_is_decided_and_the_four_results_have_their_codes(tmp_path: Path):
    data = tmp_path / "data"
    with serving(data) as server:
        assert "Nothing is sealed yet" in refused(sayso("audit", "head", "--data", data))
        answered(server)
        first = until_sealed(server)
        assert verify(data).stdout.startswith("Whole, up to 20")
        assert sayso("audit", "head", "--data", data).stdout == f"{first}\n"
        assert json.loads(verify(data, "--json").stdout)["head"] == first
        card = server.get("/api/history")["entries"][0]["interaction_id"]
        document = server.get(f"/api/interactions/{card}/export")
        file = tmp_path / "card.json"
        assert exported(data, file, document) == (0, "Genuine")
        document["exported_by"] = "eve"
        assert exported(data, file, document) == (1, "Changed")
        document["key_id"] = "another"
        assert exported(data, file, document) == (4, "Not checkable")
        file.write_text("{")
        assert "cannot be read as JSON" in refused(
            sayso("audit", "verify-export", str(file), "--data", data)
        )
        answered(server)
        second = until_sealed(server, 2)
        server.stop()
    for head in (first, second):
        assert verify(data, "--against", head).code == 0
    assert verify(data, "--against", f"1.{'0' * 64}").code == 1
    assert "not a head" in refused(verify(data, "--against", "yesterday"))

    with closing(sqlite3.connect(data / "sayso.db")) as rows:
        rows.execute("DELETE FROM seal")
        rows.execute("UPDATE audit SET at = at")
        rows.commit()
    assert json.loads(verify(data, "--json").stdout)["result"] in ("whole", "unsealed_tail")
    assert verify(data, "--against", second).code == 1
    with closing(sqlite3.connect(data / "sayso.db")) as rows:
        rows.execute("UPDATE interaction SET settled_by = 'mallory'")
        rows.commit()
    broken = verify(data)
    assert broken.code == 1
    assert "has another actor" in broken.stderr


def test_without_the_key_nothing_is_called_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    data = tmp_path / "data"
    with serving(data) as server:
        answered(server)
        until_sealed(server)
        server.stop()
    monkeypatch.setenv("SAYSO_AUDIT_KEY", "the key of another machine")
    unknown = verify(data)
    assert unknown.code == 4
    assert "the key is missing" in unknown.stderr
    monkeypatch.setenv(
        "SAYSO_AUDIT_KEY", f"the key of another machine,{ENVIRONMENT['SAYSO_AUDIT_KEY']}"
    )
    assert verify(data).code == 0


def test_what_a_killed_server_did_not_seal_its_next_start_does(tmp_path: Path):
    data = tmp_path / "data"
    with serving(data) as server:
        answered(server)
        server.stop(signal.SIGKILL)
    with serving(data) as server:
        until_sealed(server)
        assert server.get("/api/audit/verify")["result"] == "whole"


def test_an_answer_on_the_file_is_sealed_with_it(tmp_path: Path):
    data = tmp_path / "data"
    with serving(data) as server:
        _, card = server.ask("desk")
        server.stop()
    assert running_server(data) is None
    done = sayso("inbox", "answer", card["interaction_id"], "--approve", "--data", data)
    assert done.code == 0, done.stderr
    report = json.loads(verify(data, "--json").stdout)
    assert (report["result"], report["unsealed"], report["lines"]) == ("whole", 0, 1)


async def test_the_wire_tells_what_it_told_and_more(world: World):
    chat_id = await world.chat()
    (card,) = await world.asked(chat_id)
    path = f"/api/interactions/{card['interaction_id']}/response"
    assert (await world.http.post(path, json={"approved": True})).is_success
    said = (await world.http.get("/api/audit/verify")).json()
    assert (said["intact"], said["broken"], said["result"]) == (True, [], "whole")
    unknown = await world.http.get("/api/audit/verify", params={"against": f"7.{'a' * 64}"})
    assert unknown.json()["result"] == "broken"
    refused = await world.http.get("/api/audit/verify", params={"against": "x"})
    assert refused.status_code == 422


# ── where the key lies ──


def test_a_key_is_made_once_for_its_owner_only_and_never_beside_the_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("SAYSO_AUDIT_KEY")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    data = tmp_path / "data"
    assert sayso("db", "upgrade", "--data", data).code == 0
    (path,) = default_config_dir().iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert not [file for file in data.iterdir() if "key" in file.name]
    made = path.read_text()
    assert audit_keys() == audit_keys()
    assert path.read_text() == made
    for file in data.iterdir():
        assert made.strip().encode() not in file.read_bytes()
    os.chmod(path, 0o644)
    with pytest.raises(InvalidInput, match="Others may read") as found:
        audit_keys()
    assert "chmod 600" in found.value.fix


def test_where_no_key_can_be_made_the_remedy_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "file").touch()
    monkeypatch.delenv("SAYSO_AUDIT_KEY")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file"))
    monkeypatch.setenv("HOME", str(tmp_path / "file"))
    assert "SAYSO_AUDIT_KEY" in refused(sayso("db", "upgrade", "--data", tmp_path / "data"))


def test_a_guessable_key_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SAYSO_AUDIT_KEY", "secret")
    assert "fewer than 16" in refused(sayso("db", "upgrade", "--data", tmp_path / "data"))
