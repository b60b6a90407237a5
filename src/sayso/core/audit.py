"""The audit: who decided what, when, on which digest, in one chain of hashes for each chat."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sayso.core.digest import JsonObject


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

    def as_json(self) -> JsonObject:
        return {
            "position": self.position,
            "chat_id": self.chat_id,
            "number": self.number,
            "at": self.at.isoformat(),
            "actor": self.actor,
            "action": self.action,
            "subject": self.subject,
            "body": self.body,
            "hash": self.hash,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenChain:
    chat_id: str
    number: int
