"""A place where people are told: by what it is told, and what its notice says."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sayso.core.pushes import Carrier, PushSubscription

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("endpoint", "p256dh", "carrier"),
    [
        ("https://push.example/1", "key", Carrier.PUSH),
        ("https://hooks.example/1", "", Carrier.WEBHOOK),
        ("mailto:ada@example.org", "", Carrier.MAIL),
    ],
)
def test_a_place_says_how_it_is_told(endpoint: str, p256dh: str, carrier: Carrier) -> None:
    place = PushSubscription(
        app_id="a",
        id="p",
        person="ada",
        endpoint=endpoint,
        p256dh=p256dh,
        auth="",
        created_at=NOW,
        told_until=NOW,
        due_at=NOW,
    )
    assert place.carrier is carrier
