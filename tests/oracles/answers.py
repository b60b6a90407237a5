"""Answers of every form that the wire allows, and those of clients that are confused."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from tests.oracles.desk import Wire


@dataclass(frozen=True)
class Answer:
    """An answer to a card that nobody has seen yet. Rows are told by their place on it."""

    #: How it is written: the normal form, the approval payload's, or that in its wrapper.
    form: str = "short"
    yes: str = "approve"
    #: Places of rows; -1 is a row that is not there. None leaves the list out.
    approved: tuple[int, ...] | None = None
    rejected: tuple[int, ...] | None = None
    edits: Wire | None = None
    values: Wire | None = None
    option: Any = None
    notes: str | None = None
    #: right, none, wrong, old (of the revision before), other (of another open card)
    digest: str = "none"
    #: none, same, other
    id: str = "none"
    more: Wire = field(default_factory=dict)
    #: Written over the whole body at the end, as text: what JSON libraries write and JSON is not.
    raw: tuple[str, str] = ("", "")

    def body(self, card: Wire, *, old: str | None = None, other: Wire | None = None) -> bytes:
        parts: Wire = {}
        if self.approved is not None:
            parts["approved_rows"] = [self._row(card, n) for n in self.approved]
        if self.rejected is not None:
            parts["rejected_rows"] = {self._row(card, n): "not this" for n in self.rejected}
        for name, value in (
            ("edits", self.edits),
            ("values", self.values),
            ("selected_option", self.option),
            ("additional_notes", self.notes),
        ):
            if value is not None:
                parts[name] = value
        said = self._written(parts, card)
        if (digest := self._digest(card, old, other)) is not None:
            if self.form == "normal":
                said["metadata"] = {"digest": digest}
            else:
                said["digest"] = digest
        if self.id != "none":
            wrong = other["interaction_id"] if other else "someone-else"
            said["interaction_id"] = card["interaction_id"] if self.id == "same" else wrong
        return (
            json.dumps(said | self.more).replace(*self.raw).encode()
            if any(self.raw)
            else (json.dumps(said | self.more).encode())
        )

    def _written(self, parts: Wire, card: Wire) -> Wire:
        match self.form:
            case "normal":
                said: Wire = {"approved": self.yes != "reject", "response_data": parts}
                return said | ({"user_message": "No."} if self.yes == "reject" else {})
            case "flat":
                return {"approved": self.yes != "reject", "user_message": "So.", **parts}
            case "plain":
                return {**self._no(), **(self.values or {})}
            case "values":
                return {**self._no(), "values": self.values or {}}
            case _:
                return self._of_approval_payload(parts, card)

    def _no(self) -> Wire:
        return {"approved": False} if self.yes == "reject" else {}

    def _of_approval_payload(self, parts: Wire, card: Wire) -> Wire:
        decides = card["card"] not in ("options", "form", "ui_tool")
        if decides or self.yes == "reject":
            parts = {"decision": self.yes, "reason": "So.", **parts}
        if self.form == "short":
            return parts
        inner = "approval_decision" if decides else "user_input"
        said = self.values or {} if card["card"] in ("form", "ui_tool") else parts
        return {"tool_response": {"tool_name": "request_user_approval", inner: said}}

    @staticmethod
    def _row(card: Wire, place: int) -> str:
        rows = card["payload"].get("rows") or []
        return str(rows[place]["row_id"]) if 0 <= place < len(rows) else "99"

    def _digest(self, card: Wire, old: str | None, other: Wire | None) -> str | None:
        match self.digest:
            case "right":
                found = card["payload"]["sayso"].get("digest")
            case "old":
                found = old
            case "other":
                found = other["payload"]["sayso"].get("digest") if other else None
            case "wrong":
                found = "sha256:0"
            case _:
                return None
        return str(found) if found else None


def deep(levels: int) -> Any:
    return [deep(levels - 1)] if levels else 1


AMOUNTS: list[Any] = [0, 4.5, 50, -1, "5", None, True, 2**60, 2**63, 1e308, deep(60), {"a": 1}]
TABLES: list[Any] = [
    [{"to": "a", "amount": 9.0}, {"to": "b", "amount": 2.0}, {"to": "a", "amount": 3.0}],
    [{"to": "EVIL", "amount": 1.0}, {"to": "b", "amount": 2.0}, {"to": "a", "amount": 3.0}],
    [{"to": "a", "amount": 1.0}],
    [],
    "all",
    [{"to": "a", "amount": 2**60}, {"to": "b", "amount": 2.0}, {"to": "a", "amount": 3.0}],
]
EDITS: list[Wire | None] = [
    None,
    {},
    *({"amount": each} for each in AMOUNTS),
    {"amount": 5.0},
    {"note": "x" * 5000},
    {"order": 8},
    {"count": 4},
    {"count": "many"},
    {"name": "crate"},
    {"payments": None},
    *({"payments": each} for each in TABLES),
    {"items": [{"x": 1}]},
    {"exchanges": []},
]
VALUES: list[Wire | None] = [
    None,
    {"street": "Main", "floors": 2},
    {"street": "Main", "floors": "2"},
    {"street": "Main"},
    {"street": "Main", "floors": 2, "extra": 1},
    {
        "amount": 3,
        "reason": "MY OWN WORDS",
        "decision": "later",
        "digest": "none",
        "metadata": "m",
        "values": "v",
    },
    {
        "amount": 3,
        "reason": "mine",
        "decision": "reject",
        "digest": "",
        "metadata": "",
        "values": "",
    },
    {"approved": True, "interaction_id": "mine"},
    {"approved": False, "interaction_id": "mine"},
    {"plan": "go"},
    {"reason": "mine", "decision": "reject", "edits": "none"},
    {"reason": "mine", "decision": "approve", "edits": "e"},
]
MORE: list[Wire] = [
    {},
    {"metadata": "x"},
    {"metadata": ["x"]},
    {"metadata": {"digest": "sha256:0"}},
    {"metadata": {"always_allow": True}},
    {"approved": False},
    {"approved": "yes"},
    {"approved": 1},
    {"decision": "reject"},
    {"decision": "APPROVE"},
    {"tool_response": "approve"},
    {"response_data": None},
    {"suggestions": ["less"]},
    {"unknown": 1},
    {"edits": [1]},
    {"approved_rows": "1"},
    {"rejected_rows": ["1"]},
    {"user_message": None},
]
RAW = [("", ""), ("5.0", "NaN"), ("50", "Infinity"), ("4.5", "1e400"), ('"approve"', "true")]

_places = st.none() | st.lists(st.integers(-1, 2), max_size=3, unique=True).map(tuple)
#: Most of an answer is as it should be: one that is wrong in every part is refused for any of them.
_rarely = st.integers(0, 3).map(lambda n: n == 0)


def rarely(usual: Any, others: list[Any]) -> st.SearchStrategy[Any]:
    return _rarely.flatmap(lambda odd: st.sampled_from(others) if odd else st.just(usual))


ANSWERS: st.SearchStrategy[Answer] = st.builds(
    Answer,
    form=st.sampled_from(["normal", "short", "wrapper", "flat", "plain", "values"]),
    yes=st.sampled_from(["approve", "approve", "partial", "reject"]),
    approved=_places,
    rejected=_places,
    edits=rarely(None, EDITS),
    values=st.sampled_from(VALUES),
    option=rarely(None, ["red", "blue", "green", 1, ["red"], ""]),
    notes=rarely(None, ["by hand", "", "x" * 3000]),
    digest=st.sampled_from(["right", "right", "none", "wrong", "old", "other"]),
    id=rarely("none", ["same", "other"]),
    more=rarely({}, MORE),
    raw=rarely(("", ""), RAW),
) | st.builds(  # The simplest ones, which people write by hand.
    Answer,
    form=st.sampled_from(["normal", "short", "wrapper"]),
    yes=st.sampled_from(["approve", "partial"]),
    approved=_places,
    rejected=_places,
    edits=st.sampled_from(EDITS),
    digest=st.sampled_from(["right", "none"]),
)
