"""Preferences of a person or of a chat: how much may be kept, as they are for display, not storage;
and the quiet hours, when a person wants to be told nothing, by the clock on their wall."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput, TooLarge
from sayso.core.json_limits import check_depth

MOST_KEYS = 100
MOST_KEY_CHARACTERS = 200
MOST_CHARACTERS = 64 * 1024
#: The preference that holds them.
QUIET_HOURS = "quiet_hours"


def check_preferences(values: JsonObject) -> None:
    """All of one person's, or of one chat's. Raises TooLarge, TooDeep, and InvalidInput
    for quiet hours that are none."""
    check_depth(values, "What is to be kept")
    if len(values) > MOST_KEYS:
        raise TooLarge(f"There are {len(values)} preferences; {MOST_KEYS} can be kept.")
    if any(len(key) > MOST_KEY_CHARACTERS for key in values):
        raise TooLarge(f"The name of a preference has more than {MOST_KEY_CHARACTERS} characters.")
    if len(repr(values)) > MOST_CHARACTERS:
        raise TooLarge(f"The preferences have more than {MOST_CHARACTERS:,} characters together.")
    QuietHours.read(values.get(QUIET_HOURS))


@dataclass(frozen=True, slots=True)
class QuietHours:
    since: time
    until: time
    zone: ZoneInfo

    @classmethod
    def read(cls, value: JsonValue) -> QuietHours | None:
        """Read `{"from": "22:00", "until": "07:00", "zone": "Europe/Berlin"}`; null is none.
        Raises InvalidInput."""
        if value is None:
            return None
        try:
            if not isinstance(value, dict) or value.keys() != {"from", "until", "zone"}:
                raise ValueError
            since, until = (time.fromisoformat(str(value[name])) for name in ("from", "until"))
            if since.tzinfo or until.tzinfo or since == until:
                raise ValueError
            return cls(since, until, ZoneInfo(str(value["zone"])))
        except (ValueError, OSError, KeyError) as exc:
            raise InvalidInput(
                "These are no quiet hours.",
                fix='Give two different times and a time zone: {"from": "22:00", "until": "07:00", '
                '"zone": "Europe/Berlin"}.',
                context={"errors": [{"path": QUIET_HOURS, "message": "cannot be read"}]},
            ) from exc

    def hold(self, now: datetime) -> bool:
        """Return whether this moment lies in them, by the hands of the clock: what it shows twice,
        or never, where it is turned is no other matter."""
        hands = now.astimezone(self.zone).time()
        if self.since < self.until:
            return self.since <= hands < self.until
        return hands >= self.since or hands < self.until
