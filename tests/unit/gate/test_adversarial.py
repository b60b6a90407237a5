"""`sayso bench gate --adversarial`: what is counted, and what the rules must reach."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sayso.cli import app
from sayso.core.errors import InvalidInput
from sayso.core.extraction_ops import Confirm, Operation, Reading, Set
from sayso.reading.rule_extractor import RuleExtractor
from sayso.testing.gate_adversarial import Domains, GateApp, Marks, adversarial_marks

SETS = Path(__file__).parents[2] / "vectors" / "gate" / "adversarial"
_DOMAINS = {
    "today": "2026-11-23",
    "now": "2026-11-23T09:30",
    "domains": [
        {
            "name": "table",
            "action": "book_table",
            "title": {"en": "Book table"},
            "verb": {"en": "book the table"},
            "fields": [
                {"name": "place", "type": "text", "question": {"en": "Where?"}},
                {"name": "day", "type": "date", "question": {"en": "When?"}, "tense": "future"},
                {
                    "name": "area",
                    "type": "choice",
                    "question": {"en": "Inside?"},
                    "options": [
                        {"key": "in", "label": {"en": "Inside"}},
                        {"key": "out", "label": {"en": "Outside"}},
                    ],
                },
            ],
        }
    ],
}
_CARD = {"place": "Nove", "day": "2026-11-27", "area": "in"}


def _line(**own: Any) -> dict[str, Any]:
    return {"id": "x-1", "lang": "en", "kind": "plain", "domain": "table", **own}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    sets = {
        "no_leave": [
            _line(card=_CARD, say="yes", expect="no"),
            _line(card=_CARD, say="no", expect="ask"),
        ],
        "yes": [
            _line(card=_CARD, say="yes", expect="run"),
            _line(card=_CARD, say="no", expect="run"),
        ],
        "empty": [_line(asked=["place"], known={}, say="I said Oslo", empty=["place"])],
        "given": [
            _line(asked=["place"], known={}, say="Oslo", given={"place": ["the Oslo", "Rome"]}),
            _line(asked=["day"], known={}, say="Oslo", given={"day": ["2026-11-27"]}, or_ask=True),
        ],
    }
    (tmp_path / "domains.json").write_text(json.dumps(_DOMAINS))
    for name, lines in sets.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    return tmp_path


class _Scripted:
    """Hears a yes in "yes", and a place in every "Oslo"."""

    async def extract(self, reading: Reading) -> Sequence[Operation]:
        if reading.message == "yes":
            return [Confirm()]
        if "Oslo" in reading.message:
            return [Set(slot="place", value="Oslo", quote="Oslo")]
        return []


def _marks(folder: Path) -> Marks:
    return asyncio.run(adversarial_marks(folder, _Scripted()))


def _counted(marks: Marks, name: str) -> tuple[int, int]:
    return marks.figures[name].part, marks.figures[name].whole


def test_each_set_is_counted_against_what_it_asks_for(folder: Path) -> None:
    marks = _marks(folder)
    assert _counted(marks, "wrong_runs") == (1, 2)
    assert _counted(marks, "weak_asked") == (1, 1)
    assert _counted(marks, "heard_at_once") == (1, 2)
    # Shown the card again, a plain yes runs it.
    assert _counted(marks, "heard_after_question") == (2, 2)
    assert _counted(marks, "filled_wrongly") == (1, 1)
    # The article is no difference; what may be asked instead is right while it stands open.
    assert _counted(marks, "given_right") == (2, 2)
    assert _counted(marks, "others_touched") == (1, 4)
    assert marks.by_language["en"] == marks.figures
    assert [f.line.say for f in marks.failures if f.figure == "wrong_runs"] == ["yes"]


def test_what_is_optional_is_asked_for_as_well(folder: Path) -> None:
    domains = json.loads((folder / "domains.json").read_text())
    last = {"name": "last", "type": "date", "question": {"en": "When last?"}, "tense": "past"}
    domains["domains"][0]["fields"].append({**last, "required": False})
    found = GateApp(Domains.model_validate(domains), "table", "en", _Scripted()).actions.slots
    assert (found["last"].question, found["last"].tense) == ("When last?", "past")


def test_the_command_lists_what_came_out_wrong(folder: Path) -> None:
    found = CliRunner().invoke(
        app, ["bench", "gate", "--adversarial", "--sets", str(folder), "--show"]
    )
    assert "wrong_runs" in found.stdout
    assert "wrong_runs x-1 (plain): 'yes'" in found.stdout
    assert found.exit_code == 1
    told = CliRunner().invoke(
        app, ["bench", "gate", "--adversarial", "--sets", str(folder), "--json"]
    )
    assert json.loads(told.stdout)["figures"]["wrong_runs"]["whole"] == 2
    assert CliRunner().invoke(app, ["bench", "gate"]).exit_code == 2


def test_a_folder_or_a_line_that_cannot_be_read_is_named(folder: Path, tmp_path: Path) -> None:
    (folder / "yes.jsonl").write_text('{"id": "y"}\n')
    with pytest.raises(InvalidInput, match=r"Line 1 of yes\.jsonl"):
        _marks(folder)
    with pytest.raises(InvalidInput, match="holds no sets"):
        _marks(tmp_path / "nowhere")


#: By set and figure: held where they are, so that a change that loses any is seen.
_HELD: dict[str, dict[str, tuple[float, float]]] = {
    "adversarial": {
        "wrong_runs": (0, 0),
        "heard_at_once": (0.87, 1),
        "heard_after_question": (0.98, 1),
        "filled_wrongly": (0, 0.02),
        "given_right": (0.93, 1),
        "changes_taken": (0.83, 1),
    },
    "services": {
        "wrong_runs": (0, 0),
        "heard_at_once": (0.9, 1),
        "heard_after_question": (0.98, 1),
        "filled_wrongly": (0, 0.02),
        "given_right": (0.87, 1),
        "changes_taken": (0.9, 1),
    },
    "more": {
        "wrong_runs": (0, 0),
        "heard_at_once": (0.95, 1),
        "heard_after_question": (0.98, 1),
        "given_right": (0.85, 1),
    },
    "fresh": {
        "wrong_runs": (0, 0),
        "filled_wrongly": (0, 0.04),
        "given_right": (0.6, 1),
        "changes_taken": (0.8, 1),
    },
    "errands": {
        "filled_wrongly": (0, 0.04),
        "given_right": (0.65, 1),
    },
    "shops": {
        "wrong_runs": (0, 0),
        "heard_at_once": (0.88, 1),
        "heard_after_question": (0.98, 1),
        "filled_wrongly": (0, 0.03),
        "given_right": (0.89, 1),
    },
    "desks": {
        "wrong_runs": (0, 0),
        "heard_at_once": (0.86, 1),
        "heard_after_question": (0.98, 1),
        "filled_wrongly": (0, 0.03),
        "given_right": (0.88, 1),
    },
    "notices": {
        "wrong_runs": (0, 0),
        "heard_at_once": (0.75, 1),
        "heard_after_question": (0.97, 1),
    },
    "counters": {
        "wrong_runs": (0, 0),
        "heard_at_once": (0.78, 1),
        "heard_after_question": (0.95, 1),
        "filled_wrongly": (0, 0.03),
        "given_right": (0.92, 1),
    },
    "yards": {
        "wrong_runs": (0, 0),
        "heard_at_once": (0.77, 1),
        "heard_after_question": (0.96, 1),
        "filled_wrongly": (0, 0.04),
        "given_right": (0.95, 1),
    },
    "quays": {
        "wrong_runs": (0, 0),
        "heard_at_once": (0.86, 1),
        "heard_after_question": (0.97, 1),
        "filled_wrongly": (0, 0.04),
        "given_right": (0.88, 1),
    },
    "mills": {
        "wrong_runs": (0, 0),
        "heard_at_once": (0.82, 1),
        "heard_after_question": (0.98, 1),
        "filled_wrongly": (0, 0.03),
        "given_right": (0.79, 1),
    },
    "lofts": {
        "wrong_runs": (0, 0),
        "heard_at_once": (0.8, 1),
        "heard_after_question": (0.95, 1),
        "filled_wrongly": (0, 0.02),
        "given_right": (0.88, 1),
    },
    "barns": {
        "wrong_runs": (0, 0),
        "heard_at_once": (0.8, 1),
        "heard_after_question": (0.96, 1),
        "filled_wrongly": (0, 0.02),
        "given_right": (0.87, 1),
    },
    "farms": {
        "wrong_runs": (0, 0),
        "heard_at_once": (0.78, 1),
        "heard_after_question": (0.97, 1),
        "filled_wrongly": (0, 0.02),
        "given_right": (0.86, 1),
    },
    "pens": {
        "wrong_runs": (0, 0),
        "heard_at_once": (0.72, 1),
        "heard_after_question": (0.97, 1),
        "filled_wrongly": (0, 0.035),
        "given_right": (0.83, 1),
    },
    "sheds": {
        "wrong_runs": (0, 0),
        "heard_at_once": (0.8, 1),
        "heard_after_question": (0.97, 1),
        "filled_wrongly": (0, 0.02),
        "given_right": (0.89, 1),
    },
    "hooks": {
        "wrong_runs": (0, 0),
        "heard_at_once": (0.82, 1),
        "heard_after_question": (0.97, 1),
    },
    # One runs, said to a dog: "go on, Biscuit, out you go".
    "pegs": {
        "wrong_runs": (0, 0.004),
        "heard_at_once": (0.63, 1),
        "heard_after_question": (0.96, 1),
    },
    "cabs": {"filled_wrongly": (0, 0.02), "given_right": (0.86, 1)},
    "trams": {"filled_wrongly": (0, 0.02), "given_right": (0.91, 1)},
    "boats": {"filled_wrongly": (0, 0.02), "given_right": (0.88, 1)},
    "vets": {"filled_wrongly": (0, 0.03), "given_right": (0.84, 1)},
    "cakes": {"filled_wrongly": (0, 0.04), "given_right": (0.81, 1)},
    # Two ironical ones run: "he has only put the bathroom under water twice".
    "snares": {
        "wrong_runs": (0, 0.007),
        "heard_at_once": (0.6, 1),
        "heard_after_question": (0.95, 1),
    },
    "traps": {
        "wrong_runs": (0, 0),
        "heard_at_once": (0.75, 1),
        "heard_after_question": (0.96, 1),
    },
    # Three ironical orders run: "Go ahead, submit it. Who needs receipts. Who needs a job."
    "ruses": {
        "wrong_runs": (0, 0.013),
        "heard_at_once": (0.74, 1),
        "heard_after_question": (0.95, 1),
    },
    "plain": {
        "filled_wrongly": (0, 0.04),
        "given_right": (0.79, 1),
    },
}


@pytest.mark.parametrize("name", [*_HELD])
def test_the_rules_reach_what_is_promised(name: str) -> None:
    figures = asyncio.run(adversarial_marks(SETS.with_name(name), RuleExtractor())).figures
    for figure, (least, most) in _HELD[name].items():
        share = figures[figure].share
        assert share is not None
        assert least <= share <= most, figure
