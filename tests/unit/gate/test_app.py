"""An application with actions keeps them whatever is put around it, and reads with what it was
given."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import pytest

from sayso import AgentContext, App, Rule, Verdict
from sayso.app import reader
from sayso.core.errors import InvalidInput
from sayso.core.extraction_ops import Operation, Reading
from sayso.gate import Ask, Requirements
from sayso.packs.trips import trips_app


class Silent:
    async def extract(self, reading: Reading) -> Sequence[Operation]:
        return []


def test_other_rules_keep_actions_and_exports():
    app = trips_app()
    strict = app.with_policies([Rule(tool="*", then=Verdict.ASK)])
    assert list(strict.actions.by_name) == ["checklist", "itinerary", "budget"]
    assert "trip_budget" in strict.exports
    assert app.policies is None


def test_messages_are_read_by_rules_by_an_object_or_by_a_model():
    assert reader(None).name == "rules"
    assert reader(Silent()).name == "model"
    models = pytest.importorskip("pydantic_ai.models.test")
    assert reader(models.TestModel()).name == "test"


class Trip(Requirements):
    place: Annotated[str, Ask("Where to?")]


def actions_alone(name: str = "") -> App:
    app = App(name=name)

    @app.action("trip", requires=Trip)
    async def plan_trip(req: Trip, ctx: object) -> str:
        return f"To {req.place}"

    return app


def test_an_app_of_actions_alone_is_called_by_its_name_or_its_module(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert actions_alone(name="Travel desk").agent_names == ["Travel desk"]
    assert actions_alone().agent_names == ["test_app"]
    app = actions_alone()
    body = app.actions.by_name["trip"].body
    # Run as a program, it is called as when it is served.
    monkeypatch.setattr(body, "__module__", "__main__")
    monkeypatch.setattr(sys.modules["__main__"], "__file__", "/x/travel.py", raising=False)
    assert app.agent_names == ["travel"]
    monkeypatch.delattr(sys.modules["__main__"], "__file__")
    assert app.agent_names == ["gate"]


def test_one_agent_can_be_named_and_many_have_their_names() -> None:
    assert list(App(plain, name="Clerk").programs()) == ["Clerk"]
    with pytest.raises(InvalidInput):
        App({"a": plain, "b": plain}, name="Clerk")
    with pytest.raises(InvalidInput, match="empty name"):
        App({"": plain})


async def plain(ctx: AgentContext) -> None: ...
