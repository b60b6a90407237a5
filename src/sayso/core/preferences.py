"""How much may be kept of choices, of a person or of a chat: they are for display, not storage."""

from __future__ import annotations

from sayso.core.digest import JsonObject
from sayso.core.errors import TooLarge
from sayso.core.json_limits import check_depth
from sayso.core.quiet_hours import QUIET_HOURS, QuietHours

MOST_KEYS = 100
MOST_KEY_CHARACTERS = 200
MOST_CHARACTERS = 64 * 1024


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
