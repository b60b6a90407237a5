"""Where a process is: ISO country codes and a few regions, with the ids that openLCA gives them."""

from __future__ import annotations

import hashlib
import uuid
from functools import cache

from sayso.core.digest import JsonObject
from sayso.packs.openlca.backend import fold

#: Beyond countries: what people write, by the code that openLCA keeps.
_REGIONS = {
    "GLO": ("Global", "world", "worldwide"),
    "RER": ("Europe", "european"),
    "RoW": ("Rest-of-World", "rest of the world"),
    "RNA": ("Northern America", "north america"),
    "RAS": ("Asia",),
    "RAF": ("Africa",),
    "RLA": ("Latin America", "south america"),
}
#: Codes of CLDR that are no country of ISO 3166.
_NO_COUNTRY = frozenset(
    ["AC", "CP", "CQ", "DG", "EA", "EU", "EZ", "IC", "QO", "TA", "UN", "XA", "XB", "XK", "ZZ"]
)


def location_id(code: str) -> str:
    """Return the id by openLCA's rule: a name-based UUID over the code in lower case."""
    digest = hashlib.md5(code.strip().lower().encode(), usedforsecurity=False).digest()
    return str(uuid.UUID(bytes=digest, version=3))


def code_of(words: str) -> str | None:
    """Return the code of a place, from the code itself or its name in English."""
    return _codes().get(fold(words))


def location(code: str) -> JsonObject:
    return {
        "@type": "Location",
        "@id": location_id(code),
        "name": names()[code],
        "code": code,
    }


def location_ref(code: str) -> JsonObject:
    return {"@type": "Location", "@id": location_id(code), "name": code}


@cache
def names() -> dict[str, str]:
    """Return the name of each code."""
    from babel import Locale

    countries = {
        str(code): str(name)
        for code, name in Locale("en").territories.items()
        if len(code) == 2 and code.isalpha() and code not in _NO_COUNTRY
    }
    return {**{code: words[0] for code, words in _REGIONS.items()}, **countries}


@cache
def _codes() -> dict[str, str]:
    found: dict[str, str] = {}
    for code, name in names().items():
        found[fold(code)] = found[fold(name)] = code
    for code, words in _REGIONS.items():
        found.update({fold(word): code for word in words})
    return found | {"usa": "US", "uk": "GB"}
