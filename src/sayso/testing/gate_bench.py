"""Score the gate on dialogues with known answers (`sayso bench gate`).

A line of the file is a dialogue about one action. Each turn of the person says which values are
then known, whether the action is ready, and whether it runs right after. The product's own
`take_turn` is given the same messages with `trigger="confirm"`, and each slot in the type that an
application would declare. Of the agent's turns it is told what a server would know: what was asked,
what was offered, and when a card was put to the person. The values on that card are the product's
own: where it has not heard all it needs, no card stands open. The answers are for scoring only.
"""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    TypeAdapter,
    ValidationError,
    create_model,
)

from sayso.core.errors import InvalidInput
from sayso.core.requirements import (
    Given,
    Offered,
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
from sayso.gate.grants import granted, grants_given_by
from sayso.gate.person_message import PersonMessage
from sayso.gate.turn import take_turn
from sayso.gate.yes_scope import one_value
from sayso.testing.gate_slots import NO_MATTER, Heard, SlotKind, is_true, kind_of, type_of

#: The day on which the dialogues of the data set take place.
TODAY = datetime(2019, 3, 1, 12, tzinfo=UTC)


class _Line(BaseModel):
    model_config = ConfigDict(extra="ignore")


class SlotLine(_Line):
    name: str
    description: str = ""
    categorical: bool = False
    values: list[str] = []

    @property
    def kind(self) -> SlotKind:
        return kind_of(self.name, self.values, categorical=self.categorical)


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


class Figure(BaseModel):
    """A share, with what it is a share of."""

    part: int
    whole: int

    @property
    def share(self) -> float | None:
        return round(self.part / self.whole, 3) if self.whole else None


class Score(BaseModel):
    """Names and measures as in the published scorer of this format, and then what happens with the
    product's own card. `run_missing` and `run_untriggered` have to be 0."""

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
    #: What is counted, by its name: each share above with what it is a share of, and the figures of
    #: the product's own card.
    counted: dict[str, Figure]
    #: Each run that went wrong, and each yes at an open card that was not heard.
    failures: list[str] = []


def read_dialogues(path: Path, limit: int | None = None) -> list[Dialogue]:
    """Return the dialogues of a JSONL file. Raises InvalidInput, naming the line."""
    found: list[Dialogue] = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if limit is not None and len(found) >= limit:
                break
            try:
                found.append(Dialogue.model_validate_json(line))
            except ValidationError as exc:
                raise InvalidInput(
                    f"Line {number} of {path.name} is no dialogue: {first_error(exc)}",
                    fix="One JSON object a line, as docs/how-to/gate.md describes it.",
                ) from exc
    if not found:
        raise InvalidInput(f"{path.name} holds no dialogue.", fix="Name a JSONL file with some.")
    return found


def first_error(exc: ValidationError) -> str:
    """Return the first thing that does not fit, and where."""
    first = exc.errors()[0]
    place = "/".join(str(part) for part in first["loc"])
    return f"{f'{place}: ' if place else ''}{first['msg']}"


async def score(dialogues: Sequence[Dialogue], extractor: Extractor, *, name: str = "") -> Score:
    tally = _Tally()
    for dialogue in dialogues:
        await _play(dialogue, extractor, tally)
    return tally.score(name, len(dialogues))


async def _play(dialogue: Dialogue, extractor: Extractor, tally: _Tally) -> None:
    heard = ReplayedDialogue(dialogue.action, extractor)
    before: TurnLine | None = None
    confirmed: set[str] = set()
    ready_at: int | None = None
    seen_at: int | None = None
    said, done = 0, False
    for number, turn in enumerate(dialogue.turns):
        if turn.speaker != "user":
            heard.agent_said(turn)
            confirmed = {slot for _, slot, _ in _acts(turn, "CONFIRM")}
            continue
        said, known_before = said + 1, heard.known()
        started = time.perf_counter()
        reply = await heard.person_said(turn.text)
        tally.seconds.append(time.perf_counter() - started)
        # Whoever means yes and is asked once more presses the button.
        ran = reply.ran or (turn.trigger and reply.asked and heard.person_clicked_yes())
        judged = _Judged(dialogue, turn, before, confirmed, reply, known_before, heard.known())
        tally.count(judged, ran=heard.ran_with() if ran else None)
        if ran and turn.trigger and not done:
            done = True
            tally.counts.update({"done": 1, "turns_to_done": said})
        if turn.ready and ready_at is None:
            ready_at = number
        if reply.ready and seen_at is None:
            seen_at = number
        before = turn
    if ready_at is not None:
        tally.lateness.append(math.inf if seen_at is None else seen_at - ready_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the product made of one message."""

    ready: bool
    #: The product's own card stood open when it was said.
    at_card: bool
    ran: bool
    #: The person is asked for a yes to what they see.
    asked: bool
    #: A value changed, so that a card is put to them for good reason.
    changed: bool


class ReplayedDialogue:
    """One dialogue as a server sees it: never more than what was said and shown so far."""

    def __init__(self, action: ActionLine, extractor: Extractor) -> None:
        self._extractor = extractor
        self._actions = Actions()
        self._name = action.name
        self._requires = requirements_of(action)
        self._actions.add(action.name, None, requires=self._requires, title=title_of(action.name))
        self._spec = self._actions.specs[0]
        self._state = RequirementState()
        self._tail: list[tuple[str, str]] = []
        self._offered: dict[str, list[Offered]] = {}
        #: What stood before the open card, for the values that an offer put on it.
        self._before_card: dict[str, Given | None] = {}
        self._ran_with: dict[str, Heard] = {}

    def agent_said(self, turn: TurnLine) -> None:
        self._tail.append(("assistant", turn.text))
        asked = [slot for act, slot, _ in _acts(turn, "REQUEST") if slot in self._spec.slots]
        if offers := self._values_of(turn, "OFFER"):
            self._offered = offers
        # "Shall it go to Rome?" offers an answer with the question.
        self._offered = {**self._offered, **self._values_of(turn, "REQUEST")}
        pending = None
        if turn.confirm_for == self._name:
            if any(slot in self._spec.slots for _, slot, _ in _acts(turn, "CONFIRM")):
                pending = self._card({})
            # "That hour is taken. Shall I book 8 pm?" leaves no choice.
            elif offers and all(len(values) == 1 for values in offers.values()):
                pending = self._card({slot: values[0] for slot, values in offers.items()})
        kept = [one for values in self._offered.values() for one in values]
        self._state = self._state.model_copy(
            update={
                "asked": tuple(asked),
                "pending": pending,
                "offers": tuple(kept),
                # A card stands open only for what was asked for.
                "requested": (self._name,) if pending is not None else (),
            }
        )

    async def person_said(self, text: str) -> Reply:
        message = PersonMessage(
            id=f"m{len(self._tail)}",
            text=text,
            at=TODAY,
            tail=self._tail[-6:],
            offered={slot: [o.value for o in found] for slot, found in self._offered.items()},
        )
        before = self._state
        at_card = before.pending is not None and before.pending.kind == "card"
        after = await take_turn(message, before, self._actions, self._extractor)
        ran = self._name in grants_given_by(message.id, after)
        if not ran:
            after = self._without_card(after)
        taken = [slot for slot in self._offered if value_of(after, slot) != value_of(before, slot)]
        for slot in taken:
            del self._offered[slot]
        self._state, self._before_card = after, {}
        self._tail.append(("user", text))
        ready = status_of(self._spec, after).ready
        asked = not ran and after.turn is not None and self._name in after.turn.actions
        if ran:
            self._run(message.id)
        return Reply(
            ready=ready,
            at_card=at_card,
            ran=ran and ready,
            asked=asked and ready,
            changed=after.values != before.values,
        )

    def person_clicked_yes(self) -> bool:
        """Press the button of the card or question that the last message led to."""
        click = f"click{len(self._tail)}"
        self._state = granted(
            self._state, self._spec, given_by=click, pending_id=None, interaction_id=click
        )
        self._run(click)
        return True

    def known(self) -> dict[str, Heard]:
        """Return every value that was given, or run with, and in which words."""
        given = {
            slot: Heard(one.value, one.offered or one.quote)
            for slot, one in self._state.values.items()
        }
        return {**self._ran_with, **given}

    def ran_with(self) -> dict[str, Heard]:
        return dict(self._ran_with)

    def _run(self, given_by: str) -> None:
        grant = grants_given_by(given_by, self._state)[self._name]
        used = use_grant(self._state, grant.id, grant.value_hash)
        assert used is not None
        self._state = used
        values = self._requires.model_validate(grant.values).model_dump(mode="json")
        # The defaults stood on the card as well, so from now on they are as good as said.
        self._ran_with = {slot: Heard(v) for slot, v in values.items() if v is not None}
        self._ran_with = self.known()

    def _values_of(self, turn: TurnLine, act: str) -> dict[str, list[Offered]]:
        """Return what the agent's words offer, read as the server reads an agent's offer."""
        found: dict[str, list[Offered]] = {}
        for _, name, values in _acts(turn, act):
            slot = self._spec.slots.get(name)
            for words in values if slot is not None else []:
                assert slot is not None
                said = one_value(str(words), slot, today=TODAY.date(), language="en")
                value = self._actions.normalise(name, said) if said is not None else None
                if value is not None:
                    found.setdefault(name, []).append(
                        Offered(slot=name, value=said, words=str(words))
                    )
        return found

    def _card(self, offered: Mapping[str, Offered]) -> Pending | None:
        """Return the card with the product's own values, and those that an offer names; there is
        none while anything is missing."""
        before = self._state
        given: dict[str, Given | None] = {
            slot: Given(
                value=self._actions.normalise(slot, one.value),
                source=Source.FORM,
                offered=one.words,
                message_id="card",
            )
            for slot, one in offered.items()
        }
        shown = with_values(before, given, self._actions.specs) if given else before
        if not status_of(self._spec, shown).ready:
            return None
        self._state = shown
        self._before_card = {slot: before.values.get(slot) for slot in given}
        hashes = {self._name: value_hash(self._name, values_for(self._spec, shown))}
        return Pending(id=f"card{len(self._tail)}", kind="card", hashes=hashes)

    def _without_card(self, state: RequirementState) -> RequirementState:
        back = {
            slot: given
            for slot, given in self._before_card.items()
            if (now := state.values.get(slot)) is not None and now.message_id == "card"
        }
        return with_values(state, back, self._actions.specs) if back else state


def requirements_of(action: ActionLine) -> type[Requirements]:
    """Return the action's slots as a model: what is required has a question, the rest a default or
    none."""
    fields: dict[str, Any] = {}
    for slot in action.slots:
        kind = type_of(slot.kind, slot.values)
        choices = tuple(slot.values) if slot.kind is SlotKind.CHOICE else ()
        ask = Ask(f"{slot.description or slot.name}?", choices=choices, why=slot.description)
        if slot.name in action.required:
            fields[slot.name] = (Annotated[kind, ask], ...)
        else:
            default = _default(kind, action.optional.get(slot.name))
            fields[slot.name] = (kind | None, Field(default, description=slot.description))
    made: type[Requirements] = create_model("Needed", __base__=Requirements, **fields)
    return made


def _default(kind: Any, said: JsonValue) -> object:
    if said is None or said == NO_MATTER:
        return None
    try:
        found: object = TypeAdapter(kind).validate_python(said)
    except ValidationError:
        return None
    return found


@dataclass(frozen=True, slots=True)
class _Judged:
    """A message with its answers, beside what the product made of it."""

    dialogue: Dialogue
    turn: TurnLine
    before: TurnLine | None
    #: What the agent had just read out: a default that a yes brings was not given by the person.
    confirmed: set[str]
    reply: Reply
    known_before: Mapping[str, Heard]
    known: Mapping[str, Heard]

    @property
    def right(self) -> set[str]:
        return {
            slot
            for slot in self.turn.gold
            if slot in self.known and self.is_right(slot, self.known)
        }

    @property
    def newly_given(self) -> set[str]:
        old = self.before.gold if self.before is not None else {}
        return {
            slot
            for slot, forms in self.turn.gold.items()
            if slot not in self.confirmed
            and not any(form in old.get(slot, ()) for form in forms)
            and forms != [NO_MATTER]
        }

    def is_right(self, slot: str, values: Mapping[str, Heard]) -> bool:
        kinds = {one.name: one.kind for one in self.dialogue.action.slots}
        kind = kinds.get(slot, SlotKind.TEXT)
        return is_true(values.get(slot), self.turn.gold.get(slot, []), kind, TODAY.date())


@dataclass
class _Tally:
    counts: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    #: By how many turns of the file readiness was seen too late.
    lateness: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def count(self, one: _Judged, *, ran: Mapping[str, Heard] | None) -> None:
        turn, reply, right = one.turn, one.reply, one.right
        known = {slot for slot in one.known if one.known[slot].value is not None}
        true = {slot for slot, forms in turn.gold.items() if forms != [NO_MATTER]}
        wrong = {slot for slot in turn.gold if ran is not None and not one.is_right(slot, ran)}
        wrong_required = wrong & set(one.dialogue.action.required)
        is_run = ran is not None
        missing, uncalled = is_run and not turn.ready, is_run and not turn.trigger
        yes_at_card = turn.trigger and reply.at_card
        lost = yes_at_card and not reply.ran
        if missing or uncalled or wrong or lost:
            what = "wrong run" if missing or uncalled else "wrong values" if wrong else "lost yes"
            held = {slot: str(ran[slot].value) for slot in wrong if ran and slot in ran}
            self.failures.append(f"{what} {one.dialogue.id}: {turn.text!r} {held or ''}".strip())
        other_at_card = reply.at_card and not turn.trigger
        empty = {slot.name for slot in one.dialogue.action.slots} - set(turn.gold)
        filled = {slot for slot in empty & known if one.known[slot] != one.known_before.get(slot)}
        self.counts.update(
            {
                "turns": 1,
                "joint": known == true == right & true,
                "right": len(right & known),
                "said": len(known),
                "true": len(true),
                "ready": reply.ready,
                "is_ready": turn.ready,
                "ready_right": reply.ready and turn.ready,
                "trig": reply.ran,
                "is_trig": turn.trigger,
                "trig_right": reply.ran and turn.trigger,
                "runs": is_run,
                "run_ok": is_run and turn.trigger and turn.ready and not wrong_required,
                "run_missing": missing,
                "run_untriggered": uncalled,
                "wrong_runs": missing or uncalled,
                "run_wrong_required": is_run and bool(wrong_required),
                "run_wrong_any": is_run and bool(wrong),
                "run_wrongval": is_run and turn.trigger and turn.ready and bool(wrong_required),
                "yes_at_card": yes_at_card,
                "heard_at_once": yes_at_card and reply.ran,
                "heard_after": yes_at_card and is_run,
                "other_at_card": other_at_card,
                "asked_elsewhere": other_at_card and reply.asked and not reply.changed,
                "empty": len(empty),
                "filled_empty": len(filled),
                "given": len(one.newly_given),
                "given_right": len(one.newly_given & right),
            }
        )

    def score(self, name: str, dialogues: int) -> Score:
        n, seconds = self.counts, sorted(self.seconds)

        def of(part: str, whole: str) -> Figure:
            return Figure(part=n[part], whole=n[whole])

        shares = {
            "joint": of("joint", "turns"),
            "slotP": of("right", "said"),
            "slotR": of("right", "true"),
            "slotF1": Figure(part=2 * n["right"], whole=n["said"] + n["true"]),
            "readyP": of("ready_right", "ready"),
            "readyR": of("ready_right", "is_ready"),
            "false_ready_rate": Figure(
                part=n["ready"] - n["ready_right"], whole=n["turns"] - n["is_ready"]
            ),
            "trigP": of("trig_right", "trig"),
            "trigR": of("trig_right", "is_trig"),
        }
        own = {
            "wrong_runs": of("wrong_runs", "runs"),
            "run_wrong_required": of("run_wrong_required", "runs"),
            "run_wrong_any": of("run_wrong_any", "runs"),
            "card_open": of("yes_at_card", "is_trig"),
            "heard_at_once": of("heard_at_once", "yes_at_card"),
            "heard_after_question": of("heard_after", "yes_at_card"),
            "asked_elsewhere": of("asked_elsewhere", "other_at_card"),
            "filled_empty": of("filled_empty", "empty"),
            "given_right": of("given_right", "given"),
            "turns_to_done": of("turns_to_done", "done"),
        }
        runs = ("runs", "run_ok", "run_missing", "run_untriggered", "run_wrongval")
        return Score.model_validate(
            {
                "name": name,
                "dialogues": dialogues,
                "turns": n["turns"],
                "gold_runs": n["is_trig"],
                **{count: n[count] for count in runs},
                **{figure: one.share for figure, one in shares.items()},
                "early": sum(turns < 0 for turns in self.lateness),
                "ontime": sum(turns == 0 for turns in self.lateness),
                "late": sum(0 < turns < math.inf for turns in self.lateness),
                "never": sum(turns == math.inf for turns in self.lateness),
                "p50ms": _milliseconds(seconds, 0.5),
                "p95ms": _milliseconds(seconds, 0.95),
                "counted": {**own, **shares},
                "failures": self.failures,
            }
        )


def _acts(turn: TurnLine, wanted: str) -> list[tuple[str, str, list[JsonValue]]]:
    found = []
    for act in turn.acts:
        if act and act[0] == wanted:
            values = act[2] if len(act) > 2 and isinstance(act[2], list) else []
            found.append((wanted, str(act[1]) if len(act) > 1 else "", values))
    return found


def value_of(state: RequirementState, slot: str) -> JsonValue:
    given = state.values.get(slot)
    return given.value if given is not None else None


def title_of(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name).capitalize()


def _milliseconds(seconds: Sequence[float], share: float) -> float:
    return round(1000 * seconds[min(int(len(seconds) * share), len(seconds) - 1)], 2)
