"""A reply at the open card that says a value of it: what grants, and what may be a change."""

from __future__ import annotations

import pytest

from sayso.reading.card_marks import CardWords
from sayso.reading.reply_kinds import ReplyKind
from sayso.reading.yes_no import heard_in

CARD = CardWords(
    orders=("deploy the release",),
    verbs=("deploy",),
    things=("release",),
    values=("version 4.12.1", "4", "four", "friday"),
    labels=("version", "replicas"),
)


@pytest.mark.parametrize(
    "words",
    [
        "It is version 4.12.1.",
        "It's Friday",
        "yes it is 4",
        "Yes. It is version 4.12.1.",
        "I do 4",
        "make it 4",
        "please make it Friday",
        "set it to 4",
        "set 4",
        "start Friday",
        "I want that for 4",
        "I want it on Friday",
        "go Friday",
        "let's do Friday",
        "the version is 4.12.1",
    ],
)
def test_a_value_that_is_said_runs_nothing(words: str) -> None:
    """Also one that stands on the card: it may be meant for another field of it."""
    assert heard_in(words, card=CARD).leave is not ReplyKind.STRONG


@pytest.mark.parametrize(
    "words",
    [
        "Yes, version 4.12.1 on Friday",
        "It is, on Friday",
        "deploy it on Friday",
        "please deploy version 4.12.1",
        "Yes, Friday is right",
        "Friday is right, go ahead",
        "the version is right, deploy it",
        "the release is right",
        "deploy the release",
    ],
)
def test_a_yes_may_name_what_it_is_to(words: str) -> None:
    assert heard_in(words, card=CARD).leave is ReplyKind.STRONG


@pytest.mark.parametrize(
    "words",
    [
        "Friday is right",
        "4 is fine",
        "the version is right",
        "Yes, the version",
        "Yes, the version is correct",
        "the version and the replicas are right",
    ],
)
def test_a_yes_to_a_part_is_asked_about_the_rest(words: str) -> None:
    assert heard_in(words, card=CARD).leave is ReplyKind.WEAK
