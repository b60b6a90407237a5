"""The trips pack without a model: what its rules make of what is known, and its files."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from pydantic import JsonValue

from sayso import ArtifactItem
from sayso.packs.trips import trips_app
from sayso.packs.trips.exports import EXPORTS
from sayso.packs.trips.needs import BudgetNeeds, ChecklistNeeds, ItineraryNeeds
from sayso.packs.trips.results import Budget, Category, Checklist, Day, Item, Itinerary, Line
from sayso.packs.trips.rule_results import NOTE, make_budget, make_checklist, make_itinerary


def checklist_needs(**more: object) -> ChecklistNeeds:
    known: dict[str, object] = {
        "destination": "Tokyo",
        "current_location": "New York",
        "trip_duration": timedelta(days=10),
        "num_travelers": 2,
    }
    return ChecklistNeeds.model_validate({**known, **more})


def texts(made: Checklist) -> list[str]:
    return [item.text for category in made.categories for item in category.items]


def test_the_needs_are_those_of_seed_3():
    app = trips_app()
    asked = {
        action: app.check(action)["missing"] for action in ("CHECKLIST", "ITINERARY", "BUDGET")
    }
    assert asked == {
        "CHECKLIST": ["destination", "current_location", "trip_duration", "num_travelers"],
        "ITINERARY": ["destinations", "interests", "trip_duration"],
        "BUDGET": ["total_budget", "destinations", "current_location"],
    }
    assert app.check("checklist")["follow_up"] == "Where are you going? How long is the trip?"
    known = {"destination": "Japan"}
    assert app.check("checklist", known=known)["follow_up"] == (
        "How long is the trip? Will you be traveling alone or with others?"
    )
    assert ItineraryNeeds.model_fields["max_radius_km"].default == 10
    # One slot, whether it is called destination or destinations.
    assert app.check("budget", known=known)["has"] == ["destinations"]


def test_a_checklist_fits_length_company_and_interests():
    made = make_checklist(checklist_needs(interests=["hiking"], dietary_restrictions="no nuts"))
    assert "Underwear: 8 for each of 2" in texts(made)
    assert "Hiking boots and a day pack" in texts(made)
    assert "A card that says in the local language: no nuts" in texts(made)
    assert "Laundry soap and a short line" in texts(made)
    assert made.note == NOTE
    short = make_checklist(checklist_needs(trip_duration=timedelta(days=2), num_travelers=1))
    assert "Underwear: 2" in texts(short)
    assert "Hiking boots and a day pack" not in texts(short)
    assert "Laundry soap and a short line" not in texts(short)


@pytest.mark.parametrize(
    ("place", "start", "warm"),
    [("Oslo", date(2027, 1, 5), True), ("Sydney", date(2027, 1, 5), False), ("Oslo", None, False)],
)
def test_a_checklist_knows_the_season(place: str, start: date | None, warm: bool):
    made = make_checklist(checklist_needs(destination=place, start_date=start))
    assert ("Warm jacket, hat and gloves" in texts(made)) is warm


def test_an_itinerary_has_each_day_and_each_interest():
    needs = ItineraryNeeds(
        destinations=["Rome", "Florence"],
        interests=["food", "chess"],
        trip_duration=timedelta(days=4),
        travel_preference="walking",
        start_date=date(2027, 5, 30),
    )
    made = make_itinerary(needs)
    assert [day.title for day in made.days] == [
        "Arrival in Rome",
        "Day 2 in Rome",
        "Day 3 in Florence",
        "Last day in Florence",
    ]
    assert [day.date for day in made.days][-1] == date(2027, 6, 2)
    said = " ".join(part for day in made.days for part in day.parts)
    assert "market of Rome" in said or "cooking class" in said
    assert "chess" in said
    assert "within 10 km" in said
    assert "{" not in said


@pytest.mark.parametrize("total", [0.01, 1, 99.99, 1234.56, 10_000])
@pytest.mark.parametrize("place", ["Zurich", "Hanoi", "Rome"])
def test_a_budget_adds_up(total: float, place: str):
    needs = BudgetNeeds(total_budget=total, destinations=[place], current_location="London")
    made = make_budget(needs, "€")
    assert sum(round(line.amount * 100) for line in made.lines) == round(total * 100)
    assert all(line.amount >= 0 for line in made.lines)


def test_a_costly_region_takes_more_for_beds():
    def bed(place: str) -> float:
        needs = BudgetNeeds(total_budget=1000, destinations=[place], current_location="London")
        return next(x.amount for x in make_budget(needs).lines if x.category == "Places to sleep")

    assert bed("Tokyo") > bed("Rome") > bed("Bangkok")


# ── files ──


def artifact(kind: str, content: JsonValue, title: str = "For Rome") -> ArtifactItem:
    return ArtifactItem(
        artifact_id="a1",
        sequence=1,
        as_of=1,
        ui_tool_id=kind,
        title=title,
        content=content,
        version=3,
        updated_at="2026-11-22T10:00:00+02:00",
    )


def test_a_checklist_as_markdown_and_rows():
    made = Checklist(
        categories=[Category(name="Papers", items=[Item(text="Passport", done=True)])], note="Mine."
    )
    one = artifact("trip_checklist", made.model_dump(mode="json"))
    text = EXPORTS["trip_checklist"]["markdown"](one)
    assert text == "# For Rome\n\n## Papers\n\n- [x] Passport\n\n_Mine._\n"
    rows = EXPORTS["trip_checklist"]["csv"](one)
    assert rows == [["Category", "Item", "Done"], ["Papers", "Passport", "yes"]]


def test_a_budget_as_markdown_and_rows():
    lines = [Line(category="Food | drink", amount=20, note="")]
    made = Budget(currency="€", total=20, lines=lines)
    one = artifact("trip_budget", made.model_dump(mode="json"))
    assert "| Food \\| drink | 20.00 |" in str(EXPORTS["trip_budget"]["markdown"](one))
    rows = EXPORTS["trip_budget"]["csv"](one)
    assert rows[1:] == [["Food | drink", 20.0, "€", ""], ["Total", 20.0, "€", ""]]


def test_what_a_model_wrote_loads_nothing_where_the_markdown_is_read():
    """A picture would tell its server that, when and where from the file was opened."""
    words = "![x](https://evil.example/p) <img src=x> a\\| b"
    made = Budget(total=1, lines=[Line(category=words, amount=1, note="")], note=words)
    text = str(EXPORTS["trip_budget"]["markdown"](artifact("trip_budget", made.model_dump())))
    escaped = "!\\[x](https://evil.example/p) \\<img src=x> a"
    assert f"| {escaped}\\\\\\| b | 1.00 |" in text
    assert f"_{escaped}\\\\| b_" in text


def test_an_itinerary_as_a_calendar():
    """Read back by a small reader of our own: unfolded, then unescaped."""
    title = "Überraschung; Rom, \\Florenz 日本 " * 6
    days = [Day(title=title, parts=["a, b; c\\d", "x"], date=date(2026, 12, 31))]
    days.append(Day(title="no date", parts=[]))
    one = artifact("trip_itinerary", Itinerary(days=days).model_dump(mode="json"))
    text = str(EXPORTS["trip_itinerary"]["ics"](one))
    raw = text.split("\r\n")
    assert raw[-1] == ""
    assert "\n" not in text.replace("\r\n", "")
    assert all(len(line.encode()) <= 75 for line in raw)
    properties = text.replace("\r\n ", "").split("\r\n")
    assert properties[:2] == ["BEGIN:VCALENDAR", "VERSION:2.0"]
    assert [p for p in properties if p == "BEGIN:VEVENT"] == ["BEGIN:VEVENT"]
    values = dict(line.split(":", 1) for line in properties if ":" in line)
    assert values["DTSTAMP"] == "20261122T080000Z"
    assert values["DTSTART;VALUE=DATE"] == "20261231"
    assert values["DTEND;VALUE=DATE"] == "20270101"
    assert unescaped(values["SUMMARY"]) == title
    assert unescaped(values["DESCRIPTION"]) == "a, b; c\\d\nx"


def unescaped(value: str) -> str:
    found, rest = "", iter(value)
    for char in rest:
        if char == "\\":
            escaped = next(rest)
            found += "\n" if escaped == "n" else escaped
        else:
            found += char
    return found


def test_a_calendar_needs_a_date_and_a_form():
    last = Itinerary(days=[Day(title="", parts=[], date=date.max)]).model_dump(mode="json")
    with pytest.raises(ValueError, match="too late"):
        EXPORTS["trip_itinerary"]["ics"](artifact("trip_itinerary", last))
    undated = Itinerary(days=[Day(title="Day 1", parts=[])]).model_dump(mode="json")
    with pytest.raises(ValueError, match="has a date"):
        EXPORTS["trip_itinerary"]["ics"](artifact("trip_itinerary", undated))
    with pytest.raises(ValueError):
        EXPORTS["trip_itinerary"]["ics"](artifact("trip_itinerary", "my own words"))
