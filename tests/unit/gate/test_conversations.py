"""People of five kinds get done what they came for, by the scripts that somebody else wrote."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path

import pytest

from sayso.reading.rule_extractor import RuleExtractor
from sayso.testing.gate_conversations import Played, play_conversations

SETS = Path(__file__).parents[2] / "vectors" / "gate" / "adversarial"


@pytest.fixture(scope="module")
def played() -> list[Played]:
    return asyncio.run(play_conversations(SETS, RuleExtractor()))


def test_they_end_right(played: list[Played]) -> None:
    """Held where it is, so that a change that loses one is seen."""
    right = [one.script.id for one in played if one.is_right]
    assert len(right) == 20, {one.script.id: one.end for one in played}


def test_nothing_is_asked_a_third_time(played: list[Played]) -> None:
    often = {one.script.id: one.end for one in played if "third time" in one.end}
    assert often == {}


def test_no_reply_is_said_again_right_after_it(played: list[Played]) -> None:
    for one in played:
        replies = [line for line in one.lines if line.startswith("  ") and "''" not in line]
        again = [a for a, b in pairwise(replies) if a == b]
        assert again == [], one.script.id
