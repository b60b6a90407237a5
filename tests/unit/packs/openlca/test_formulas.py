"""Formulas, against what arithmetic says of them; and what is no formula."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.packs.openlca.formulas import FormulaMistake, Parameters, evaluate
from sayso.packs.openlca.model import Parameter


def no_parameter(name: str) -> float:
    raise FormulaMistake(name)


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("1 + 2 * 3", 7),
        ("-2 ^ 2", -4),
        ("2 ^ 3 ^ 2", 512),
        ("(1 + 2) * 3", 9),
        ("10 - 4 - 3", 3),
        ("8 / 4 / 2", 1),
        ("1.5e-3 * 2", 0.003),
        ("if(2 > 1; 10; 20)", 10),
        ("IF(1 = 2, 10, 20)", 20),
        ("max(1; 3; 2) + min(4; 2)", 5),
        ("sqrt(16) + abs(-3)", 7),
        ("and(1 < 2; 2 <= 2)", 1),
        ("2 * pi", 2 * math.pi),
    ],
)
def test_a_formula_has_its_value(formula: str, value: float) -> None:
    assert evaluate(formula, no_parameter) == pytest.approx(value)


@pytest.mark.parametrize(
    "formula",
    ["", "1 +", "(1", "1 2", "a", "__import__('os')", "1 / 0", "sqrt(-1)", "10^400", "if(1)",
     "(-8)^0.5", "(" * 500 + "1", "-" * 500 + "1", "1" * 5000],
)  # fmt: skip
def test_what_is_no_formula_is_said_to_be_none(formula: str) -> None:
    with pytest.raises(FormulaMistake):
        evaluate(formula, no_parameter)


def test_parameters_are_computed_from_each_other() -> None:
    own = [
        Parameter(name="years", value=5, is_input_parameter=True),
        Parameter(name="total", formula="Years * per_year", is_input_parameter=False),
        Parameter(name="a", formula="b", is_input_parameter=False),
        Parameter(name="b", formula="A", is_input_parameter=False),
    ]
    shared = [Parameter(name="per_year", value=3), Parameter(name="years", value=99)]
    found = Parameters(own, shared)
    assert found.value("TOTAL") == 15
    with pytest.raises(FormulaMistake, match="from itself"):
        found.value("a")


numbers = st.floats(0.01, 1000)


@given(numbers, numbers, numbers)
def test_as_python_computes_it(a: float, b: float, c: float) -> None:
    values = {"a": a, "b": b, "c": c}
    found = evaluate("a * (b + c) / b - c", values.__getitem__)
    assert found == pytest.approx(a * (b + c) / b - c)
