"""What `sayso serve` says where there is nothing to serve under a name."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.cli.serving import load
from sayso.core.errors import AgentNotLoaded

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
