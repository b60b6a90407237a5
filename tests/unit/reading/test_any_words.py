"""No row of words breaks the reading: numbers past all bounds, days that are not, marks, nine
languages in one message, for a field of every type, known or not."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Literal

from pydantic import JsonValue

from sayso.core.extraction_ops import Reading
from sayso.core.requirements import Slot
from sayso.reading.rule_extractor import operations_in
from tests.seeds import SEED, SOAK
from tests.unit.reading.readers import slot

FIELDS: Mapping[str, tuple[Slot, JsonValue]] = {
    "day": (slot(date, "Which day?", name="day"), "2027-02-28"),
    "hour": (slot(time, "At what time?", name="hour"), "23:30:00"),
    "moment": (slot(datetime, "When does it begin?", name="moment"), "2027-12-31T23:30:00"),
    "weeks": (slot(timedelta, "For how many weeks?", name="weeks"), "P7D"),
    "people": (slot(int, "How many people?", name="people"), 3),
    "price": (slot(Decimal, "How much?", name="price"), "12.50"),
    "metres": (slot(float, "How many metres?", name="metres"), 2.5),
    "sure": (slot(bool, "Is it insured?", name="sure"), True),
    "size": (slot(Literal["a b", "large", "7"], "Which size?", name="size"), "large"),
    "hotel": (slot(str, "Which hotel?", name="hotel"), "Park Hotel"),
    "likes": (slot(list[str], "What do you like?", name="likes"), ["art"]),
}
ROWS = """
yesterday tomorrow 31 30 29 february monday next week last year 99999999999999999999 1e9 0 -5 24:00
25:61 1830 12.30 31.2. 2/30/2027 10000 9999 0001 million dozen half quarter past to a couple of days
longer double twice later earlier in from until weeks months P5D 1,000,000.99 ½ ٣ ３ 百億 万
三十一日 明天 去年 来週 午前 25時 2月30日 heute übermorgen vor 3000 jahren dans mille ans P 🎉
> { } ( ) | 31st 0th 99th not no yes ? Park Hotel
"""
WORDS = ROWS.split()
TODAYS = (datetime(2026, 11, 22, 9, tzinfo=UTC), datetime(2028, 2, 29, 9, tzinfo=UTC))
MESSAGES = 150


def test_no_row_of_words_breaks_the_reading() -> None:
    chance = random.Random(SEED)
    for _ in range(MESSAGES * SOAK):
        names = chance.sample([*FIELDS], 3)
        reading = Reading(
            message=chance.choice((" ", "\n")).join(chance.choices(WORDS, k=chance.randint(1, 14))),
            slots={name: FIELDS[name][0] for name in names},
            actions=(),
            asked=[name for name in names if chance.random() < 0.5],
            known={name: FIELDS[name][1] for name in names if chance.random() < 0.5},
            today=chance.choice(TODAYS),
        )
        try:
            found = operations_in(reading)
        except Exception as exc:
            raise AssertionError(
                f"{reading.message!r}, of {names}, knowing {reading.known}"
            ) from exc
        assert {op.slot for op in found if hasattr(op, "slot")} <= {*names}
