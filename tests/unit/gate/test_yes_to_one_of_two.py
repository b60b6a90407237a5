"""A card that lists two actions: a yes runs those that it names, and both where it names none."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest

from sayso import App, ToolContext
from sayso.gate import Ask, Requirements
from tests.unit.gate.test_hostile import Conversation

ORDER = "Book the hotel and rent the car in Rome, 3 nights, a van"


class Hotel(Requirements):
    city: Annotated[str, Ask("Which city?")]
    nights: Annotated[int, Ask("How many nights?")]


class Car(Requirements):
    city: Annotated[str, Ask("Which city?")]
    car: Annotated[Literal["van", "small"], Ask("Which car?")]


class Report(Requirements):
    title: Annotated[str, Ask("Which title?")]


class Invoice(Requirements):
    amount: Annotated[int, Ask("How much?")]


def _travel(done: list[str]) -> App:
    app = App(name="desk")

    @app.action("hotel", requires=Hotel, verb="book the hotel")
    async def hotel(req: Hotel, ctx: ToolContext) -> str:
        done.append("hotel")
        return "Hotel booked."

    @app.action("car", requires=Car, verb="rent the car")
    async def car(req: Car, ctx: ToolContext) -> str:
        done.append("car")
        return "Car rented."

    return app


def _office(done: list[str]) -> App:
    app = App(name="desk")

    @app.action("report", requires=Report, verb="publish the report")
    async def report(req: Report, ctx: ToolContext) -> str:
        done.append("report")
        return "Published."

    @app.action("invoice", requires=Invoice, verb="send the invoice")
    async def invoice(req: Invoice, ctx: ToolContext) -> str:
        done.append("invoice")
        return "Sent."

    return app


@pytest.mark.parametrize(
    ("said", "runs"),
    [
        ("yes", {"hotel", "car"}),
        ("go ahead", {"hotel", "car"}),
        ("yes, both", {"hotel", "car"}),
        ("yes, book the hotel and rent the car", {"hotel", "car"}),
        ("yes to the hotel", {"hotel"}),
        ("yes, the hotel", {"hotel"}),
        ("ok for the hotel", {"hotel"}),
        ("go ahead with the hotel", {"hotel"}),
        ("confirm the hotel", {"hotel"}),
        ("do the hotel", {"hotel"}),
        ("the hotel is fine", {"hotel"}),
        ("ja zum Hotel", {"hotel"}),
        ("yes, rent the car", {"car"}),
        ("rent it", {"car"}),
        ("yes, but not the car", set()),
    ],
)
async def test_a_yes_runs_what_it_names(said: str, runs: set[str]) -> None:
    done: list[str] = []
    chat = Conversation(_travel(done).programs()["desk"], "c")
    await chat.say(ORDER)
    assert done == []
    await chat.say(said)
    assert set(done) <= runs, said
    assert len(done) == len(set(done))
    if runs and "is fine" not in said and "ok for" not in said:
        assert set(done) == runs, said


@pytest.mark.parametrize(
    ("said", "runs"),
    [
        ("yes", {"report", "invoice"}),
        ("send it", {"invoice"}),
        ("publish it", {"report"}),
        ("yes, the invoice", {"invoice"}),
        ("go ahead with the report", {"report"}),
    ],
)
async def test_a_verb_names_its_action(said: str, runs: set[str]) -> None:
    done: list[str] = []
    chat = Conversation(_office(done).programs()["desk"], "c")
    await chat.say("Publish the report and send the invoice")
    await chat.say("Title: Soil, and 400 for the invoice")
    assert done == []
    await chat.say(said)
    assert set(done) == runs
