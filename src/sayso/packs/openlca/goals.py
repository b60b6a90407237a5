"""What somebody wants to model, read from one sentence or filled into a form."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, Field

_AMOUNT = r"\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?"
_LINE = re.compile(
    rf"({_AMOUNT})\s+(\S+)\s+(?:of\s+)?(.+?)(?=\s*(?:,|\band\b)\s*{_AMOUNT}\s|\s*$)", re.IGNORECASE
)
_GOAL = re.compile(
    rf"^model\s+(?:({_AMOUNT})\s+(\S+)\s+(?:of\s+)?)?(.+?)(?:\s+in\s+(.+?))?\s+from\s+(.+?)\.?$",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(r"fabrication of reinforced concrete", re.IGNORECASE)

MeasuredIn = Literal["Mass", "Volume", "Energy", "Area", "Length", "Number of items"]


@dataclass(frozen=True, slots=True)
class InputLine:
    """An input as it was said."""

    amount: float
    unit: str
    name: str


@dataclass(frozen=True, slots=True)
class Goal:
    """A product, the process that makes it, and what goes in."""

    product: str
    inputs: list[InputLine] = field(default_factory=list)
    process: str = ""
    location: str = ""
    category: str = ""
    flow_property: str = "Mass"
    amount: float = 1
    unit: str = ""


EXAMPLE = Goal(
    product="Reinforced concrete",
    process="Fabrication of reinforced concrete",
    location="Europe",
    category="Construction materials",
    inputs=[InputLine(10, "kg", "Concrete"), InputLine(5, "kg", "Steel rebar")],
)


class GoalForm(BaseModel):
    """What to model."""

    product: str = Field(title="Product", min_length=1, max_length=200)
    flow_property: MeasuredIn = Field("Mass", title="Measured in")
    amount: float = Field(1, title="Amount of the product", gt=0)
    location: str = Field("", title="Location", description="A country, or GLO, RER, RoW")
    inputs: str = Field(
        title="What goes in",
        description="For example: 10 kg Concrete, 5 kg Steel rebar",
        min_length=3,
        max_length=2000,
    )

    def goal(self) -> Goal:
        return Goal(
            product=self.product,
            inputs=read_lines(self.inputs),
            location=self.location,
            flow_property=self.flow_property,
            amount=self.amount,
        )


def read_goal(words: str) -> Goal | None:
    """Return what a sentence says; None where it is not of the form that the help shows."""
    if _EXAMPLE.search(words):
        return EXAMPLE
    found = _GOAL.match(words)
    lines = read_lines(found[5]) if found else []
    if found is None or not lines:
        return None
    return Goal(
        product=found[3].strip(" '\""),
        amount=_number(found[1]) if found[1] else 1,
        unit=found[2] or "",
        location=(found[4] or "").strip(" '\""),
        inputs=lines,
    )


def read_lines(words: str) -> list[InputLine]:
    """Return the inputs in "10 kg Concrete, 5 kg Steel rebar"."""
    found = _LINE.findall(words)
    return [InputLine(_number(amount), unit, name.strip(" ,.'\"")) for amount, unit, name in found]


def _number(words: str) -> float:
    return float(words.replace(",", "."))
