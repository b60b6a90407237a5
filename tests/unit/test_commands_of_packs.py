"""Commands that packages add: imported when they are asked for by name, or for the help."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest
import typer

from sayso import cli


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found = EntryPoint("openlca", "sayso.packs.openlca.commands:commands", "sayso.commands")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [found])
    names: list[str] = []
    monkeypatch.setattr(cli, "app", typer.Typer())
    monkeypatch.setattr(cli.app, "add_typer", lambda made, name: names.append(name))
    return names


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [(["openlca"], ["openlca"]), (["--help"], ["openlca"]), ([], ["openlca"]), (["other"], [])],
)
def test_a_packs_commands(added: list[str], asked: list[str], wanted: list[str]) -> None:
    cli._add_commands_of_packs(asked)
    assert added == wanted
