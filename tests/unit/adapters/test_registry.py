"""Frameworks that are missing, or of a version no adapter knows: told in words, at start."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from pydantic_ai import Agent

from sayso import App
from sayso.adapters import registry
from sayso.adapters.registry import (
    check_has,
    find_adapter,
    framework_of,
    newer_than_tested,
    what_to_install,
)
from sayso.core.errors import NotSupportedError


@pytest.mark.parametrize(
    ("module", "wanted"),
    [
        ("google.adk.agents", "'sayso[adk]'"),
        ("autogen_agentchat.teams", "'sayso[autogen]'"),
        ("pydantic_ai", "'sayso[pydantic-ai]'"),
        ("openpyxl.styles", "openpyxl"),
    ],
)
def test_a_framework_comes_with_its_extra(module: str, wanted: str) -> None:
    assert what_to_install(module) == wanted


def test_an_adapter_that_cannot_be_imported_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Agent:
        pass

    Agent.__module__ = "ag2.agent"
    monkeypatch.delitem(sys.modules, "sayso.adapters.ag2", raising=False)
    monkeypatch.setitem(sys.modules, "ag2", ModuleType("ag2"))  # there, and without its parts
    with pytest.raises(NotSupportedError) as refused:
        find_adapter(Agent())
    assert "ag2" in refused.value.detail
    assert "sayso[ag2]" in (refused.value.fix or "")


def test_a_version_that_lacks_what_an_adapter_needs_is_refused() -> None:
    with pytest.raises(NotSupportedError, match="its App has no '_gone'"):
        check_has(App(_agent), "_gone")


def test_a_version_that_has_moved_what_an_adapter_is_built_on_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _known_as(monkeypatch, "pydantic_ai", adapter="sayso.adapters.pydantic_ai:Moved")
    with pytest.raises(NotSupportedError, match="has no attribute 'Moved'"):
        find_adapter(Agent("test", name="desk"))


def test_pydantic_ai_without_the_place_where_agents_are_watched_is_refused() -> None:
    agent = Agent("test", name="desk")
    del agent._override_root_capability
    with pytest.raises(NotSupportedError, match="its Agent has no '_override_root_capability'"):
        find_adapter(agent)


def test_a_module_that_is_called_as_a_framework_is_not_the_framework(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An application may well have a module `agents`, or a package `google` of its own."""
    own = ModuleType("google.adk")
    own.__file__ = str(tmp_path / "google" / "adk" / "__init__.py")
    monkeypatch.setitem(sys.modules, "google.adk", own)

    class Agent:
        async def __call__(self, ctx: object) -> None: ...

    Agent.__module__ = "google.adk.desk"
    assert framework_of(Agent()) is None
    assert find_adapter(Agent()).name == "function"


def test_a_subclass_of_the_applications_own_is_matched_by_its_base() -> None:
    class Desk(Agent[None, str]):
        pass

    assert find_adapter(Desk("test", name="desk")).name == "pydantic_ai"


def test_a_later_minor_version_than_the_tested_one_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    agent = Agent("test", name="desk")
    assert newer_than_tested(agent, "desk") == []
    _known_as(monkeypatch, "pydantic_ai", tested="2.0.0")
    [found] = newer_than_tested(agent, "desk")
    assert "is newer than what Sayso was tested with (2.0.0)" in found.text
    assert "pydantic-ai-slim~=2.0.0" in found.fix
    assert found in App(agent).findings()


def _known_as(patch: pytest.MonkeyPatch, key: str, **changes: str) -> None:
    """Change a line of the registry."""
    lines = [replace(one, **changes) if one.key == key else one for one in registry.FRAMEWORKS]
    patch.setattr(registry, "FRAMEWORKS", tuple(lines))


async def _agent(ctx: object) -> None:
    pass
