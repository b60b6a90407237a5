"""A card or a chat as one signed JSON document, to be kept elsewhere and checked here later.

It is signed with the key of the audit, so that this server, or another with its key, can say
whether a document is as it was given out. It is no proof to those who have no key.
"""

from __future__ import annotations

import hmac
from enum import StrEnum

from sayso.core.audit import AuditKey, AuditKeys
from sayso.core.digest import JsonObject

_PURPOSE = "sayso export"
_SIGNATURE = "signature"


class ExportResult(StrEnum):
    GENUINE = "genuine"
    CHANGED = "changed"
    UNKNOWN_KEY = "unknown_key"


def signed(document: JsonObject, key: AuditKey) -> JsonObject:
    named = {**document, "key_id": key.id}
    return {**named, _SIGNATURE: key.hash(_PURPOSE, named)}


def check(document: JsonObject, app_id: str, keys: AuditKeys) -> ExportResult:
    """Say whether this is a document of this tenant as it was signed."""
    key = keys.get(str(document.get("key_id")))
    if key is None:
        return ExportResult.UNKNOWN_KEY
    rest = {name: value for name, value in document.items() if name != _SIGNATURE}
    given = str(document.get(_SIGNATURE)).encode()
    is_same = hmac.compare_digest(given, key.hash(_PURPOSE, rest).encode())
    is_ours = document.get("app_id") == app_id
    return ExportResult.GENUINE if is_same and is_ours else ExportResult.CHANGED
