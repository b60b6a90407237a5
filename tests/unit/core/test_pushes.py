"""A place where people are told: by what it is told, and what its notice says."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import cast

import pytest

from sayso.core.interactions import Interaction
from sayso.core.messages import message, text_of
from sayso.core.pushes import Carrier, PushNotice, PushSubscription

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def place(endpoint: str, p256dh: str = "", language: str = "en") -> PushSubscription:
    return PushSubscription(
        app_id="a",
        id="p",
        person="ada",
        endpoint=endpoint,
        p256dh=p256dh,
        auth="",
        language=language,
        created_at=NOW,
        told_until=NOW,
        due_at=NOW,
    )


@pytest.mark.parametrize(
    ("endpoint", "p256dh", "carrier"),
    [
        ("https://push.example/1", "key", Carrier.PUSH),
        ("https://hooks.example/1", "", Carrier.WEBHOOK),
        ("mailto:ada@example.org", "", Carrier.MAIL),
    ],
)
def test_a_place_says_how_it_is_told(endpoint: str, p256dh: str, carrier: Carrier) -> None:
    assert place(endpoint, p256dh).carrier is carrier


def test_the_servers_own_title_is_in_the_language_of_the_place() -> None:
    card = SimpleNamespace(id="i", name=message("push.many", n=3), title="3 requests")
    notice = PushNotice(
        to=place("https://push.example/1", language="zh-Hans"),
        cards=cast("list[Interaction]", [card]),
        waiting=1,
        open_ids=["i"],
        told_until=NOW,
    )
    assert text_of("push.many", {"n": 3}, "zh-Hans", stored="") in str(notice.as_json()["title"])
