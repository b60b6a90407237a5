"""The audit: who decided what, when, on which digest, in one chain of keyed hashes for each chat.

Each line is an HMAC over itself and the line before it, so that only who has the key can write one.
A *seal* joins the heads of the chats that moved since the seal before it: a chat, or the end of
one, cannot go unnoticed. A *head* is the last seal in few characters, to be kept elsewhere.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from pydantic import JsonValue

from sayso.core.digest import JsonObject, canonical_json, chain
from sayso.core.errors import InvalidInput

#: How far the seals may be behind the lines before it is told.
SEAL_SECONDS = 1.0
_UNSEALED_IS_TOLD_AFTER_SECONDS = 10.0
#: 16 characters of `openssl rand -base64 12` are 96 bits; shorter ones are words.
_LEAST_CHARACTERS = 16
_HEAD = re.compile(r"(?P<number>[1-9]\d{0,17})\.(?P<hash>[0-9a-f]{64})", re.ASCII)


@dataclass(frozen=True, slots=True)
class AuditKey:
    """What lines and seals are written with. Its id tells it from others and betrays nothing."""

    id: str
    _secret: bytes = field(repr=False)

    @classmethod
    def of(cls, secret: str) -> AuditKey:
        """Raises InvalidInput for one that can be guessed."""
        if len(secret) < _LEAST_CHARACTERS:
            raise InvalidInput(
                f"The audit key has fewer than {_LEAST_CHARACTERS} characters.",
                fix="`openssl rand -hex 32` makes one for SAYSO_AUDIT_KEY.",
            )
        # Stretched apart, so that the id, which stands in every line, is no hash of the key itself.
        key = hmac.digest(b"sayso audit key", secret.encode(), "sha256")
        return cls(hashlib.sha256(b"sayso audit key id" + key).hexdigest()[:16], key)

    def hash(self, purpose: str, value: JsonValue) -> str:
        told = purpose.encode() + b"\n" + canonical_json(value)
        return f"hmac-sha256:{hmac.digest(self._secret, told, 'sha256').hex()}"


@dataclass(frozen=True, slots=True)
class AuditKeys:
    """The key that is written with, and former ones, which only check."""

    current: AuditKey
    former: tuple[AuditKey, ...] = ()

    def get(self, key_id: str) -> AuditKey | None:
        return next((key for key in (self.current, *self.former) if key.id == key_id), None)

    @classmethod
    def read(cls, text: str) -> AuditKeys:
        """Keys as they are set: one, or the current one and after it the former ones, parted by
        commas or lines. Raises InvalidInput."""
        secrets = [part.strip() for part in re.split(r"[,\n]", text) if part.strip()]
        if not secrets:
            raise InvalidInput("The audit key is empty.", fix="Set it, or leave it out.")
        current, *former = map(AuditKey.of, secrets)
        return cls(current, tuple(former))


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLine:
    """A line as it is hashed. `body` is its stored text, so that a line can be checked whatever a
    tool has put into it."""

    app_id: str
    chat_id: str
    number: int
    at: datetime
    actor: str | None
    action: str
    subject: str
    body: str

    def link(self, previous: str, key: AuditKey | None) -> str:
        """Return the hash that binds this line to all before it. Lines of versions before 0006
        have no key."""
        entry: JsonObject = {
            "number": self.number,
            "at": self.at.isoformat(),
            "actor": self.actor,
            "action": self.action,
            "subject": self.subject,
            "body": hashlib.sha256(self.body.encode()).hexdigest(),
        }
        if key is None:
            return chain(previous, entry)
        place: JsonObject = {"app": self.app_id, "chat": self.chat_id, "previous": previous}
        return key.hash("line", entry | place)


@dataclass(frozen=True, slots=True)
class ChatEnd:
    """Where the chain of a chat stands."""

    number: int
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """The heads of the chats that moved since the seal before it."""

    app_id: str
    number: int
    at: datetime
    heads: Mapping[str, ChatEnd]
    key_id: str = ""
    hash: str = ""

    @property
    def head(self) -> str:
        """What to keep elsewhere."""
        return f"{self.number}.{self.hash.removeprefix('hmac-sha256:')}"

    def after(self, previous: str, key: AuditKey) -> Seal:
        """Return the same with the hash that it must have after this one."""
        moved: JsonObject = {chat: [end.number, end.hash] for chat, end in self.heads.items()}
        entry: JsonObject = {
            "app": self.app_id,
            "number": self.number,
            "at": self.at.isoformat(),
            "heads": moved,
            "previous": previous,
        }
        return replace(self, key_id=key.id, hash=key.hash("seal", entry))


@dataclass(frozen=True, slots=True)
class KeptHead:
    """A head that was kept elsewhere."""

    number: int
    hash: str

    @classmethod
    def read(cls, text: str) -> KeptHead:
        """Raises InvalidInput."""
        found = _HEAD.fullmatch(text.strip())
        if found is None:
            raise InvalidInput(
                f"{text[:100]!r} is not a head of the audit.",
                fix="Give what `sayso audit head` printed.",
            )
        return cls(int(found["number"]), f"hmac-sha256:{found['hash']}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One line of a chat's hash chain: who decided what, when, on which digest.

    `number` counts within the chat; `position` orders the lines of all chats and is the cursor.
    """

    position: int
    chat_id: str
    number: int
    at: datetime
    actor: str | None
    action: str
    subject: str
    body: JsonObject
    hash: str
    key_id: str | None = None

    def as_json(self) -> JsonObject:
        return {**asdict(self), "at": self.at.isoformat()}


class AuditResult(StrEnum):
    """What verifying finds. Only the first says that nothing was changed."""

    WHOLE = "whole"
    BROKEN = "broken"
    UNSEALED_TAIL = "unsealed_tail"
    NOT_CHECKABLE = "not_checkable"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenChain:
    """The first thing in a chat that does not fit. Of the seals themselves `chat_id` is ""."""

    chat_id: str
    number: int
    detail: str = ""

    def as_json(self) -> JsonObject:
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """What verifying a tenant's audit found."""

    broken: Sequence[BrokenChain] = ()
    lines: int = 0
    #: Lines newer than the last seal, and how long the oldest of them has been so.
    unsealed: int = 0
    unsealed_seconds: float = 0.0
    #: Lines and seals whose key is not here, and the ids of those keys.
    without_key: int = 0
    missing_keys: Sequence[str] = ()
    #: Lines that were written before lines had a key. The first seal vouches for them from its
    #: time on; those that it does not know cannot be checked.
    older_than_key: int = 0
    older_unsealed: int = 0
    seal: Seal | None = None

    @property
    def result(self) -> AuditResult:
        if self.broken:
            return AuditResult.BROKEN
        if self.without_key or self.older_unsealed:
            return AuditResult.NOT_CHECKABLE
        if self.unsealed_seconds > _UNSEALED_IS_TOLD_AFTER_SECONDS:
            return AuditResult.UNSEALED_TAIL
        return AuditResult.WHOLE

    def as_json(self) -> JsonObject:
        """For the wire. `intact` and `broken` are what clients of the first version read."""
        missing: list[JsonValue] = list(self.missing_keys)
        return {
            "intact": self.result is AuditResult.WHOLE,
            "broken": [one.as_json() for one in self.broken],
            "result": self.result.value,
            "lines": self.lines,
            "unsealed": self.unsealed,
            "without_key": self.without_key,
            "missing_keys": missing,
            "older_than_key": self.older_than_key,
            "older_unsealed": self.older_unsealed,
            "sealed_at": self.seal.at.isoformat() if self.seal is not None else None,
            "head": self.seal.head if self.seal is not None else None,
        }


def head_as_json(seal: Seal | None) -> JsonObject:
    """Return the last seal, for the wire; without one, nothing is sealed."""
    if seal is None:
        return {"head": None, "number": 0, "sealed_at": None}
    return {"head": seal.head, "number": seal.number, "sealed_at": seal.at.isoformat()}


# ── a card or a chat as one signed document, to be kept elsewhere and checked here later ──

_PURPOSE = "sayso export"
_SIGNATURE = "signature"


class ExportResult(StrEnum):
    GENUINE = "genuine"
    CHANGED = "changed"
    UNKNOWN_KEY = "unknown_key"


def signed(document: JsonObject, key: AuditKey) -> JsonObject:
    """Sign a document with the key of the audit, so that this server, or another with its key, can
    say whether it is as it was given out. It is no proof to those who have no key."""
    named = {**document, "key_id": key.id}
    return {**named, _SIGNATURE: key.hash(_PURPOSE, named)}


def check_signed(document: JsonObject, app_id: str, keys: AuditKeys) -> ExportResult:
    """Say whether this is a document of this tenant as it was signed."""
    key = keys.get(str(document.get("key_id")))
    if key is None:
        return ExportResult.UNKNOWN_KEY
    rest = {name: value for name, value in document.items() if name != _SIGNATURE}
    given = str(document.get(_SIGNATURE)).encode()
    is_same = hmac.compare_digest(given, key.hash(_PURPOSE, rest).encode())
    is_ours = document.get("app_id") == app_id
    return ExportResult.GENUINE if is_same and is_ours else ExportResult.CHANGED
