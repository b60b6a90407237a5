"""Scores what reads the messages on dialogues with known answers (`sayso bench gate`).

A line of the file is a dialogue about one action; a person's turn says which values are then
known, whether all is, and whether the action ran right after it. Here the very `take_turn` of the
product hears the same messages with `trigger="confirm"`. Of the agent's turns it knows what the
server would know: what was asked, what was offered, and the open card with the values on it; a
value on a card counts as given once a plain yes has answered it. The answers are read for scoring
only, after the turn.
"""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from difflib import SequenceMatcher
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, create_model

from sayso.core.errors import InvalidInput
from sayso.core.requirements import (
    Given,
    Pending,
    RequirementState,
    Source,
    status_of,
    use_grant,
    value_hash,
    values_for,
    with_values,
)
from sayso.gate.actions import Actions
from sayso.gate.extraction import Extractor
from sayso.gate.fields import Ask, Requirements
from sayso.gate.message import Message
from sayso.gate.turns import take_turn

#: Words this alike are the same value, once sorted: a slip of the pen, or "the" before it.
ALIKE = 0.88
#: The day on which the dialogues of the data set take place.
TODAY = datetime(2019, 3, 1, 12, tzinfo=UTC)


class _Line(BaseModel):
    model_config = ConfigDict(extra="ignore")


class SlotLine(_Line):
    name: str
    description: str = ""
    categorical: bool = False
    values: list[str] = []


class ActionLine(_Line):
    name: str
    required: list[str]
    optional: dict[str, JsonValue] = {}
    slots: list[SlotLine]


class TurnLine(_Line):
    """`acts`, for a turn of the agent: what it asked (REQUEST), offered (OFFER) and read out for a
    yes (CONFIRM), as [act, slot, values]. `confirm_for` is the action whose yes the agent waits
    for, so that an offer for the action itself is a card too. The answers of a person's turn are
    the last four."""

    speaker: str
    text: str
    acts: list[list[Any]] = []
    confirm_for: str | None = None
    gold: dict[str, list[str]] = {}
    ready: bool = False
    trigger: bool = False


class Dialogue(_Line):
    id: str = ""
    action: ActionLine
    turns: list[TurnLine]


class Score(BaseModel):
    """Names and measures as in the published scorer of this format. `run_missing` and
    `run_untriggered` have to be 0."""

    name: str
    dialogues: int
    turns: int
    joint: float | None
    slotP: float | None
    slotR: float | None
    slotF1: float | None
    readyP: float | None
    readyR: float | None
    false_ready_rate: float | None
    trigP: float | None
    trigR: float | None
    gold_runs: int
    runs: int
    run_ok: int
    run_missing: int
    run_untriggered: int
    run_wrongval: int
    early: int
    ontime: int
    late: int
    never: int
    p50ms: float
    p95ms: float


def read_dialogues(path: Path, limit: int | None = None) -> list[Dialogue]:
    """The dialogues of a JSONL file. Raises InvalidInput, naming the line."""
    found: list[Dialogue] = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if limit is not None and len(found) >= limit:
                break
            try:
                found.append(Dialogue.model_validate_json(line))
            except ValidationError as exc:
                first = exc.errors()[0]
                place = "/".join(str(part) for part in first["loc"])
                raise InvalidInput(
                    f"Line {number} of {path.name} is no dialogue: "
                    f"{f'{place}: ' if place else ''}{first['msg']}",
                    fix="One JSON object a line, as docs/how-to/gate.md describes it.",
                ) from exc
    if not found:
        raise InvalidInput(f"{path.name} holds no dialogue.", fix="Name a JSONL file with some.")
    return found


async def score(dialogues: Sequence[Dialogue], extractor: Extractor, *, name: str = "") -> Score:
    tally = _Tally()
    for dialogue in dialogues:
        heard = Hearing(dialogue.action, extractor)
        ready_at: int | None = None
        seen_at: int | None = None
        for number, turn in enumerate(dialogue.turns):
            if turn.speaker != "user":
                heard.agent_said(turn)
                continue
            started = time.perf_counter()
            slots, triggered = await heard.person_said(turn.text)
            tally.seconds.append(time.perf_counter() - started)
            ready = all(slot in slots for slot in dialogue.action.required)
            tally.count(turn, slots, dialogue.action.required, ready=ready, triggered=triggered)
            if turn.ready and ready_at is None:
                ready_at = number
            if ready and seen_at is None:
                seen_at = number
        if ready_at is not None:
            tally.lateness.append(math.inf if seen_at is None else seen_at - ready_at)
    return tally.score(name, len(dialogues))


class Hearing:
    """One dialogue as the server hears it: never more than what was said and shown so far."""

    def __init__(self, action: ActionLine, extractor: Extractor) -> None:
        self._extractor = extractor
        self._actions = Actions()
        self._name = action.name
        self._actions.add(
            action.name, None, requires=requirements_of(action), title=_title(action.name)
        )
        self._spec = self._actions.specs[0]
        self._state = RequirementState()
        self._tail: list[tuple[str, str]] = []
        self._offered: Mapping[str, list[JsonValue]] = {}
        #: What stood before the open card, for the values that only the card brought.
        self._before_card: dict[str, Given | None] = {}

    def agent_said(self, turn: TurnLine) -> None:
        self._tail.append(("assistant", turn.text))
        asked = [slot for act, slot, _ in _acts(turn, "REQUEST") if slot in self._spec.slots]
        offers = {s: v for _, s, v in _acts(turn, "OFFER") if s in self._spec.slots and v}
        if offers:
            self._offered = offers
        # "Shall it go to Rome?" offers an answer with the question.
        suggested = {s: v for _, s, v in _acts(turn, "REQUEST") if s in self._spec.slots and v}
        if suggested:
            self._offered = {**self._offered, **suggested}
        read_out = {s: v for _, s, v in _acts(turn, "CONFIRM") if s in self._spec.slots and v}
        pending = None
        if turn.confirm_for == self._name and (shown := read_out or _one_of_each(offers)):
            pending = self._card({slot: values[-1] for slot, values in shown.items()})
            if pending is None:
                self._offered = shown
        self._state = self._state.model_copy(update={"asked": tuple(asked), "pending": pending})

    async def person_said(self, text: str) -> tuple[dict[str, str], bool]:
        """The values that are known after these words, and whether they gave leave to run."""
        number = len(self._tail)
        message = Message(
            id=f"m{number}", text=text, at=TODAY, tail=self._tail[-6:], offered=self._offered
        )
        before = self._state
        after = await take_turn(message, before, self._actions, self._extractor)
        leave = [g for g in after.grants if g.given_by == message.id and g.status == "valid"]
        if not leave:
            after = self._without_card(after)
        ready = status_of(self._spec, after).ready
        for grant in leave:
            after = use_grant(after, grant.id, grant.value_hash) or after
        taken = any(
            _known(after, slot) in values and _known(before, slot) not in values
            for slot, values in self._offered.items()
        )
        if taken:
            self._offered = {}
        self._state, self._before_card = after, {}
        self._tail.append(("user", text))
        known = {slot: str(given.value) for slot, given in after.values.items()}
        return known, bool(leave) and ready

    def _card(self, shown: Mapping[str, JsonValue]) -> Pending | None:
        """The card that the agent's words read out; there is none while anything is missing."""
        before = self._state
        given: dict[str, Given | None] = {
            slot: Given(value=str(value), source=Source.FORM, message_id="card")
            for slot, value in shown.items()
        }
        self._before_card = {slot: before.values.get(slot) for slot in given}
        self._state = with_values(before, given, self._actions.specs)
        if not status_of(self._spec, self._state).ready:
            self._state, self._before_card = before, {}
            return None
        values = values_for(self._spec, self._state)
        hashes = {self._name: value_hash(self._name, values)}
        return Pending(id=f"card{len(self._tail)}", kind="card", hashes=hashes)

    def _without_card(self, state: RequirementState) -> RequirementState:
        back = {
            slot: given
            for slot, given in self._before_card.items()
            if (now := state.values.get(slot)) is not None and now.message_id == "card"
        }
        return with_values(state, back, self._actions.specs) if back else state


def requirements_of(action: ActionLine) -> type[Requirements]:
    """The action's slots as a model: what is required has a question, the rest may be absent."""
    fields: dict[str, Any] = {}
    for slot in action.slots:
        choices = tuple(slot.values) if slot.categorical else ()
        kind: Any = Literal[choices] if choices else str
        ask = Ask(f"{slot.description or slot.name}?", choices=choices, why=slot.description)
        if slot.name in action.required:
            fields[slot.name] = (Annotated[kind, ask], ...)
        else:
            fields[slot.name] = (kind | None, Field(None, description=slot.description))
    made: type[Requirements] = create_model("Needed", __base__=Requirements, **fields)
    return made


@dataclass
class _Tally:
    counts: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    #: By how many turns of the file readiness was seen too late.
    lateness: list[float] = field(default_factory=list)

    def count(
        self,
        turn: TurnLine,
        slots: Mapping[str, str],
        required: Sequence[str],
        *,
        ready: bool,
        triggered: bool,
    ) -> None:
        right = {slot for slot, value in slots.items() if same(value, turn.gold.get(slot, []))}
        ran = triggered and ready
        good = ran and all(slot in right for slot in required)
        self.counts.update(
            {
                "turns": 1,
                "joint": int(set(slots) == set(turn.gold) == right),
                "right": len(right),
                "said": len(slots),
                "true": len(turn.gold),
                "ready": int(ready),
                "is_ready": int(turn.ready),
                "ready_right": int(ready and turn.ready),
                "trig": int(triggered),
                "is_trig": int(turn.trigger),
                "trig_right": int(triggered and turn.trigger),
                "runs": int(ran),
                "run_ok": int(good and turn.trigger),
                "run_missing": int(ran and not turn.ready),
                "run_untriggered": int(ran and not turn.trigger),
                "run_wrongval": int(ran and turn.trigger and turn.ready and not good),
            }
        )

    def score(self, name: str, dialogues: int) -> Score:
        n, seconds = self.counts, sorted(self.seconds)
        return Score(
            name=name,
            dialogues=dialogues,
            turns=n["turns"],
            joint=_ratio(n["joint"], n["turns"]),
            slotP=_ratio(n["right"], n["said"]),
            slotR=_ratio(n["right"], n["true"]),
            slotF1=_ratio(2 * n["right"], n["said"] + n["true"]),
            readyP=_ratio(n["ready_right"], n["ready"]),
            readyR=_ratio(n["ready_right"], n["is_ready"]),
            false_ready_rate=_ratio(n["ready"] - n["ready_right"], n["turns"] - n["is_ready"]),
            trigP=_ratio(n["trig_right"], n["trig"]),
            trigR=_ratio(n["trig_right"], n["is_trig"]),
            gold_runs=n["is_trig"],
            runs=n["runs"],
            run_ok=n["run_ok"],
            run_missing=n["run_missing"],
            run_untriggered=n["run_untriggered"],
            run_wrongval=n["run_wrongval"],
            early=sum(turns < 0 for turns in self.lateness),
            ontime=sum(turns == 0 for turns in self.lateness),
            late=sum(0 < turns < math.inf for turns in self.lateness),
            never=sum(turns == math.inf for turns in self.lateness),
            p50ms=_milliseconds(seconds, 0.5),
            p95ms=_milliseconds(seconds, 0.95),
        )


def same(said: str, accepted: Sequence[str]) -> bool:
    """Whether a value is one of the accepted forms: equal, nearly so in any order of its words, or
    the greater part of one."""
    one = _comparable(said)
    for form in accepted:
        other = _comparable(form)
        if one == other or _alike(one, other) >= ALIKE:
            return True
        shorter, longer = sorted((one, other), key=len)
        if len(one) > 3 and shorter in longer and len(shorter) / len(longer) > 0.5:
            return True
    return False


def _alike(one: str, other: str) -> float:
    """Twice the common letters over all letters, with the words sorted."""
    left, right = " ".join(sorted(one.split())), " ".join(sorted(other.split()))
    if not left or not right:
        return 0.0
    return SequenceMatcher(None, left, right, autojunk=False).ratio()


def _comparable(text: str) -> str:
    return re.sub(r"[^a-z0-9:. ]", "", text.lower().strip()).replace("  ", " ")


def _acts(turn: TurnLine, wanted: str) -> list[tuple[str, str, list[JsonValue]]]:
    found = []
    for act in turn.acts:
        if act and act[0] == wanted:
            values = act[2] if len(act) > 2 and isinstance(act[2], list) else []
            found.append((wanted, str(act[1]) if len(act) > 1 else "", values))
    return found


def _one_of_each(offers: Mapping[str, list[JsonValue]]) -> Mapping[str, list[JsonValue]]:
    """What was offered, if it leaves no choice: "That hour is taken. Shall I book 8 pm?"."""
    return offers if all(len(values) == 1 for values in offers.values()) else {}


def _known(state: RequirementState, slot: str) -> JsonValue:
    given = state.values.get(slot)
    return given.value if given is not None else None


def _title(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name).capitalize()


def _ratio(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


def _milliseconds(seconds: Sequence[float], share: float) -> float:
    return round(1000 * seconds[min(int(len(seconds) * share), len(seconds) - 1)], 2)
