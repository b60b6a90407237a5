"""What `sayso serve` says where there is nothing to serve under a name."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.cli.serving import load, settings
from sayso.core.errors import AgentNotLoaded, InvalidInput

POST = """
from sayso import AgentContext, App, tool

@tool(approval=True)
def send_letter(to: str) -> str:
    return to

async def secretary(ctx: AgentContext) -> None: ...

numbers = [1, 2]
app = App(secretary, tools=[send_letter])
"""


def test_it_names_what_can_be_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "post_to_serve.py").write_text(POST)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(AgentNotLoaded) as refused:
        load("post_to_serve:nope")
    assert refused.value.fix == "It has: secretary, app."


def test_a_script_that_exits_when_it_is_imported_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "script_to_serve.py").write_text("import sys\nsys.exit(7)\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(AgentNotLoaded, match="Importing script_to_serve failed: SystemExit: 7"):
        load("script_to_serve:app")


def test_a_list_that_is_no_json_is_told_by_its_variable(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SAYSO_ALLOWED_HOSTS", "desk.lan")
    with pytest.raises(InvalidInput, match="SAYSO_ALLOWED_HOSTS is no list in JSON"):
        settings(None, None, None, [])
