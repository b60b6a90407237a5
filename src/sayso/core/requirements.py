"""Requirements: what an expensive action must know, who said each value, and whether it may run.

All of it is one value, `RequirementState`, kept in the chat's row and changed by pure functions: a
message becomes operations, operations become the next state. A grant is the server's permission to
run one action once with one set of values; it is void as soon as a value changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sayso.core.digest import JsonObject, digest
from sayso.core.errors import GrantVoid, VersionConflict

#: More at once is an interrogation.
MOST_QUESTIONS = 2


Tense = Literal["past", "future"]


class Trigger(StrEnum):
    """When a ready action runs: after a card, at a phrase that names it, or by itself."""

    CONFIRM = "confirm"
    EXPLICIT = "explicit"
    AUTO = "auto"


class Source(StrEnum):
    """Who gave a value. Only a person's word, click or form, and the request's own context where a
    field allows it, ever count."""

    SAID = "said"
    CLICKED = "clicked"
    FORM = "form"
    CONTEXT = "context"
    DEFAULT = "default"


# ── what is to be known ──


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One thing to know. Actions that need the same thing share the slot, so nobody is asked
    twice."""

    name: str
    label: str
    question: str
    why: str = ""
    #: What a value may look like: JSON Schema, for the control that edits it.
    schema: Mapping[str, JsonValue]
    has_default: bool = False
    default: JsonValue = None
    #: Lower is asked first.
    precedence: int = 100
    #: How many entries a list needs before it counts as known.
    least: int = 1
    choices: tuple[str, ...] = ()
    #: The question in other languages, by their codes ("de").
    texts: Mapping[str, str] = field(default_factory=dict)
    #: Whether the request's context may give it.
    from_context: bool = False
    #: Where a day lies that could be of this year or another: "on Tuesday" is last or next Tuesday.
    tense: Tense = "future"

    def question_in(self, language: str) -> str:
        return self.texts.get(language) or self.question


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionNeed:
    """One field of an action: its own name for a slot, and whether it can do without."""

    field: str
    slot: Slot
    optional: bool = False
    #: An action may want a list where another wants one entry: the slot is the same.
    is_list: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionSpec:
    """An expensive action and what it needs. Its branch is its `name` in capitals:
    CHECKLIST of "checklist"."""

    name: str
    needs: tuple[ActionNeed, ...]
    trigger: Trigger = Trigger.CONFIRM
    phrases: tuple[str, ...] = ()
    title: str = ""
    #: The question on its card: "Wire the money?".
    ask: str = ""
    #: What it does, as an order: "wire the money". Its buttons and the server's sentences say it.
    verb: str = ""
    tool_name: str = ""

    @property
    def branch(self) -> str:
        return self.name.upper()

    @property
    def slots(self) -> dict[str, Slot]:
        return {need.slot.name: need.slot for need in self.needs}


# ── what is known ──


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Given(_Frozen):
    """A value and where it came from."""

    value: JsonValue
    source: Source
    #: The value in the person's own words, if they said it.
    quote: str = ""
    #: Where the quote stands in its message, in code points.
    span: tuple[int, int] | None = None
    message_id: str | None = None
    at: datetime | None = None
    #: Its message also asked, supposed or put something off: nothing runs on it by itself.
    hedged: bool = False
    #: Where the person took up what an agent had offered: its words, and the message they stand in.
    offered: str = ""
    offered_in: str | None = None


class Begun(_Frozen):
    """The day of a moment whose time nobody has told yet, and the words that tell it."""

    day: date
    quote: str
    message_id: str | None = None


class Offered(_Frozen):
    """A value that an agent puts to the person, and the words in which it does."""

    slot: str
    value: JsonValue
    words: str


class Pending(_Frozen):
    """What a plain yes would answer: an offer that was spoken, or a card that is open."""

    id: str
    kind: Literal["offer", "card"]
    #: Hash of the values that were offered, by action.
    hashes: dict[str, str]


class Grant(_Frozen):
    """The server's permission to run one action, once, with exactly these values."""

    id: str
    action: str
    value_hash: str
    #: What runs: the values as they stood when the grant was given.
    values: JsonObject
    pending_id: str | None = None
    #: The message, or the interaction that was clicked, that gave it.
    given_by: str
    #: The card that it was given on, clicked or answered in words; None where none was shown.
    interaction_id: str | None = None
    status: Literal["valid", "used", "void"] = "valid"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenYes:
    """Words that were read as the yes to a card, which they had taken the place of."""

    interaction_id: str
    message_id: str
    words: str


class TurnTaken(_Frozen):
    """The last message that was read, and what came of it; a segment made twice reads it once."""

    message_id: str
    #: Who has read it: a model or reader by its name, else the rules.
    read_by: str = "rules"
    #: Actions to run or to open a card for; empty: the turn is talk.
    actions: tuple[str, ...] = ()
    phase: str = "complete"
    said: str = ""
    #: It is the agent's to answer, before the card comes again.
    agent_first: bool = False
    #: It asks something beside its yes, which the agent answers once the yes has done its work.
    agent_last: bool = False
    #: The reply leaned to a yes, so that the card now asks outright.
    asks_outright: bool = False
    #: The question for information that came with a yes.
    question: str = ""
    #: The language that the person writes in; "" where nothing has told it yet.
    language: str = ""
    #: What the gate says to it, by paragraphs, each with its code where it has one.
    says: tuple[JsonObject, ...] = ()
    #: The slots that it asks for by a form, where questions were in vain.
    form: tuple[str, ...] = ()
    #: What the gate says once that form is settled; None until then.
    says_after_form: tuple[JsonObject, ...] | None = None
    #: The code of the words that the form is put with.
    form_says: str = ""


class RequirementState(_Frozen):
    """Everything that is known in a chat. `version` counts its changes: each write names the one it
    saw."""

    version: int = 0
    values: dict[str, Given] = Field(default_factory=dict)
    #: Days of moments that have no time yet: asked on about, never counted.
    begun: dict[str, Begun] = Field(default_factory=dict)
    #: Values that nobody's words support: shown, never counted.
    suggested: dict[str, Given] = Field(default_factory=dict)
    #: The slots of the last question, so that a bare answer finds its place.
    asked: tuple[str, ...] = ()
    #: Slots with a default that were asked about once already.
    asked_before: tuple[str, ...] = ()
    #: How often each slot was asked for, and each offer made, with nothing coming of it.
    asked_times: dict[str, int] = Field(default_factory=dict)
    #: What the gate has said since it last took a value, by its code, the last one last.
    said_before: tuple[str, ...] = ()
    #: Actions that were asked for in this chat and have not run since.
    requested: tuple[str, ...] = ()
    pending: Pending | None = None
    #: What the agent has offered in this turn, for the next message to take up.
    offers: tuple[Offered, ...] = ()
    grants: tuple[Grant, ...] = ()
    turn: TurnTaken | None = None


# ── where things stand ──


class ActionStatus(_Frozen):
    """The requirements status: what `check()` gives; the metadata holds it without `follow_up`."""

    ready: bool
    missing: list[str]
    has: list[str]
    follow_up: str = ""


def status_of(action: ActionSpec, state: RequirementState) -> ActionStatus:
    """A field with a default stands in `missing` while anything without one does; after that it is
    in `has`, assumed, and never blocks."""
    required = [n for n in action.needs if not n.optional]
    blocking = [n for n in required if not n.slot.has_default and not is_known(n.slot, state)]
    unsaid = [n for n in required if n.slot.has_default and n.slot.name not in state.values]
    missing = [n for n in required if n in blocking or (blocking and n in unsaid)]
    has = [n for n in action.needs if n not in missing and _is_given(n, state)]
    return ActionStatus(
        ready=not blocking,
        missing=[n.field for n in missing],
        has=[n.field for n in has],
        follow_up=" ".join(s.question for s in next_questions([action], state)),
    )


def next_questions(actions: Iterable[ActionSpec], state: RequirementState) -> list[Slot]:
    """Return at most two slots to ask about, over all these actions, in order of precedence. One
    with a default comes along once, and never alone."""
    slots = {n.slot.name: n.slot for action in actions for n in action.needs if not n.optional}
    blocking = [s for s in slots.values() if not s.has_default and not is_known(s, state)]
    if not blocking:
        return []
    spoken = (*state.values, *state.asked_before)
    once = [s for s in slots.values() if s.has_default and s.name not in spoken]
    first = sorted([*blocking, *once], key=lambda slot: slot.precedence)[:MOST_QUESTIONS]
    if any(_is_yes_or_no(slot) for slot in first):
        first = first[:1]  # beside another question, nobody could tell what a yes answers
    if not any(slot in blocking for slot in first):
        needed = min(blocking, key=lambda slot: slot.precedence)
        first = [needed] if any(map(_is_yes_or_no, (*first, needed))) else [first[0], needed]
    return first


def _is_yes_or_no(slot: Slot) -> bool:
    return slot.schema.get("type") == "boolean"


def is_known(slot: Slot, state: RequirementState) -> bool:
    given = state.values.get(slot.name)
    if given is None:
        return False
    return not isinstance(given.value, list) or len(given.value) >= slot.least


def values_for(action: ActionSpec, state: RequirementState) -> JsonObject:
    """Return the fields of an action as they would run: what was given, and the defaults."""
    values: JsonObject = {}
    for need in action.needs:
        given = state.values.get(need.slot.name)
        if given is not None:
            values[need.field] = _shaped(given.value, is_list=need.is_list)
        elif need.slot.has_default:
            values[need.field] = need.slot.default
    return values


def value_hash(action: str, values: Mapping[str, JsonValue]) -> str:
    """Return what a grant is bound to: SHA-256 over the canonical JSON of the action and its
    values."""
    return digest({"action": action, "values": dict(values)})


def valid_grant(
    action: str, values: Mapping[str, JsonValue], state: RequirementState
) -> Grant | None:
    """Return the unused grant to run this action with exactly these values, if there is one."""
    wanted = value_hash(action, values)
    return next(
        (
            grant
            for grant in state.grants
            if grant.status == "valid" and grant.action == action and grant.value_hash == wanted
        ),
        None,
    )


# ── changes ──


def with_values(
    state: RequirementState, given: Mapping[str, Given | None], actions: Iterable[ActionSpec]
) -> RequirementState:
    """These values set (or cleared, by None). Whatever was pending or granted on others is void."""
    values = {k: v for k, v in {**state.values, **given}.items() if v is not None}
    suggested = {k: v for k, v in state.suggested.items() if k not in given}
    begun = {k: v for k, v in state.begun.items() if k not in given}
    changed = state.model_copy(update={"values": values, "suggested": suggested, "begun": begun})
    return without_stale_grants(changed, actions)


def without_stale_grants(
    state: RequirementState, actions: Iterable[ActionSpec]
) -> RequirementState:
    """Grants whose values are no longer the ones that stand are void, and so is a pending offer."""
    now = {a.name: value_hash(a.name, values_for(a, state)) for a in actions}
    grants = _voided(state.grants, lambda g: now.get(g.action) != g.value_hash)
    pending = state.pending
    if pending is not None and any(now.get(a) != h for a, h in pending.hashes.items()):
        pending = None
    return state.model_copy(update={"grants": grants, "pending": pending})


def with_grant(state: RequirementState, grant: Grant) -> RequirementState:
    """Return a grant minted; an earlier valid one of the same action is void, as one yes is one
    run."""
    others = _voided(state.grants, lambda g: g.action == grant.action)
    return state.model_copy(update={"grants": (*others, grant), "pending": None})


def use_grant(state: RequirementState, grant_id: str, wanted_hash: str) -> RequirementState | None:
    """Return the state in which this grant is used; None where it is not there, used, void, or
    given for other values. The store calls it in the transaction that starts the effect."""
    found = next((g for g in state.grants if g.id == grant_id), None)
    if found is None or found.status != "valid" or found.value_hash != wanted_hash:
        return None
    grants = tuple(
        g.model_copy(update={"status": "used"}) if g.id == grant_id else g for g in state.grants
    )
    requested = tuple(name for name in state.requested if name != found.action)
    return state.model_copy(
        update={"version": state.version + 1, "grants": grants, "requested": requested}
    )


def started_over(state: RequirementState) -> RequirementState:
    """Nothing is known and nothing may run; what ran is remembered as such."""
    return RequirementState(
        version=state.version,
        grants=_voided(state.grants, lambda _: True),
        said_before=state.said_before,
    )


def has_run(action: ActionSpec, state: RequirementState) -> bool:
    """Return whether it ran with the values that stand now."""
    wanted = value_hash(action.name, values_for(action, state))
    return any(g.status == "used" and g.value_hash == wanted for g in state.grants)


def next_version(state: RequirementState) -> RequirementState:
    return state.model_copy(update={"version": state.version + 1})


# ── as the chat's row keeps it ──


def state_in(kept: JsonObject | None) -> RequirementState:
    """Return the state in what the chat's row says; an empty one where nothing was ever said."""
    return RequirementState.model_validate((kept or {}).get("state") or {})


def check_next(kept: JsonObject | None, changed: JsonObject) -> None:
    """Raises VersionConflict unless `changed` was made from exactly what is kept."""
    now = state_in(kept).version
    if changed.get("version") != now + 1:
        raise VersionConflict(f"The requirements are at version {now}; another change came first.")


def used_up(kept: JsonObject | None, grant_id: str, wanted_hash: str) -> JsonObject:
    """Return what is kept once this grant is used: the panel no longer shows its action as asked
    for. Raises GrantVoid."""
    used = use_grant(state_in(kept), grant_id, wanted_hash)
    if used is None:
        raise GrantVoid(f"The grant '{grant_id}' was used, or a value has changed since.")
    body = {**(kept or {}), "version": used.version, "state": used.model_dump(mode="json")}
    shown = body.get("requirements_detail")
    if isinstance(shown, dict):
        body["requirements_detail"] = {
            name: {**one, "requested": name in used.requested} if isinstance(one, dict) else one
            for name, one in shown.items()
        }
    return body


def _voided(grants: Iterable[Grant], is_void: Callable[[Grant], bool]) -> tuple[Grant, ...]:
    return tuple(
        g.model_copy(update={"status": "void"}) if g.status == "valid" and is_void(g) else g
        for g in grants
    )


def _is_given(need: ActionNeed, state: RequirementState) -> bool:
    return need.slot.name in state.values or need.slot.has_default


def _shaped(value: JsonValue, *, is_list: bool) -> JsonValue:
    if is_list:
        return value if isinstance(value, list) else [value]
    if isinstance(value, list):
        return ", ".join(str(entry) for entry in value)
    return value
