"""Quiet hours: by the clock on the wall, over midnight and where the clock turns."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic import JsonValue

from sayso.core.errors import InvalidInput
from sayso.core.preferences import check_preferences
from sayso.core.quiet_hours import QuietHours

NIGHT = {"from": "22:00", "until": "07:00", "zone": "Europe/Berlin"}
LUNCH = {"from": "12:00", "until": "13:00", "zone": "UTC"}


@pytest.mark.parametrize(
    ("hours", "now", "end"),
    [
        (NIGHT, "2026-07-01T19:59", None),
        (NIGHT, "2026-07-01T20:00", "2026-07-02T05:00"),
        (NIGHT, "2026-07-02T04:59", "2026-07-02T05:00"),
        (NIGHT, "2026-07-02T05:00", None),
        (LUNCH, "2026-07-02T12:30", "2026-07-02T13:00"),
        (LUNCH, "2026-07-02T13:00", None),
        # The night in which Berlin goes back an hour.
        (NIGHT, "2026-10-24T20:00", "2026-10-25T06:00"),
        (NIGHT, "2026-10-25T05:59", "2026-10-25T06:00"),
    ],
)
def test_they_end_by_the_clock_on_the_wall(hours: dict[str, str], now: str, end: str | None):
    read = QuietHours.read({**hours})
    assert read is not None
    ends = read.end_after(datetime.fromisoformat(now).replace(tzinfo=UTC))
    assert (ends and ends.astimezone(UTC).strftime("%Y-%m-%dT%H:%M")) == end


@pytest.mark.parametrize(
    "value",
    [
        "22:00",
        {},
        {**NIGHT, "zone": "Europe/Nowhere"},
        {**NIGHT, "zone": "../secret"},
        {**NIGHT, "from": "25:00"},
        {**NIGHT, "from": "07:00"},
        {**NIGHT, "more": "1"},
    ],
)
def test_what_are_no_quiet_hours_is_not_kept(value: JsonValue):
    with pytest.raises(InvalidInput, match="no quiet hours"):
        check_preferences({"quiet_hours": value})


def test_none_are_none():
    assert QuietHours.read(None) is None
    check_preferences({"theme": "dark"})
