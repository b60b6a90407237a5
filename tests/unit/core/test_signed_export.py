"""A document that left is genuine as it was signed, here and nowhere else."""

from __future__ import annotations

import pytest

from sayso.core.audit import AuditKeys, ExportResult, check_signed, signed
from sayso.core.digest import JsonObject

KEYS = AuditKeys.read("a key of enough characters\nand the one that was before it")
DOCUMENT: JsonObject = {"app_id": "default", "body": {"amount": 5.0, "who": "ana"}}


def test_it_is_genuine_also_under_a_former_key():
    for key in (KEYS.current, *KEYS.former):
        assert check_signed(signed(DOCUMENT, key), "default", KEYS) is ExportResult.GENUINE


@pytest.mark.parametrize(
    "changed",
    [{"body": {"amount": 6.0, "who": "ana"}}, {"more": 1}, {"signature": ""}, {"app_id": "other"}],
)
def test_whatever_changed_is_told(changed: JsonObject):
    document = signed(DOCUMENT, KEYS.current)
    assert check_signed({**document, **changed}, "default", KEYS) is ExportResult.CHANGED


def test_another_tenants_and_an_unknown_key_are_told():
    document = signed(DOCUMENT, KEYS.current)
    assert check_signed(document, "other", KEYS) is ExportResult.CHANGED
    others = AuditKeys.read("the key of quite another server")
    assert check_signed(document, "default", others) is ExportResult.UNKNOWN_KEY
