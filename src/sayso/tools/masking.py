"""Secrets in arguments: "•••" stands in their place in all that is shown, told and logged; only the
body gets them."""

from __future__ import annotations

import json
import logging
import math
import re
import traceback
from collections.abc import Collection, Iterator
from typing import TypeGuard

from pydantic import JsonValue

from sayso.core.cards import Change
from sayso.core.digest import JsonObject
from sayso.core.raised import words_of

MASK = "•••"
#: Shorter secrets are masked by their key only: replacing "1" everywhere would hide the card
#: itself.
_FIND_FROM_LENGTH = 4
_FIND_FROM_DIGITS = 3
_NUMBER = re.compile(r"\d[\d,]*(\.\d+)?")


class Mask:
    """Hides the values of declared arguments: whole under their names, and leaf by leaf, whatever
    the type, in texts and under other names."""

    def __init__(self, names: Collection[str], arguments: JsonObject) -> None:
        self._names = frozenset(names)
        declared = [value for name, value in arguments.items() if name in self._names]
        leaves = [leaf for value in declared for leaf in _leaves(value)]
        self._pattern = _pattern({form for leaf in (*declared, *leaves) for form in _forms(leaf)})

    @property
    def hides(self) -> bool:
        """Whether anything was declared a secret."""
        return bool(self._names)

    def object(self, body: JsonObject) -> JsonObject:
        if not self._names:
            return body
        return {
            self.text(key): MASK if key in self._names and value is not None else self.value(value)
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
        if _is_number(value) and self.text(str(value)) != str(value):
            return MASK
        return value

    def change(self, change: Change) -> Change:
        hidden = {"before": self.value(change.before), "after": self.value(change.after)}
        return change.model_copy(update=hidden)

    def text(self, text: str) -> str:
        return self._pattern.sub(MASK, text) if self._pattern is not None else text


def _leaves(value: JsonValue) -> Iterator[JsonValue]:
    match value:
        case dict():
            for part in value.values():
                yield from _leaves(part)
        case list():
            for part in value:
                yield from _leaves(part)
        case _:
            yield value


def _is_number(value: JsonValue) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _forms(value: JsonValue) -> set[str]:
    """Return how a secret may be written in a text. Yes, no and nothing are left out: every text
    has them."""
    if isinstance(value, str):
        forms = {value, repr(value)[1:-1], json.dumps(value)[1:-1]}
        return {form for form in forms if len(form) >= _FIND_FROM_LENGTH or form.isdecimal()}
    if _is_number(value) and not (isinstance(value, float) and not math.isfinite(value)):
        forms = {str(value), f"{value:,}", *_of_whole(value)}
        return {form.removeprefix("-") for form in forms}
    if isinstance(value, dict | list) and value:
        compact = (", ", ": "), (",", ":")
        return {str(value)} | {
            json.dumps(value, separators=separators, ensure_ascii=ascii)
            for separators in compact
            for ascii in (True, False)
        }
    return set()


def _of_whole(number: float) -> set[str]:
    """Return the other spelling of a whole number: 987 is also written 987.0, and the other way
    round."""
    if isinstance(number, int):
        return {f"{number}.0"}
    return {str(int(number))} if number.is_integer() else set()


def _pattern(forms: Collection[str]) -> re.Pattern[str] | None:
    """Return a pattern that finds each of these, the longest first; digits only as a number of
    their own."""
    found: list[str] = []
    for form in sorted(forms, key=len, reverse=True):
        if not _NUMBER.fullmatch(form):
            found.append(re.escape(form))
        elif sum(map(str.isdigit, form)) >= _FIND_FROM_DIGITS:
            found.append(rf"(?<!\d){re.escape(form)}(?!\d)")
    return re.compile("|".join(found)) if found else None


class Secrets:
    """The secrets that a segment's calls were given: its errors are told and logged without
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
            log.error("%s: %s", what, self.redacted(exc))
        else:
            log.error("%s", what, exc_info=exc)

    def redacted(self, exc: BaseException) -> str:
        """Return what stands in place of a traceback: class, place and masked message of an error
        and of its causes."""
        told: list[str] = []
        seen: BaseException | None = exc
        while seen is not None:
            place = "".join(
                f" at {frame.filename}:{frame.lineno}"
                for frame in traceback.extract_tb(seen.__traceback__)[-1:]
            )
            told.append(f"{type(seen).__name__}{place}: {self.text(words_of(seen))}")
            seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
        return ", from ".join(told)
