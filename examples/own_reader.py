"""A reader of one's own beside the built-in one: it knows holidays, and offers the day.

    python examples/own_reader.py "a table for four on Christmas Eve"

What only this reader understands is a suggestion: the gate offers it ("2026-12-24?") and a yes
takes it. What the person's words state themselves counts at once. A local model is built in the
same way: call it in `extract`, and answer with operations.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Annotated

from sayso import App, Ask, Requirements, ToolContext
from sayso.gate.readers import Doubt, Operation, Reading, Set, Suggest, operations_in, reading_of

HOLIDAYS = {"christmas eve": (12, 24), "new year's eve": (12, 31), "valentine's day": (2, 14)}


class Table(Requirements):
    day: Annotated[date, Ask("Which day?")]
    guests: Annotated[int, Ask("How many guests?")]


class HolidayReader:
    """Hears what the rules hear, and holidays by their names."""

    name = "holidays"

    async def extract(self, reading: Reading) -> Sequence[Operation]:
        heard = operations_in(reading)
        today = reading.today or datetime.now(UTC)
        for name, (month, day) in HOLIDAYS.items():
            said = re.search(re.escape(name), reading.message, re.IGNORECASE)
            if said is not None:
                coming = date(today.year, month, day)
                if coming < today.date():
                    coming = coming.replace(year=today.year + 1)
                offer = Suggest(
                    slot="day",
                    value=coming.isoformat(),
                    quote=said[0],
                    doubt=Doubt.UNSUPPORTED,
                )
                heard.append(offer)
        return heard


app = App(name="Tables", extractor=HolidayReader())


@app.action("table", requires=Table, verb="book the table")
async def book(req: Table, ctx: ToolContext) -> str:
    return f"Booked for {req.guests} on {req.day}."


async def main(words: str) -> None:
    for operation in await HolidayReader().extract(reading_of(words, Table)):
        match operation:
            case Set(slot=slot, value=value, quote=quote):
                print(f"{slot} is {value}: {quote!r} states it")
            case Suggest(slot=slot, value=value, quote=quote):
                print(f"{slot} may be {value}: {quote!r} suggests it")
            case _:
                print(operation)


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "a table for four on Christmas Eve"))
