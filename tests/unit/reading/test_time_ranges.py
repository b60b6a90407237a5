"""Two times of which one tells the half of the day: "from 3 to 5 pm"."""

from __future__ import annotations

import pytest

from sayso.reading.lexicon import lexicon
from sayso.reading.parsers.times import times_in


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "from 3 to 5 pm"),
        ("en", "between 3 and 5pm"),
        ("en", "3-5 pm"),
        ("en", "from 3 pm to 5"),
        ("en", "3pm till 5."),
        ("en", "3pm-5pm"),
        ("fr", "15h-17h"),
        ("es", "de 3 a 5 de la tarde"),
        ("ja", "午後3時から5時まで"),
        ("zh", "下午3点到5点"),
        ("zh", "下午三点到五点"),
    ],
)
def test_both_ends_of_a_range_share_the_half_of_the_day(language: str, said: str) -> None:
    assert sorted(_values(language, said)) == ["15:00:00", "17:00:00"]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("from 11 to 1 pm", ["11:00:00", "13:00:00"]),
        ("from 9 to 5 pm", ["09:00:00", "17:00:00"]),
        ("from 9 am to 5", ["09:00:00", "17:00:00"]),
        ("from 10 to 2 am", ["22:00:00", "02:00:00"]),
        ("3.30-5.15pm", ["15:30:00", "17:15:00"]),
        ("from 3:30 to 5:15 pm", ["15:30:00", "17:15:00"]),
        ("from 3 to 3 pm", ["03:00:00", "15:00:00"]),
        ("from 3 pm to 3", ["15:00:00", "03:00:00"]),
        ("from 3 pm to 5 o'clock am", ["15:00:00", "05:00:00"]),
        ("from 3 am to 5 pm", ["03:00:00", "17:00:00"]),
        ("at 3 pm to 5 Elm Street", ["15:00:00"]),
        ("at 3 pm and 5 chairs", ["15:00:00"]),
        ("table 2-5 at 3 pm", ["15:00:00"]),
        ("on 2026-12-05 at 3 pm", ["15:00:00"]),
    ],
)
def test_which_half_of_the_day_is_shared(said: str, found: list[str]) -> None:
    assert _values("en", said) == found


def _values(language: str, said: str) -> list[str]:
    spans = times_in(said, lexicon(language))
    return [str(one.value) for one in sorted(spans, key=lambda one: one.start)]
