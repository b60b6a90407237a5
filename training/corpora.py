"""Public dialogues of people with services as examples, read from copies: nothing of them stands
here. `README.md` says which they are."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from sayso.core.requirements import (
    Given,
    Pending,
    RequirementState,
    Source,
    status_of,
    value_hash,
    values_for,
)
from sayso.gate.actions import Actions
from sayso.gate.person_message import PersonMessage
from sayso.gate.turn import reading_of_turn
from sayso.reading.inputs import FieldInput, Inputs, Kind, inputs_of
from sayso.reading.normalize import even, same_value
from sayso.reading.value_inputs import OptionInput, ValueInput
from sayso.testing.gate_bench import ActionLine, SlotLine, requirements_of, title_of
from sayso.testing.gate_slots import NO_MATTER, SlotKind
from training.examples import Example, Said, spans_in

_DAY = datetime(2019, 3, 1, 12, tzinfo=UTC)
_DIALOGUES_OF_A_FILE = 30
#: How many of the turns are kept in which nothing is stated.
_SILENT_KEPT = 0.6
_PRICE = re.compile("price|cost|fare|fee|balance|total")


@dataclass
class Turn:
    """What a person says to a service, and what was asked, read out and offered just before."""

    text: str
    #: What the agent had just said.
    before: str = ""
    asked: list[str] = field(default_factory=list)
    offered: dict[str, list[JsonValue]] = field(default_factory=dict)
    at_card: bool = False
    #: Of a reply to the open card, where it is plain: as in `training.examples.LEAVE`.
    leave: str = ""
    #: What it states of each slot: as it is said, and what that means. None: it cannot be told.
    stated: dict[str, tuple[str, JsonValue] | None] = field(default_factory=dict)
    #: All that is known after it, whoever said it.
    known: dict[str, JsonValue] = field(default_factory=dict)


def examples_of_dialogues(folder: Path, *, seed: int = 1) -> Iterator[Example]:
    """Yield examples of the copies in `folder`: `sgd/train` (Schema-Guided Dialogue),
    `restaurant8k` and `sim` (simulated dialogues), each where it is there."""
    chance = random.Random(seed)
    for action, turns in [
        *_guided(folder / "sgd" / "train", chance),
        *_restaurants(folder / "restaurant8k"),
        *_simulated(folder / "sim"),
    ]:
        yield from _of_dialogue(action, turns, chance)


def _of_dialogue(
    action: ActionLine, turns: Sequence[Turn], chance: random.Random
) -> Iterator[Example]:
    service = _Service.of(action)
    known: dict[str, JsonValue] = {}
    for turn in turns:
        if re.search(r"\w", turn.text) and (turn.stated or chance.random() < _SILENT_KEPT):
            yield service.example(turn, known)
        known = {**known, **turn.known}


@dataclass
class _Service:
    """An action as the bench declares it."""

    name: str
    actions: Actions

    @staticmethod
    def of(action: ActionLine) -> _Service:
        actions = Actions()
        requires, title = requirements_of(action), title_of(action.name)
        actions.add(action.name, None, requires=requires, title=title)
        return _Service(action.name, actions)

    def example(self, turn: Turn, known: Mapping[str, JsonValue]) -> Example:
        state = self._state(turn, known)
        message = PersonMessage(
            id="m",
            text=turn.text,
            at=_DAY,
            card_id="card",
            offered=turn.offered,
            tail=[("assistant", turn.before)] if turn.before else (),
        )
        reading = reading_of_turn(message, state, self.actions)
        inputs = inputs_of(reading)
        assert inputs is not None
        said = Said(
            self.name,
            "en",
            turn.text,
            turn.asked,
            dict(known),
            {name: [one[1]] for name, one in turn.stated.items() if one is not None},
            turn.leave if state.pending is not None else "",
            turn.before,
        )
        targets = [
            self._targets(one, turn, inputs, reading.known.get(one.name)) for one in inputs.fields
        ]
        return Example(said, f"dialogues/{self.name}", None, state, reading, inputs, targets)

    def _state(self, turn: Turn, known: Mapping[str, JsonValue]) -> RequirementState:
        spec = self.actions.specs[0]
        given = {
            name: Given(value=value, source=Source.FORM)
            for name, said in known.items()
            if (value := self.actions.normalise(name, said)) is not None
        }
        state = RequirementState(values=given, asked=tuple(turn.asked))
        if not turn.at_card or not status_of(spec, state).ready:
            return state
        hashes = {self.name: value_hash(self.name, values_for(spec, state))}
        pending = Pending(id="card", kind="card", hashes=hashes)
        return state.model_copy(update={"pending": pending, "requested": (self.name,)})

    def _targets(
        self, one: FieldInput, turn: Turn, inputs: Inputs, known: JsonValue
    ) -> list[int] | list[tuple[int, int]] | None:
        if one.name not in turn.stated:
            return [0]
        told = turn.stated[one.name]
        if told is None:
            return None
        words, meant = told
        value = self.actions.normalise(one.name, meant)
        start = inputs.text.lower().find(even(words).lower()) if words else -1
        end = start + len(even(words))
        if one.kind is Kind.TEXT:
            return [
                (a, b)
                for a, b, said in spans_in(inputs)
                if said.casefold() == even(words).casefold()
            ] or None
        if value is None and (start < 0 or one.kind is Kind.TRUTH):
            return None
        if one.kind is Kind.TRUTH:
            return [1 if value is True else 2]
        rows: Sequence[ValueInput | OptionInput] = one.values or one.options
        if value is not None:
            right = [at for at, row in enumerate(rows, 1) if same_value(row.value, value)]
        else:  # it is marked only where it stands: what our parsers read of most of these words
            inside = [
                (row.span[0] - row.span[1], at)
                for at, row in enumerate(rows, 1)
                if row.span is not None and start <= row.span[0] and row.span[1] <= end
            ]
            widest = [at for size, at in inside if size == min(inside)[0]]
            right = widest if re.fullmatch(r"\D*\d\d?\D?", words) else widest[:1]
        if known is not None and same_value(known, value):
            return [0, *right]
        return right or None


# ── Schema-Guided Dialogue ──


def _guided(folder: Path, chance: random.Random) -> Iterator[tuple[ActionLine, list[Turn]]]:
    if not folder.is_dir():
        return
    services = {
        one["service_name"]: one for one in json.loads((folder / "schema.json").read_text())
    }
    for path in sorted(folder.glob("dialogues_*.json")):
        dialogues = json.loads(path.read_text())
        for dialogue in chance.sample(dialogues, min(_DIALOGUES_OF_A_FILE, len(dialogues))):
            found = [
                (services[name], intent)
                for name in dialogue["services"]
                for intent in services[name]["intents"]
                if intent["is_transactional"] and _is_called(dialogue, intent["name"])
            ]
            if found:
                service, intent = chance.choice(found)
                yield _action(service, intent), [*_turns(dialogue, service, intent)]


def _is_called(dialogue: Mapping[str, Any], intent: str) -> bool:
    return any(
        frame.get("state", {}).get("active_intent") == intent
        for turn in dialogue["turns"]
        for frame in turn["frames"]
    )


def _action(service: Mapping[str, Any], intent: Mapping[str, Any]) -> ActionLine:
    wanted = [*intent["required_slots"], *intent["optional_slots"]]
    slots = [
        SlotLine(
            name=one["name"],
            description=one["description"],
            categorical=one["is_categorical"],
            values=one["possible_values"],
        )
        for one in service["slots"]
        if one["name"] in wanted
    ]
    return ActionLine(
        name=intent["name"],
        required=intent["required_slots"],
        optional=intent["optional_slots"],
        slots=slots,
    )


def _turns(
    dialogue: Mapping[str, Any], service: Mapping[str, Any], intent: Mapping[str, Any]
) -> Iterator[Turn]:
    own = {*intent["required_slots"], *intent["optional_slots"]}
    before: list[dict[str, Any]] = []
    words = ""
    known: dict[str, JsonValue] = {}
    for turn in dialogue["turns"]:
        frames = [f for f in turn["frames"] if f["service"] == service["service_name"]]
        acts = [act for frame in frames for act in frame["actions"] if act["slot"] in own]
        if turn["speaker"] == "SYSTEM":
            before, words = acts, turn["utterance"]
            known |= {  # what an agent reads out is on its card
                act["slot"]: act["canonical_values"][0]
                for act in acts
                if act["act"] == "CONFIRM" and act["canonical_values"]
            }
            continue
        stated: dict[str, tuple[str, JsonValue] | None] = {}
        for act in acts:
            if act["act"] == "INFORM" and act["values"]:
                value, meant = act["values"][0], act["canonical_values"][0]
                is_open = meant == NO_MATTER or len(act["values"]) > 1
                stated[act["slot"]] = None if is_open else (value, meant)
        values = frames[0]["state"]["slot_values"] if frames else {}
        shown = Turn(
            turn["utterance"],
            before=words,
            asked=[act["slot"] for act in before if act["act"] == "REQUEST"],
            offered={
                act["slot"]: list(act["values"])
                for act in before
                if act["act"] in ("OFFER", "REQUEST") and act["values"]
            },
            at_card=any(act["act"] == "CONFIRM" for act in before),
            stated=stated,
            leave=_leave([act for frame in turn["frames"] for act in frame["actions"]]),
        )
        told = {name: one[1] for name, one in stated.items() if one is not None}
        taken = {n: v[0] for n, v in values.items() if n in own and n not in known}
        shown.known = {**known, **taken, **told}
        known = shown.known
        yield shown


def _leave(acts: Sequence[Mapping[str, Any]]) -> str:
    """Return the leave that these acts give at a card: a yes with a question for the price is for
    nobody to judge."""
    kinds = {act["act"] for act in acts}
    prices = [act for act in acts if act["act"] == "REQUEST" and _PRICE.search(act["slot"])]
    if "AFFIRM" in kinds and "INFORM" not in kinds and not prices:
        return "run"
    return "no" if "NEGATE" in kinds else ""


# ── Restaurant-8k ──

_BOOKING = ActionLine(
    name="BookTable",
    required=["people", "date", "time", "first_name", "last_name"],
    slots=[
        SlotLine(name="people", description="Number of people"),
        SlotLine(name="date", description="Day of the booking"),
        SlotLine(name="time", description="Time of the booking"),
        SlotLine(name="first_name", description="First name of the guest"),
        SlotLine(name="last_name", description="Last name of the guest"),
    ],
)


def _restaurants(folder: Path) -> Iterator[tuple[ActionLine, list[Turn]]]:
    for path in sorted(folder.glob("train_*.json")):
        for one in json.loads(path.read_text()):
            text = one["userInput"]["text"]
            stated: dict[str, tuple[str, JsonValue] | None] = {}
            for label in one.get("labels", ()):
                span = label["valueSpan"]
                words = text[span.get("startIndex", 0) : span["endIndex"]]
                is_name = label["slot"].endswith("_name")
                stated[label["slot"]] = (words, words if is_name else "")
            asked = one.get("context", {}).get("requestedSlots", [])
            yield _BOOKING, [Turn(text, asked=asked, stated=stated)]


# ── simulated dialogues ──


def _simulated(folder: Path) -> Iterator[tuple[ActionLine, list[Turn]]]:
    for path in sorted(folder.glob("*train.json")):
        dialogues = json.loads(path.read_text())
        names = sorted(
            {
                one["slot"]
                for d in dialogues
                for turn in d["turns"]
                for one in turn["dialogue_state"]
            }
        )
        slots = [
            SlotLine(name=name, description=name.replace("_", " ").capitalize()) for name in names
        ]
        action = ActionLine(name=path.stem, required=names, slots=slots)
        for dialogue in dialogues:
            yield action, [*_simulated_turns(dialogue, slots)]


def _simulated_turns(dialogue: Mapping[str, Any], slots: Sequence[SlotLine]) -> Iterator[Turn]:
    words_only = {one.name for one in slots if one.kind is SlotKind.TEXT}
    for turn in dialogue["turns"]:
        said, acts = turn["user_utterance"], turn.get("system_acts", [])
        tokens = said["tokens"]
        stated: dict[str, tuple[str, JsonValue] | None] = {}
        for one in said["slots"]:
            words = " ".join(tokens[one["start"] : one["exclusive_end"]])
            stated[one["slot"]] = (words, words if one["slot"] in words_only else "")
        yield Turn(
            said["text"],
            asked=[act["slot"] for act in acts if act["type"] == "REQUEST" and "slot" in act],
            stated=stated,
            known={
                one["slot"]: one["value"]
                for one in turn["dialogue_state"]
                if one["slot"] in words_only
            },
        )
