"""The digest that binds what was shown to what runs: SHA-256 over canonical JSON (RFC 8785)."""

from __future__ import annotations

import hashlib
import secrets

import rfc8785
from pydantic import JsonValue

from sayso.core.errors import InvalidInput

JsonObject = dict[str, JsonValue]


def object_in(value: object) -> JsonObject:
    """Return this where it is a JSON object, and an empty one where it is anything else."""
    return value if isinstance(value, dict) else {}


def canonical_json(value: JsonValue) -> bytes:
    """RFC 8785 bytes of `value`. Raises InvalidInput for what JSON cannot say (NaN, bytes, huge
    integers)."""
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, ValueError, TypeError) as exc:
        raise InvalidInput(f"This value cannot be written as canonical JSON: {exc}") from exc


def as_canonical(value: JsonValue) -> JsonValue:
    """Return the same, with what canonical JSON cannot say in words: for a card that has to
    open."""
    match value:
        case dict():
            return {str(as_canonical(key)): as_canonical(one) for key, one in value.items()}
        case list():
            return [as_canonical(one) for one in value]
        case str():
            return value.encode("utf-8", "replace").decode()
        case _:
            try:
                canonical_json(value)
            except InvalidInput:
                return str(value)
            return value


def digest(value: JsonValue) -> str:
    """`sha256:` and the hex digest of the canonical JSON of `value`."""
    return f"sha256:{hashlib.sha256(canonical_json(value)).hexdigest()}"


def content_digest(content: bytes) -> str:
    """`sha256:` and the hex digest of these bytes."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def new_salt() -> str:
    """128 random bits: a digest made with them lets nobody try what it is over."""
    return secrets.token_hex(16)


def chain(previous: str, entry: JsonValue) -> str:
    """Return the next link of a hash chain: the digest of the previous link joined with this
    entry."""
    joined = previous.encode() + b"\n" + canonical_json(entry)
    return f"sha256:{hashlib.sha256(joined).hexdigest()}"
