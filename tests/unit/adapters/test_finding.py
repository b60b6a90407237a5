"""Frameworks that are missing, or of a version no adapter knows: told in words, at start."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from pydantic_ai import Agent

from sayso import App
from sayso.adapters.finding import ADAPTERS, check_has, find_adapter, what_to_install
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
    monkeypatch.setitem(ADAPTERS, "pydantic_ai", "sayso.adapters.pydantic_ai:Moved")
    with pytest.raises(NotSupportedError, match="has no attribute 'Moved'"):
        find_adapter(Agent("test", name="desk"))


def test_pydantic_ai_without_the_place_where_agents_begin_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    agent = Agent("test", name="desk")
    monkeypatch.delitem(sys.modules, "sayso.adapters.pydantic_ai.nested", raising=False)
    monkeypatch.delitem(sys.modules, "sayso.adapters.pydantic_ai", raising=False)
    monkeypatch.delattr(Agent, "iter")
    with pytest.raises(NotSupportedError, match="no 'iter' of its own"):
        find_adapter(agent)


async def _agent(ctx: object) -> None:
    pass
