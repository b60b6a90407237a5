"""Secrets in arguments: what is shown, told and logged has "•••" in their place; only the body gets
them."""

from __future__ import annotations

from collections.abc import Collection

from pydantic import JsonValue

from sayso.core.digest import JsonObject

MASK = "•••"
#: Shorter secrets are masked by their key only: replacing "1" everywhere would hide the card
#: itself.
_FIND_FROM_LENGTH = 4


class Mask:
    """Hides the values of declared arguments wherever they would be shown."""

    def __init__(self, names: Collection[str], arguments: JsonObject) -> None:
        self._names = frozenset(names)
        self._values = sorted(
            {
                value
                for name, value in arguments.items()
                if name in self._names
                and isinstance(value, str)
                and len(value) >= _FIND_FROM_LENGTH
            },
            key=len,
            reverse=True,
        )

    def object(self, body: JsonObject) -> JsonObject:
        if not self._names:
            return body
        return {
            key: MASK if key in self._names and value is not None else self.value(value)
            for key, value in body.items()
        }

    def value(self, value: JsonValue) -> JsonValue:
        if not self._names:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return self.object(value)
        return value

    def text(self, text: str) -> str:
        for secret in self._values:
            text = text.replace(secret, MASK)
        return text
