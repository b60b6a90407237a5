"""Checklist, itinerary and budget of a trip, each behind the gate: `sayso serve
sayso.packs.trips:app`.

SAYSO_TRIPS_TRIGGER is "confirm" (a card first), "explicit" (a phrase runs it) or "auto". Without
SAYSO_MODEL the results come from rules and a table of our own.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from pydantic import BaseModel

from sayso import App, ToolContext
from sayso.packs import app_at_first_use
from sayso.packs.guided import object_of, objects
from sayso.packs.model_agent import chosen_model
from sayso.packs.trips.exports import EXPORTS
from sayso.packs.trips.needs import BudgetNeeds, ChecklistNeeds, ItineraryNeeds
from sayso.packs.trips.results import Budget, Checklist, Itinerary, by_model
from sayso.packs.trips.rule_results import NOTE, make_budget, make_checklist, make_itinerary

if TYPE_CHECKING:
    from pydantic_ai.models import Model

__all__ = ["app", "trips_app"]

#: Made at its first use.
app: App

STARTERS = [
    "A week in Rome from Oslo, the two of us",
    "create the checklist",
    "plan my days",
    "show me the budget",
]
_BY_RULES = "It comes from general rules, not from knowledge of the place."


def trips_app(trigger: str = "confirm", model: Model | None = None) -> App:
    """Three actions for a journey. With a model, it makes the results and reads messages too."""
    made = App(name="trips", extractor=model, exports=EXPORTS, starters=STARTERS)

    @made.action(
        "checklist",
        requires=ChecklistNeeds,
        trigger=trigger,
        verb="create the checklist",
        phrases=["create the checklist", "generate my checklist", "make the checklist"],
    )
    async def create_checklist(req: ChecklistNeeds, ctx: ToolContext) -> str:
        """Make a packing list for the trip."""
        if model is None:
            result = make_checklist(req)
        else:
            result = await by_model(model, "packing checklist", req, Checklist)
        place = req.destination
        await _show(ctx, "checklist", f"Checklist for {place}", result)
        people = "1 person" if req.num_travelers == 1 else f"{req.num_travelers} people"
        days = req.trip_duration.days
        length = "1 day" if days == 1 else f"{days} days"
        return _said(f"Here's your {place} travel checklist for {people} and {length}!", result)

    @made.action(
        "itinerary",
        requires=ItineraryNeeds,
        trigger=trigger,
        verb="create the itinerary",
        phrases=["create the itinerary", "plan my days", "generate my itinerary"],
    )
    async def create_itinerary(req: ItineraryNeeds, ctx: ToolContext) -> str:
        """Plan what to do on each day."""
        if model is None:
            result = make_itinerary(req)
        else:
            result = await by_model(model, "day by day itinerary", req, Itinerary)
        places = ", ".join(req.destinations)
        await _show(ctx, "itinerary", f"Itinerary for {places}", result)
        return _said(f"Here's your {places} itinerary!", result)

    @made.action(
        "budget",
        requires=BudgetNeeds,
        trigger=trigger,
        verb="create the budget",
        phrases=["create the budget", "show me the budget", "breakdown the budget"],
    )
    async def create_budget(req: BudgetNeeds, ctx: ToolContext) -> str:
        """Share out the budget."""
        currency = _currency(ctx)
        if model is None:
            result = make_budget(req, currency)
        else:
            result = await by_model(model, "budget", req, Budget)
            result = result.model_copy(update={"currency": currency or result.currency})
        places = ", ".join(req.destinations)
        await _show(ctx, "budget", f"Budget for {places}", result)
        return _said(f"Here's your {places} budget!", result)

    return made


async def _show(ctx: ToolContext, name: str, title: str, result: BaseModel) -> None:
    body = result.model_dump(mode="json", exclude_none=True)
    await ctx.show(title=title, content=body, ui_tool_id=f"trip_{name}")


def _said(words: str, result: Checklist | Itinerary | Budget) -> str:
    return f"{words} {_BY_RULES}" if result.note == NOTE else words


def _currency(ctx: ToolContext) -> str:
    """As the person wrote it beside the amount; "" where they wrote none."""
    known = object_of((ctx.requirements or {}).get("requirements_detail"))
    for row in objects(object_of(known.get("budget")).get("fields")):
        if row.get("field") == "total_budget":
            found = re.search(r"[^\d\s.,'’]{1,12}", re.sub(r"\b\d+k\b", "", str(row.get("quote"))))
            return found[0] if found and row.get("quote") else ""
    return ""


def _app() -> App:
    name = os.environ.get("SAYSO_MODEL")
    model = chosen_model(name) if name else None
    return trips_app(os.environ.get("SAYSO_TRIPS_TRIGGER", "confirm"), model)


__getattr__ = app_at_first_use(__name__, _app)
