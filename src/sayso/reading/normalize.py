"""Text made comparable: the same signs for the same thing, and for whole texts the same case."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

#: Characters of a message that are read for values. A longer message gives no order.
LONGEST_READ = 2000


def even(text: str) -> str:
    """Return the text with ASCII apostrophes, spaces and dashes, one character for one, so that
    positions in it stay valid."""
    return text.translate(_EVEN)


@lru_cache(maxsize=256)
def plain(text: str) -> str:
    """Return the text in lower case, with single spaces and ASCII apostrophes: for comparing.
    Positions in it are not those of the original."""
    return re.sub(r"\s+", " ", even(unicodedata.normalize("NFKC", text))).strip().casefold()


_EVEN = str.maketrans(
    {"’": "'", "‘": "'", "´": "'", "`": "'", "\u00a0": " ", "\u202f": " ", "–": "-"}
)
