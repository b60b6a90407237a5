"""What orjson refuses is kept all the same, however deep it lies."""

from __future__ import annotations

from sayso.store.codec import dump, load


def test_half_characters_and_large_integers_lie_deep_in_lists():
    assert load(dump({"rows": [["\ud800"], ("ok", 1)]})) == {"rows": [["?"], ["ok", 1]]}
    assert dump([2**70, "\ud800", float("nan")]) == f'[{2**70},"?",null]'
