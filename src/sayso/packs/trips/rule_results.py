"""The three results without a model: from a small table of our own (data.json) and plain rules.

They know nothing of a place but its season and what it costs, and say so.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from typing import Any

from sayso.packs.trips.needs import BudgetNeeds, ChecklistNeeds, ItineraryNeeds
from sayso.packs.trips.results import Budget, Category, Checklist, Day, Item, Itinerary, Line

NOTE = (
    "Based on general rules about seasons and regions, not on local knowledge. "
    "Edit anything that does not fit."
)
_LONG_DAYS = 10
_SEASONS = ("winter", "spring", "summer", "autumn")


def make_checklist(needs: ChecklistNeeds) -> Checklist:
    days = _days(needs.trip_duration)
    tags = {_season(needs.destination, needs.start_date), *_kinds(needs.interests)}
    if plain(needs.destination) != plain(needs.current_location):
        tags.add("abroad")
    if days >= _LONG_DAYS:
        tags.add("long")
    if needs.num_travelers > 1:
        tags.add("group")
    categories = [
        Category(name=name, items=list(_items(rows, tags, days, needs.num_travelers)))
        for name, rows in _data()["packing"].items()
    ]
    own = list(_own_items(needs))
    if own:
        categories.append(Category(name="What you told me", items=own))
    return Checklist(categories=[one for one in categories if one.items], note=NOTE)


def make_itinerary(needs: ItineraryNeeds) -> Itinerary:
    days = _days(needs.trip_duration)
    data = _data()
    about = data["getting_about"][needs.travel_preference or "any"]
    radius = f"Stay within {needs.max_radius_km:g} km of where you sleep."
    made = []
    for number in range(days):
        place = needs.destinations[number * len(needs.destinations) // days]
        ideas = [_idea(needs.interests, number * 2 + part, place) for part in range(2)]
        parts = [
            f"Morning: {ideas[0]}",
            f"Afternoon: {ideas[1]}",
            f"Evening: {data['evenings'][number % len(data['evenings'])]}",
        ]
        title = f"Day {number + 1} in {place}"
        if number == 0:
            title, parts[0] = f"Arrival in {place}", "Morning: Arrive, and leave your bags"
            parts.append(f"{about} {radius}")
        elif number == days - 1:
            title, parts[2] = f"Last day in {place}", "Evening: Pack, and the way home"
        when = needs.start_date + timedelta(days=number) if needs.start_date else None
        made.append(Day(title=title, parts=parts, date=when))
    return Itinerary(days=made, note=NOTE)


def make_budget(needs: BudgetNeeds, currency: str = "") -> Budget:
    level = _level(needs.destinations)
    data = _data()
    shares = {
        name: share + data["levels"][level].get(name, 0) for name, share in data["shares"].items()
    }
    whole = sum(shares.values())
    notes = {
        "Getting there and back": f"From {needs.current_location} to {needs.destinations[0]}",
        "Food and drink": needs.dietary_preference or "",
        "Sights and activities": ", ".join(needs.specific_places),
        "Places to sleep": f"Prices in this region are {_LEVEL_WORDS[level]}",
    }
    amounts = _rounded(needs.total_budget, [share / whole for share in shares.values()])
    lines = [
        Line(category=name, amount=amount, note=notes.get(name, ""))
        for name, amount in zip(shares, amounts, strict=True)
    ]
    return Budget(currency=currency, total=needs.total_budget, lines=lines, note=NOTE)


def plain(text: str) -> str:
    return " ".join(text.casefold().split())


_LEVEL_WORDS = {"high": "mostly high", "low": "mostly low", "middle": "neither high nor low"}


def _items(
    rows: Iterable[dict[str, Any]], tags: set[str], days: int, travelers: int
) -> Iterator[Item]:
    for row in rows:
        wanted = set(str(row.get("when", "")).split())
        if wanted and not wanted & tags:
            continue
        text = str(row["text"])
        if "per_day" in row:
            each = max(1, min(math.ceil(days * float(row["per_day"])), int(row["most"])))
            text += f": {each}" + (f" for each of {travelers}" if travelers > 1 else "")
        yield Item(text=text)


def _own_items(needs: ChecklistNeeds) -> Iterator[Item]:
    if needs.accommodation:
        yield Item(text=f"Booking and address of the {needs.accommodation}")
    if needs.dietary_restrictions:
        yield Item(text=f"A card that says in the local language: {needs.dietary_restrictions}")


def _idea(interests: list[str], number: int, place: str) -> str:
    interest = interests[number % len(interests)]
    kinds = _kinds([interest]) or ["other"]
    ideas = _data()["days"][kinds[0]]
    return str(ideas[number // len(interests) % len(ideas)]).format(place=place, interest=interest)


def _kinds(interests: Iterable[str]) -> list[str]:
    """Return what kinds of interest these words are about."""
    words = [word for interest in interests for word in plain(interest).split()]
    return [
        kind
        for kind, stems in _data()["kinds"].items()
        if any(word.startswith(stem) for word in words for stem in stems)
    ]


def _season(place: str, start: date | None) -> str:
    """ "any" where no date is known: then one packs for both."""
    if start is None:
        return "any"
    south = any(name in plain(place) for name in _data()["south"])
    return _SEASONS[(start.month % 12 // 3 + (2 if south else 0)) % 4]


def _level(places: Iterable[str]) -> str:
    names = [plain(place) for place in places]
    for level, regions in _data()["regions"].items():
        if any(region in name.split() or region == name for name in names for region in regions):
            return str(level)
    return "middle"


def _days(length: timedelta) -> int:
    return max(1, math.ceil(length / timedelta(days=1)))


def _rounded(total: float, shares: list[float]) -> list[float]:
    """Return the parts in hundredths; what rounding leaves goes to the last, so that the sum is
    exact."""
    cents = round(total * 100)
    parts = [math.floor(cents * share) for share in shares]
    parts[-1] += cents - sum(parts)
    return [part / 100 for part in parts]


@cache
def _data() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        files(__package__).joinpath("data.json").read_text(encoding="utf-8")
    )
    return found
