"""What somebody wants to model, read from one sentence or filled into a form; and what a proposal
becomes after a no: as the person's own words ask, where a rule understands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, Field

from sayso.core.digest import JsonObject
from sayso.packs.openlca.locations import code_of

_AMOUNT = r"\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?"
_LINE = re.compile(
    rf"({_AMOUNT})\s+(\S+)\s+(?:of\s+)?(.+?)(?=\s*(?:,|\band\b)\s*{_AMOUNT}\s|\s*$)", re.IGNORECASE
)
_GOAL = re.compile(
    rf"^model\s+(?:({_AMOUNT})\s+(\S+)\s+(?:of\s+)?)?(.+?)(?:\s+in\s+(.+?))?\s+from\s+(.+?)\.?$",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(r"fabrication of reinforced concrete", re.IGNORECASE)

_PROPERTIES = ("Mass", "Volume", "Energy", "Area", "Length", "Number of items", "Duration")
_NAMED = re.compile(
    r"\b(?:call(?:ed)?|name|rename|named)\s+(?:it\s+)?(?:to\s+)?[\"'“](.+?)[\"'”]", re.IGNORECASE
)
#: How product systems are to be linked, by the words for it.
_LINKING = {
    "IGNORE_DEFAULTS": re.compile(r"\b(?:ignore|without|no)\b.*\bdefault", re.IGNORECASE),
    "ONLY_DEFAULTS": re.compile(r"\bonly\b.*\bdefault", re.IGNORECASE),
    "PREFER_DEFAULTS": re.compile(r"\bprefer\b.*\bdefault", re.IGNORECASE),
}
_PREFERRED = re.compile(r"\bprefer\b.*\b(unit|system) process", re.IGNORECASE)
_TARGET = r"\b(?:to|use|in|into|consider|be|should be)\s+(?:the\s+)?"

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


def revised(arguments: JsonObject, words: Sequence[str]) -> JsonObject:
    """Return the arguments with what these words ask for; the same where nothing was understood.
    The reason comes first in them, and wins over the suggestions."""
    changed = dict(arguments)
    for said in reversed(words):
        held = _property_in(said)
        if held is not None and "flow_property" in arguments:
            changed["flow_property"] = held
        place = _place_in(said)
        if place is not None and "location" in arguments:
            changed["location"] = place
        named = _NAMED.search(said)
        if named is not None and "name" in arguments:
            changed["name"] = named[1].strip()
        if "provider_linking" in arguments:
            changed |= _linking_in(said)
    return changed


def revised_lines(lines: Sequence[InputLine], words: Sequence[str]) -> list[InputLine]:
    """Return the inputs with the amounts that these words give them: "use 8 kg Concrete"."""
    said = {one.name.casefold(): one for text in reversed(words) for one in read_lines(text)}
    return [said.get(one.name.casefold(), one) for one in lines]


def _number(words: str) -> float:
    return float(words.replace(",", "."))


def _linking_in(said: str) -> JsonObject:
    found: JsonObject = {}
    linking = next((name for name, words in _LINKING.items() if words.search(said)), None)
    if linking is not None:
        found["provider_linking"] = linking
    preferred = _PREFERRED.search(said)
    if preferred is not None:
        found["prefer_unit_processes"] = preferred[1].lower() == "unit"
    return found


def _property_in(said: str) -> str | None:
    found = re.search(rf"{_TARGET}({'|'.join(_PROPERTIES)})\b", said, re.IGNORECASE)
    return next((p for p in _PROPERTIES if found and p.lower() == found[1].lower()), None)


def _place_in(said: str) -> str | None:
    """Return the last place that is named after a word like "to" or "in", as it was written."""
    for found in re.finditer(rf"{_TARGET}((?:\w+[ -]?){{1,3}})", said, re.IGNORECASE):
        parts = found[1].split()
        for size in range(len(parts), 0, -1):
            place = " ".join(parts[:size])
            if code_of(place) is not None and (place[0].isupper() or len(parts) == 1):
                return place
    return None
