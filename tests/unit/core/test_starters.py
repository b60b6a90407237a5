"""What people may begin with is checked where the App is made, and belongs to an agent."""

import pytest

from sayso import AgentContext, App
from sayso.core.errors import InvalidInput


async def desk(ctx: AgentContext) -> None: ...


async def clerk(ctx: AgentContext) -> None: ...


def test_one_list_is_the_first_agents_and_a_dict_says_whose() -> None:
    words = ["refund order 1001", " check my orders ", "check my orders"]
    assert App(desk, starters=words).starters == {"desk": ("refund order 1001", "check my orders")}
    agents = {"desk": desk, "clerk": clerk}
    assert App(agents, starters=["a"]).starters == {"desk": ("a",)}
    assert App(agents, starters={"clerk": ["b"]}).starters == {"clerk": ("b",)}
    assert App(desk).starters == {}


def test_words_of_any_language_are_plain() -> None:
    words = ["می‌خواهم سفر کنم", "退款订单 1001", "Plan a party 👩‍👩‍👧", "x" * 80]
    assert App(desk, starters=words).starters == {"desk": tuple(words)}


@pytest.mark.parametrize(
    "wrong",
    [
        "refund order 1001",
        ["x" * 81],
        ["two\nlines"],
        ["a\x07bell"],
        ["two\u2028lines"],
        ["  "],
        [1001],
        ["a", "b", "c", "d", "e", "f", "g"],
        {"nobody": ["a"]},
    ],
)
def test_what_is_no_handful_of_short_plain_sentences_is_refused(wrong: object) -> None:
    with pytest.raises(InvalidInput):
        App(desk, starters=wrong)  # type: ignore[arg-type]  # as a person might write it
