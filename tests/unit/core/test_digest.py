"""What canonical JSON cannot say, for a card that has to open."""

from __future__ import annotations

from sayso.core.digest import JsonObject, as_canonical, canonical_json


def test_what_json_cannot_say_is_said_in_words_at_any_depth() -> None:
    value: JsonObject = {"n": [float("nan"), 2**70], "\ud800": {"s": "\ud800"}, "b": True}
    said = as_canonical(value)
    assert said == {"n": ["nan", str(2**70)], "?": {"s": "?"}, "b": True}
    canonical_json(said)
