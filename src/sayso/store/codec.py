"""How values lie in columns: JSON as text, times as microseconds since the epoch, in UTC."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel

from sayso.core.json_limits import check_depth

A = TypeVar("A")
B = TypeVar("B")

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def encode(value: object) -> bytes:
    """JSON bytes of what `model_dump(mode="json")` gives, whatever a tool or a model has said: what
    orjson refuses (an integer over 64 bits, half a surrogate pair) goes the slow way."""
    try:
        return orjson.dumps(value)
    except TypeError:
        check_depth(value, "What is to be kept")
        return json.dumps(_speakable(value), separators=(",", ":")).encode()


def dump(value: object) -> str:
    return encode(value).decode()


def dump_model(model: BaseModel) -> str:
    return encode(model.model_dump(mode="json")).decode()


def load(text: str) -> Any:
    return orjson.loads(text)


def optional(convert: Callable[[A], B], value: A | None) -> B | None:
    """Return the value converted, where there is one."""
    return convert(value) if value is not None else None


def clean(text: str) -> str:
    """Return text that every database takes: no half surrogate pairs, no NUL."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def micros(at: datetime) -> int:
    return (at - EPOCH) // _MICROSECOND


def instant(count: int) -> datetime:
    return EPOCH + timedelta(microseconds=count)


def _speakable(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {_speakable(key): _speakable(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_speakable(part) for part in value]
    return value
