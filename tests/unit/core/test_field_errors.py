"""What pydantic finds wrong, at the places that the person knows: a union's branches are none."""

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field, ValidationError

from sayso.core.field_errors import field_errors


class Card(BaseModel):
    kind: Literal["card"]
    number: int


class Cash(BaseModel):
    kind: Literal["cash"]
    coins: int | None


class Payment(BaseModel):
    amount: int | Literal["all"]
    by: Annotated[Card | Cash, Field(discriminator="kind")]
    parts: list[int | float] = []


PAID = {"amount": 1, "by": {"kind": "cash", "coins": 2}}


@pytest.mark.parametrize(
    ("given", "places"),
    [
        ({**PAID, "amount": "some"}, ["amount"]),
        ({**PAID, "by": {"kind": "card", "number": "x"}}, ["by/number"]),
        ({**PAID, "by": {"kind": "card"}}, ["by/number"]),
        ({**PAID, "by": {"kind": "cheque"}}, ["by"]),
        ({**PAID, "parts": [1, "x"]}, ["parts/1"]),
        ({"by": PAID["by"]}, ["amount"]),
    ],
)
def test_each_field_is_named_once_as_it_was_given(given: object, places: list[str]) -> None:
    with pytest.raises(ValidationError) as refused:
        Payment.model_validate(given)
    assert [error["path"] for error in field_errors(refused.value, given)] == places


def test_a_field_of_two_kinds_says_what_each_of_them_needs() -> None:
    given = {**PAID, "amount": "some"}
    with pytest.raises(ValidationError) as refused:
        Payment.model_validate(given)
    (error,) = field_errors(refused.value, given)
    assert "integer" in str(error["message"])
    assert ", or: Input should be 'all'" in str(error["message"])
