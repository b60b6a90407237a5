"""What the gate's rules cost a worker for one long message, and whether twice the words cost more
than twice the time: processor time, the worst of a few hostile rows."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from datetime import date, timedelta
from typing import Annotated

from benchmarks.work import spread, table
from sayso.core.extraction_ops import Reading
from sayso.gate.actions import Actions
from sayso.gate.fields import Ask, Requirements
from sayso.reading.normalize import LONGEST_READ
from sayso.reading.rule_extractor import RuleExtractor

REPETITIONS = 7
ROWS = (
    *("and ", "2 adults and ", "1", "$5 ", "5 A ", "yes, 1 "),
    *("checklist,", "3月5日", "Rome, ", "\n", "."),
)


class Trip(Requirements):
    destination: Annotated[str, Ask("Where are you going?")]
    start_date: Annotated[date, Ask("When do you leave?")]
    return_date: Annotated[date, Ask("When do you return?")]
    trip_duration: Annotated[timedelta, Ask("How long is the trip?")]
    num_travelers: Annotated[int, Ask("Alone or with others?")]
    total_budget: Annotated[float, Ask("What is your total budget?")]
    interests: Annotated[list[str], Ask("What do you like to do?")]


def main() -> None:
    actions = Actions()
    actions.add("checklist", None, requires=Trip)
    reading = Reading(
        message="", slots=actions.slots, actions=actions.specs, asked=tuple(actions.slots)
    )
    _milliseconds("to make the patterns", reading)
    rows = []
    for row in ROWS:
        half, whole = (
            [
                _milliseconds(f"{n} {row * LONGEST_READ}"[:length], reading)
                for n in range(REPETITIONS)
            ]
            for length in (LONGEST_READ // 2, LONGEST_READ)
        )
        ratio = min(whole) / min(half)
        rows.append((repr(row), f"{spread(whole)} ms  {ratio:4.1f} times its half"))
    table(f"a message of {LONGEST_READ} signs, read by the rules, processor time", rows)


def _milliseconds(message: str, reading: Reading) -> float:
    begun = time.process_time()
    asyncio.run(RuleExtractor().extract(replace(reading, message=message)))
    return (time.process_time() - begun) * 1000
