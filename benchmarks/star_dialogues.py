"""Dialogues from a copy of STAR (github.com/RasaHQ/STAR, MIT) in the form of `sayso bench gate`:
people who order something of people who play the service. Nothing of them stands here, and the
network was fitted on none of them.

`python -m benchmarks.star_dialogues FOLDER OUT.jsonl [--part happy|unhappy|many] [--skip N] [--take
N]`: those that go as planned, those in which the person was told to be difficult, and those about
several tasks. They are shuffled the same way each time.

A booking is the service's query with the request "Book"; its values are the true ones.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

#: The labels of the service's turns that ask for something, and for what.
ASKS = {
    "ask_name": ("CustomerName", "HostName", "PatientName", "RenterName"),
    "restaurant_ask_restaurant": ("Name",),
    "restaurant_ask_time": ("Time",),
    "restaurant_ask_size": ("PartySize",),
    "hotel_ask_hotel": ("Name",),
    "hotel_ask_date_from": ("StartDate",),
    "hotel_ask_date_to": ("EndDate",),
    "hotel_ask_customer_request": ("CustomerRequest",),
    "plane_ask_flight_id": ("id",),
    "ride_ask_destination": ("ArrivalLocation",),
    "ride_ask_departure": ("DepartureLocation",),
    "party_ask_venue": ("Name",),
    "party_ask_number_of_guests": ("NumberGuests",),
    "party_ask_starting_time": ("StartTimeHour",),
    "party_ask_day": ("Day",),
    "party_ask_food": ("FoodRequest",),
    "party_ask_drinks": ("DrinksRequest",),
    "party_inform_food_drink_criteria": ("FoodRequest", "DrinksRequest"),
    "doctor_ask_doctor_name": ("Name",),
    "doctor_ask_day": ("Day",),
    "doctor_ask_start_time": ("StartTimeHour",),
    "doctor_ask_symptoms": ("Symptoms",),
    "apartment_ask_apartment_name": ("Name",),
    "apartment_ask_day": ("Day",),
    "apartment_ask_start_time": ("StartTimeHour",),
    "apartment_ask_application_fee_paid": ("ApplicationFeePaid",),
    "apartment_ask_custom_message": ("Message",),
}
#: Those that put the booking to the person.
CONFIRMS = {
    "restaurant_ask_confirm_booking",
    "hotel_ask_confirm_booking",
    "plane_flight_available",
    "ride_ask_confirm_booking",
    "party_ask_confirm_booking",
    "doctor_inform_booking_available",
    "apartment_inform_viewing_available",
}
TASKS = (
    "apartment_schedule",
    "doctor_schedule",
    "hotel_book",
    "party_plan",
    "plane_book",
    "restaurant_book",
    "ride_book",
)
#: Names by which the bench knows the kind of a slot: a time is no choice of 24 words.
NAMES = {"StartTimeHour": "start_time", "NumberGuests": "number_of_guests"}
_HAVE_A_TYPE = ("start_time", "time", "start_date", "end_date")
#: People name a month with a day that the service keeps without one.
_MONTHS = ("April", "May", "June", "July")
_REQUEST = "RequestType"
Line = dict[str, Any]


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    options.add_argument("out", type=Path)
    options.add_argument("--part", choices=("happy", "unhappy", "many"), default="happy")
    options.add_argument("--skip", type=int, default=0)
    options.add_argument("--take", type=int, default=100)
    told = options.parse_args()
    found = [*dialogues_of(told.folder, told.part)]
    random.Random(7).shuffle(found)
    kept = found[told.skip : told.skip + told.take]
    told.out.write_text("".join(json.dumps(one) + "\n" for one in kept), encoding="utf-8")
    print(f"{len(kept)} of {len(found)} dialogues")


def dialogues_of(folder: Path, part: str) -> Iterator[Line]:
    tasks = {
        task: json.loads((folder / "apis" / "apis" / f"{task}.json").read_text()) for task in TASKS
    }
    for path in sorted((folder / "dialogues").glob("*.json")):
        dialogue = json.loads(path.read_text())
        scenario = dialogue["Scenario"]
        own = "many" if scenario["MultiTask"] else "happy" if scenario["Happy"] else "unhappy"
        booked = {one["APIName"] for one in dialogue["Events"] if _is_booking(one)} & {*TASKS}
        if own == part and len(booked) == 1:
            [task] = booked
            turns = _turns(dialogue["Events"], task, tasks[task])
            if _can_be_judged(turns, tasks[task]):
                yield {
                    "id": f"star-{dialogue['DialogueID']}-{task}",
                    "action": _action(task, tasks[task]),
                    "turns": turns,
                }


def _action(task: str, api: Mapping[str, Any]) -> Line:
    given = [one for one in api["input"] if one["Name"] != _REQUEST]
    required = [_name(one) for one in api["required"] if one != _REQUEST]
    slots = []
    for one in given:
        values = one.get("Categories") or []
        is_closed = one["Type"] == "Categorical" and _name(one["Name"]) not in _HAVE_A_TYPE
        if one["Type"] == "Boolean":
            is_closed, values = True, ["True", "False"]
        slots.append(
            {
                "name": _name(one["Name"]),
                "description": one["ReadableName"],
                "categorical": is_closed,
                "values": values if is_closed else [],
            }
        )
    optional = {slot["name"]: None for slot in slots if slot["name"] not in required}
    return {"name": task, "required": required, "optional": optional, "slots": slots}


def _turns(events: Sequence[Mapping[str, Any]], task: str, api: Mapping[str, Any]) -> list[Line]:
    names = [one["Name"] for one in api["input"] if one["Name"] != _REQUEST]
    required = [_name(one) for one in api["required"] if one != _REQUEST]
    turns: list[Line] = []
    gold: dict[str, list[str]] = {}
    for at, event in enumerate(events):
        if event["Agent"] == "User" and event["Action"] == "utter":
            queries = [*_queries_after(events[at + 1 :], task)]
            for query in queries:
                gold |= {_name(k): _forms(k, v) for k, v in _values(query) if k in names}
            if turns and turns[-1]["speaker"] == "user":
                turns.append({"speaker": "system", "text": "", "acts": [], "confirm_for": None})
            turns.append(
                {
                    "speaker": "user",
                    "text": event["Text"],
                    "gold": dict(gold),
                    "ready": all(name in gold for name in required),
                    "trigger": any(map(_is_booking, queries)),
                }
            )
        elif event["Agent"] == "Wizard" and event["Action"] in ("pick_suggestion", "utter"):
            said = _said(event, task, names, gold)
            if turns and turns[-1]["speaker"] == "system":
                last = turns[-1]
                last["text"] += " " + said["text"]
                last["acts"] += said["acts"]
                last["confirm_for"] = said["confirm_for"] or last["confirm_for"]
            else:
                turns.append(said)
    return turns


def _said(
    event: Mapping[str, Any], task: str, names: Sequence[str], gold: Mapping[str, list[str]]
) -> Line:
    label = event.get("ActionLabel", "") if event["Action"] == "pick_suggestion" else ""
    acts: list[list[Any]] = [
        ["REQUEST", _name(one), []] for one in ASKS.get(label, ()) if one in names
    ]
    confirms = label in CONFIRMS
    if confirms:
        shown = gold or {_name(names[0]): []}
        acts = [["CONFIRM", name, forms[:1]] for name, forms in shown.items()]
    text, confirm_for = event["Text"], task if confirms else None
    return {"speaker": "system", "text": text, "acts": acts, "confirm_for": confirm_for}


def _queries_after(events: Sequence[Mapping[str, Any]], task: str) -> Iterator[Mapping[str, Any]]:
    """Yield what the service looked up or booked before it, or the person, said anything more."""
    for one in events:
        if one["Action"] in ("pick_suggestion", "utter"):
            return
        if one["Action"] == "query" and one["APIName"] == task:
            yield one


def _is_booking(event: Mapping[str, Any]) -> bool:
    asked = [one.get(_REQUEST) for one in event.get("Constraints", ())]
    return event["Action"] == "query" and '"Book"' in asked


def _values(query: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what it asks for, but no "is not" and no "at most"."""
    for one in query["Constraints"]:
        for name, written in one.items():
            if name != _REQUEST and "api." not in f"{name}{written}":
                yield name, str(json.loads(written)) if written else ""


def _forms(name: str, value: str) -> list[str]:
    if _name(name) in ("start_date", "end_date"):
        return [value, *(f"{month} {value}" for month in _MONTHS)]
    return [value]


def _name(name: str) -> str:
    return NAMES.get(name, re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())


def _can_be_judged(turns: Sequence[Line], api: Mapping[str, Any]) -> bool:
    """Return whether each booking has all its values, in words that the person said by then, and
    some turn of the service asks for it: whatever the service chose itself cannot be heard."""
    required = [_name(one) for one in api["required"] if one != _REQUEST]
    said, booked = "", 0
    for turn in turns:
        if turn["speaker"] != "user":
            continue
        said += _run_together(turn["text"])
        if turn["trigger"]:
            booked += 1
            for name in required:
                last = _run_together(turn["gold"].get(name, [""])[0]).removeprefix("dr.")
                if not turn["ready"] or last not in said:
                    return False
    return booked > 0 and any(one.get("confirm_for") for one in turns)


def _run_together(text: str) -> str:
    return re.sub(r"\s", "", text).casefold()


if __name__ == "__main__":
    main()
