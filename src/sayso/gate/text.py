"""Text made comparable, without a change to where anything stands."""

from __future__ import annotations

import re
import unicodedata

#: Characters of a message that are read for values; a longer one gives no order.
LONGEST_READ = 2000


def even(text: str) -> str:
    """Typed apostrophes and plain spaces, sign for sign, so that places in it stay true."""
    return text.translate(_EVEN)


def plain(text: str) -> str:
    """Small letters, single spaces, typed apostrophes: for comparing, not for places."""
    return re.sub(r"\s+", " ", even(unicodedata.normalize("NFKC", text))).strip().casefold()


_EVEN = str.maketrans(
    {"’": "'", "‘": "'", "´": "'", "`": "'", "\u00a0": " ", "\u202f": " ", "–": "-"}
)
