"""The decision that lists show is the answer's own: all that a row without a key has to go by."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from sayso.store.verbs.audit_check import _fits


@pytest.mark.parametrize(
    ("response", "fitting"),
    [
        (None, {None}),
        ({}, {"reject"}),
        ({"approved": False, "response_data": {"approved_rows": ["a"]}}, {"reject"}),
        ({"approved": True}, {"approve"}),
        ({"approved": True, "response_data": {"rejected_rows": {}}}, {"approve"}),
        ({"approved": True, "response_data": {"edits": {"n": 1}}}, {"approve"}),
        ({"approved": True, "response_data": "rejected_rows"}, {"approve"}),
        (
            {"approved": True, "response_data": {"approved_rows": []}},
            {"approve", "partial", "reject"},
        ),
        (
            {"approved": True, "response_data": {"rejected_rows": {"a": ""}}},
            {"approve", "partial", "reject"},
        ),
    ],
)
def test_a_changed_decision_does_not_fit_its_answer(
    response: JsonValue, fitting: set[str | None]
) -> None:
    found = {one for one in ("approve", "partial", "reject", None) if _fits(one, response)}
    assert found == fitting
