"""Secrets in arguments: what is shown, told and logged has "•••" in their place; only the body gets
them."""

from __future__ import annotations

import json
import logging
import traceback
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
                written
                for name, value in arguments.items()
                if name in self._names
                and isinstance(value, str)
                and len(value) >= _FIND_FROM_LENGTH
                for written in (value, repr(value)[1:-1], json.dumps(value)[1:-1])
            },
            key=len,
            reverse=True,
        )

    @property
    def hides(self) -> bool:
        """Whether anything was declared a secret."""
        return bool(self._names)

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


class Secrets:
    """What the calls of a segment were given of secrets: its errors are told and logged without
    them."""

    def __init__(self) -> None:
        self._masks: list[Mask] = []

    def __bool__(self) -> bool:
        return bool(self._masks)

    def add(self, mask: Mask) -> None:
        if mask.hides:
            self._masks.append(mask)

    def text(self, text: str) -> str:
        for mask in self._masks:
            text = mask.text(text)
        return text

    def log(self, log: logging.Logger, what: str, exc: BaseException) -> None:
        """Log an error: with its whole traceback only where no secret can stand in it."""
        if self:
            log.error("%s: %s", what, self.told(exc))
        else:
            log.error("%s", what, exc_info=exc)

    def told(self, exc: BaseException) -> str:
        """In place of a traceback: the class, the place and the masked words of an error and of
        what it came from."""
        told: list[str] = []
        seen: BaseException | None = exc
        while seen is not None:
            place = "".join(
                f" at {frame.filename}:{frame.lineno}"
                for frame in traceback.extract_tb(seen.__traceback__)[-1:]
            )
            told.append(f"{type(seen).__name__}{place}: {self.text(str(seen))}")
            seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
        return ", from ".join(told)
