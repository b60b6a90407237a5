"""What the adapters find in an app: `sayso doctor` prints it, and a refusal stops a start."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

from sayso import App, tool
from sayso.adapters.findings import FindingKind
from sayso.app import caveat_lines
from sayso.cli import doctor
from sayso.core.errors import NotSupportedError


@dataclass
class Shop:
    orders: int


needs_deps = Agent(TestModel(), name="desk", deps_type=Shop)
without_a_model = Agent(name="bare")
whole = Agent(TestModel(), name="whole")


@tool
def look() -> str:
    """Look."""
    return "seen"


def test_a_refusal_is_told_at_start_and_not_in_the_chat() -> None:
    with pytest.raises(NotSupportedError, match=r"'desk' cannot be served: it needs deps \(Shop\)"):
        App(needs_deps).programs()
    assert App(needs_deps, deps=Shop(1)).programs()


def test_a_gated_app_refuses_as_well() -> None:
    from sayso.gate.fields import Requirements

    app = App(needs_deps)

    @app.action("order", requires=Requirements)
    async def order(requirements: Requirements, ctx: object) -> None: ...

    with pytest.raises(NotSupportedError, match="needs deps"):
        app.programs()


def test_a_caveat_is_a_line_at_start() -> None:
    assert caveat_lines(App(whole)) == []
    [line] = caveat_lines(App(without_a_model))
    assert line.startswith("bare: It has no model of its own. Give it one")


def test_every_agent_of_an_app_is_looked_at() -> None:
    app = App({"desk": needs_deps, "bare": without_a_model, "whole": whole})
    found = {(one.agent, one.kind) for one in app.findings()}
    assert found >= {
        ("desk", FindingKind.REFUSED),
        ("bare", FindingKind.CAVEAT),
        ("whole", FindingKind.WORKS),
    }


@pytest.fixture
def _built(monkeypatch: pytest.MonkeyPatch) -> None:
    """The console need not be built for this."""
    monkeypatch.setattr(doctor, "_console", lambda: doctor.Finding("ok", "built"))


@pytest.mark.usefixtures("_built")
@pytest.mark.parametrize(
    ("agent", "code", "said"),
    [
        ("needs_deps", 1, "✗ desk: it needs deps (Shop)."),
        ("without_a_model", 0, "· bare: It has no model of its own."),
        ("whole", 0, "can be served: whole."),
    ],
)
def test_the_doctor_prints_the_findings(
    agent: str,
    code: int,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ended = doctor.report(f"{__name__}:{agent}", tmp_path, 0)
    printed = capsys.readouterr().out
    assert said in printed
    assert ended == code
    assert "Pydantic AI" in printed
