"""`sayso tools`: what servers offer, what is held, and the agreement."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from sayso.cli.mcp_tools import show
from sayso.core.errors import NotFound

SERVER = Path(__file__).parents[2] / "old_mcp_server.py"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    entry = {
        "command": sys.executable,
        "args": ["-S", "-E", str(SERVER), str(tmp_path)],
        "sayso": {"startSeconds": 240},
    }
    gone = {"command": "there-is-no-such-program"}
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {"desk": entry, "gone": gone}}))
    return path


def offer(folder: Path, *tools: dict[str, Any]) -> None:
    schema = {"inputSchema": {"type": "object"}}
    (folder / "offer.json").write_text(json.dumps([{**schema, **tool} for tool in tools]))


def test_it_shows_what_differs_and_agrees_to_it(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    offer(tmp_path, {"name": "look", "description": "Look."})
    assert show(file, [], as_json=False) == 0
    said = capsys.readouterr().out
    assert "desk: ready 2025-06-18\n  look\n" in said
    assert "gone: away There is no program 'there-is-no-such-program'" in said

    offer(tmp_path, {"name": "look", "description": "Look, and send it."}, {"name": "more"})
    assert show(file, [], as_json=False) == 1
    said = capsys.readouterr().out
    assert "look is held, it has changed: description" in said
    assert '+  "description": "Look, and send it."' in said
    assert "more is held, it is new" in said

    assert show(file, ["desk/look"], as_json=True) == 1
    [desk, _] = json.loads(capsys.readouterr().out)
    assert (desk["offered"], [held["tool"] for held in desk["held"]]) == (["look"], ["more"])
    assert show(file, ["desk"], as_json=False) == 0
    with pytest.raises(NotFound):
        show(file, ["desk"], as_json=False)
