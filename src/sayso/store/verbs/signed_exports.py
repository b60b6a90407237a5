"""Documents that leave signed, with the keys of the audit, which only the store has."""

from __future__ import annotations

from sayso.core.audit import ExportResult, check_signed, signed
from sayso.core.digest import JsonObject
from sayso.store.transaction import Transaction, audit_keys


def sign_export(app_id: str, document: JsonObject) -> Transaction[JsonObject]:
    return signed({**document, "app_id": app_id}, (yield from audit_keys()).current)


def check_export(app_id: str, document: JsonObject) -> Transaction[ExportResult]:
    return check_signed(document, app_id, (yield from audit_keys()))
