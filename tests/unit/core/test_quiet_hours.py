"""Quiet hours: by the clock on the wall, over midnight and where the clock turns."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic import JsonValue

from sayso.core.errors import InvalidInput
from sayso.core.preferences import QuietHours, check_preferences

NIGHT = {"from": "22:00", "until": "07:00", "zone": "Europe/Berlin"}
SHORT = {**NIGHT, "until": "02:30"}
SMALL = {"from": "02:30", "until": "05:00", "zone": "Europe/Berlin"}
LUNCH = {"from": "12:00", "until": "13:00", "zone": "UTC"}


@pytest.mark.parametrize(
    ("hours", "now", "quiet"),
    [
        (NIGHT, "2026-07-01T19:59", False),
        (NIGHT, "2026-07-01T20:00", True),
        (NIGHT, "2026-07-02T04:59", True),
        (NIGHT, "2026-07-02T05:00", False),
        (LUNCH, "2026-07-02T12:30", True),
        (LUNCH, "2026-07-02T13:00", False),
        # The night in which Berlin goes back an hour.
        (NIGHT, "2026-10-24T20:00", True),
        (NIGHT, "2026-10-25T05:59", True),
        # Half past two comes twice in that night: it is quiet each time.
        (SHORT, "2026-10-25T00:15", True),
        (SHORT, "2026-10-25T00:45", False),
        (SHORT, "2026-10-25T01:15", True),
        (SHORT, "2026-10-25T01:30", False),
        (SMALL, "2026-10-25T01:15", False),
        (SMALL, "2026-10-25T01:45", True),
        # And in the night in which it goes forward, never: at three it has passed.
        (SHORT, "2026-03-29T00:59", True),
        (SHORT, "2026-03-29T01:00", False),
        (SMALL, "2026-03-29T00:59", False),
        (SMALL, "2026-03-29T01:00", True),
        # A day that an island has left out.
        ({**NIGHT, "zone": "Pacific/Apia"}, "2011-12-30T10:30", True),
    ],
)
def test_they_hold_by_the_clock_on_the_wall(hours: dict[str, str], now: str, quiet: bool):
    read = QuietHours.read({**hours})
    assert read is not None
    assert read.hold(datetime.fromisoformat(now).replace(tzinfo=UTC)) is quiet


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
