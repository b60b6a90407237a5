"""Score the gate on messages that are made to be misheard (`sayso bench gate --adversarial`).

A folder holds the sets (tests/vectors/gate/adversarial/README.md says their form): replies to an
open card that give no leave, real yeses, fields that must stay empty and fields that were given, in
nine languages. Each line is one message to the product's own `take_turn`, in an application that is
declared in the line's language.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError
from pydantic import create_model as make_model

from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput
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
from sayso.gate.extraction import Extractor
from sayso.gate.fields import Ask, Requirements
from sayso.gate.grants import grants_given_by
from sayso.gate.person_message import PersonMessage
from sayso.gate.questions import just_suggested
from sayso.gate.turn import take_turn
from sayso.testing.gate_bench import Figure, first_error, value_of

#: A plain yes to the question that a weak one leads to.
PLAIN_YES = {
    "en": "yes",
    "de": "ja",
    "fr": "oui",
    "es": "sí",
    "it": "sì",
    "nl": "ja",
    "pt": "sim",
    "ja": "はい",
    "zh": "是的",
}
#: With or without its article a name is the same.
_ARTICLES = {
    *("the", "a", "an", "der", "die", "das", "den", "le", "la", "les", "l", "el", "los", "las"),
    *("il", "lo", "i", "gli", "de", "het", "een", "o", "os", "as", "un", "une", "ein", "eine"),
}
_DURATION = TypeAdapter(timedelta)


class SetLine(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class OptionLine(SetLine):
    key: str
    label: dict[str, str]


class FieldLine(SetLine):
    name: str
    type: Literal[
        "text", "list", "date", "time", "datetime", "duration", "int", "money", "bool", "choice"
    ]
    question: dict[str, str]
    required: bool = True
    default: JsonValue = None
    minimum: int | None = None
    tense: Literal["past", "future"] | None = None
    options: list[OptionLine] = []


class Domain(SetLine):
    name: str
    action: str
    title: dict[str, str]
    verb: dict[str, str]
    fields: list[FieldLine]


class Domains(SetLine):
    today: date
    now: datetime
    domains: list[Domain]

    @property
    def by_name(self) -> dict[str, Domain]:
        return {domain.name: domain for domain in self.domains}


class _Said(SetLine):
    id: str
    lang: str
    kind: str
    domain: str
    say: str


class ReplyLine(_Said):
    """A reply to the open card: `no_leave.jsonl` and `yes.jsonl`."""

    card: JsonObject
    expect: Literal["no", "ask", "run"]
    change: JsonObject = {}


class EmptyLine(_Said):
    asked: list[str]
    known: JsonObject
    empty: list[str]


class GivenLine(_Said):
    asked: list[str]
    known: JsonObject
    given: dict[str, list[JsonValue]]
    or_ask: bool = False


_LineT = TypeVar("_LineT", bound=SetLine)


@dataclass(frozen=True, slots=True)
class Failure:
    """A line that came out wrong: which figure it counts against, and what was made of it."""

    figure: str
    line: _Said
    made: str

    def __str__(self) -> str:
        return f"{self.figure} {self.line.id} ({self.line.kind}): {self.line.say!r} → {self.made}"


@dataclass
class Marks:
    """The figures of one run over the sets, by name, with every failure."""

    figures: dict[str, Figure] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    by_language: dict[str, dict[str, Figure]] = field(default_factory=lambda: defaultdict(dict))

    def count(self, name: str, line: _Said, *, part: bool, fails: bool, made: str) -> None:
        for figures in (self.figures, self.by_language[line.lang]):
            one = figures.get(name, Figure(part=0, whole=0))
            figures[name] = Figure(part=one.part + part, whole=one.whole + 1)
        if fails:
            self.failures.append(Failure(name, line, made))


async def adversarial_marks(folder: Path, extractor: Extractor) -> Marks:
    """Return the figures over the sets of a folder. Raises InvalidInput, naming the line."""
    domains = read_domains(folder / "domains.json")
    marks = Marks()
    apps = _Apps(domains, extractor)
    for reply in read_lines(folder / "no_leave.jsonl", ReplyLine):
        await _ungranted(apps, reply, marks)
    for reply in read_lines(folder / "yes.jsonl", ReplyLine):
        await _yes(apps, reply, marks)
    for empty in read_lines(folder / "empty.jsonl", EmptyLine):
        await _empty(apps, empty, marks)
    for given in read_lines(folder / "given.jsonl", GivenLine):
        await _given(apps, given, marks)
    return marks


# ── the four sets ──


async def _ungranted(apps: _Apps, line: ReplyLine, marks: Marks) -> None:
    app = apps.app(line)
    after = await app.said(line.say, line.id, app.at_card(line.card))
    ran = app.is_granted(after, line.id)
    marks.count("wrong_runs", line, part=ran, fails=ran, made="RAN")
    asked = app.asks_for_yes(after)
    weak = line.expect == "ask"
    marks.count("weak_asked" if weak else "no_asked", line, part=asked, fails=False, made="")
    for name, value in line.change.items():
        held = after.values.get(name)
        right = held is not None and app.same(name, held.value, value)
        made = f"{name} = {held.value if held else None!r}, not {value!r}"
        marks.count("changes_taken", line, part=right, fails=not right, made=made)


async def _yes(apps: _Apps, line: ReplyLine, marks: Marks) -> None:
    app = apps.app(line)
    before = app.at_card(line.card)
    after = await app.said(line.say, line.id, before)
    changed = after.values != before.values
    at_once = app.is_granted(after, line.id) and not changed
    heard = at_once
    if not at_once and not changed and app.asks_for_yes(after):
        again = await app.said(PLAIN_YES[line.lang], f"{line.id}-yes", app.card_again(after))
        heard = app.is_granted(again, f"{line.id}-yes")
    made = "asked" if heard else _story(before, after)
    marks.count("heard_at_once", line, part=at_once, fails=not at_once, made=made)
    marks.count("heard_after_question", line, part=heard, fails=not heard, made=made)


async def _empty(apps: _Apps, line: EmptyLine, marks: Marks) -> None:
    app = apps.app(line)
    before = app.knowing(line.known, line.asked)
    after = await app.said(line.say, line.id, before)
    for name in line.empty:
        wrong = value_of(before, name) != value_of(after, name)
        made = f"{name} = {value_of(after, name)!r}"
        marks.count("filled_wrongly", line, part=wrong, fails=wrong, made=made)


async def _given(apps: _Apps, line: GivenLine, marks: Marks) -> None:
    app = apps.app(line)
    before = app.knowing(line.known, line.asked)
    after = await app.said(line.say, line.id, before)
    for name, accepted in line.given.items():
        held = value_of(after, name)
        right = held is not None and any(app.same(name, held, value) for value in accepted)
        # It is asked about, or offered; the old value stands until then.
        open_ = line.or_ask and held == value_of(before, name)
        offered = after.suggested.get(name)
        made = f"{name} = {held!r}, not {accepted}" + (
            f", offers {offered.value!r}" if offered else ""
        )
        marks.count("given_right", line, part=right or open_, fails=not (right or open_), made=made)
    for one in app.domain.fields:
        if one.name not in line.given:
            touched = value_of(after, one.name) != value_of(before, one.name)
            made = f"{one.name} = {value_of(after, one.name)!r}"
            marks.count("others_touched", line, part=touched, fails=touched, made=made)


def _story(before: RequirementState, after: RequirementState) -> str:
    changed = [n for n in after.values if value_of(after, n) != value_of(before, n)]
    if changed:
        return ", ".join(f"{name} = {value_of(after, name)!r}" for name in changed)
    return "not heard"


# ── one application in one language ──


class GateApp:
    """A domain's action, declared in one language."""

    def __init__(self, domains: Domains, name: str, lang: str, extractor: Extractor) -> None:
        self.domain, self.lang = domains.by_name[name], lang
        self.now, self._extractor = domains.now.astimezone(), extractor
        domain = self.domain
        self.actions = Actions()
        self.actions.add(
            domain.action,
            None,
            requires=self._requirements(),
            title=domain.title[lang],
            verb=domain.verb[lang],
        )
        self.spec = self.actions.specs[0]

    @cached_property
    def fields(self) -> dict[str, FieldLine]:
        return {one.name: one for one in self.domain.fields}

    def at_card(self, card: JsonObject) -> RequirementState:
        """Return the state with these values, and the card open that shows them."""
        state = self._with(card)
        assert status_of(self.spec, state).ready, f"the card of {self.domain.name} lacks values"
        pending = Pending(id="card", kind="card", hashes=self.hashes(state))
        return state.model_copy(update={"pending": pending, "requested": (self.spec.name,)})

    def knowing(self, known: JsonObject, asked: Sequence[str]) -> RequirementState:
        state = self._with(known)
        requested = (self.spec.name,) if asked or known else ()
        return state.model_copy(update={"asked": tuple(asked), "requested": requested})

    async def said(self, words: str, message_id: str, state: RequirementState) -> RequirementState:
        offered = {name: [one.value] for name, one in just_suggested(state).items()}
        message = PersonMessage(
            id=message_id, text=words, at=self.now, card_id="card", offered=offered
        )
        return await take_turn(message, state, self.actions, self._extractor)

    def is_granted(self, state: RequirementState, message_id: str) -> bool:
        return self.spec.name in grants_given_by(message_id, state)

    def asks_for_yes(self, state: RequirementState) -> bool:
        return state.turn is not None and self.spec.name in state.turn.actions

    def card_again(self, state: RequirementState) -> RequirementState:
        """Return the state once the card that the turn led to stands open."""
        pending = Pending(id="card2", kind="card", hashes=self.hashes(state))
        return state.model_copy(update={"pending": pending})

    def hashes(self, state: RequirementState) -> dict[str, str]:
        """Return what a card binds that shows these values."""
        return {self.spec.name: value_hash(self.spec.name, values_for(self.spec, state))}

    def same(self, name: str, held: JsonValue, wanted: JsonValue) -> bool:
        wanted = self.as_said(name, wanted)
        match self.fields[name].type:
            case "duration":
                return _DURATION.validate_python(held) == _DURATION.validate_python(wanted)
            case "money":
                return Decimal(str(held)) == Decimal(str(wanted))
            case "text":
                return _bare(str(held)) == _bare(str(wanted))
            case "list":
                return _entries(held) == _entries(wanted)
            case "time" | "datetime":
                return str(held)[: len(str(wanted))] == str(wanted)
            case _:
                return held == wanted

    def _with(self, values: JsonObject) -> RequirementState:
        given: dict[str, Given] = {}
        for name, value in values.items():
            normal = self.actions.normalise(name, self.as_said(name, value))
            assert normal is not None, f"{self.domain.name}.{name} cannot be {value!r}"
            given[name] = Given(value=normal, source=Source.SAID, message_id="before")
        return RequirementState(values=given)

    def as_said(self, name: str, value: JsonValue) -> JsonValue:
        """Return a value of a set as the application holds it: a choice by its label."""
        labels = {option.key: option.label[self.lang] for option in self.fields[name].options}
        return labels.get(value, value) if isinstance(value, str) else value

    def _requirements(self) -> type[Requirements]:
        fields: dict[str, Any] = {}
        for one in self.domain.fields:
            kind = _type_of(one, self.lang)
            ask = Ask(one.question[self.lang], tense=one.tense)
            default = self.as_said(one.name, one.default)
            if one.required:
                fields[one.name] = (Annotated[kind, ask], ... if default is None else default)
            else:
                fields[one.name] = (Annotated[kind | None, ask], default)
        made: type[Requirements] = make_model("Needed", __base__=Requirements, **fields)
        return made


class _Apps:
    """The applications of the lines, each declared once."""

    def __init__(self, domains: Domains, extractor: Extractor) -> None:
        self._domains, self._extractor = domains, extractor
        self._apps: dict[tuple[str, str], GateApp] = {}

    def app(self, line: _Said) -> GateApp:
        key = (line.domain, line.lang)
        if key not in self._apps:
            self._apps[key] = GateApp(self._domains, line.domain, line.lang, self._extractor)
        return self._apps[key]


def _type_of(one: FieldLine, lang: str) -> Any:
    match one.type:
        case "text":
            return str
        case "list":
            return list[str]
        case "date":
            return date
        case "time":
            return time
        case "datetime":
            return datetime
        case "duration":
            return timedelta
        case "int":
            return Annotated[int, Field(ge=one.minimum)] if one.minimum is not None else int
        case "money":
            return Decimal
        case "bool":
            return bool
        case "choice":
            return Literal[tuple(option.label[lang] for option in one.options)]


def _entries(value: JsonValue) -> str:
    """Return a list as a text, however it is split."""
    each = value if isinstance(value, list) else [value]
    return "".join(re.findall(r"\w+", " ".join(map(str, each)).casefold()))


def _bare(text: str) -> str:
    words = unicodedata.normalize("NFKC", text).casefold().strip(" \t\n.,;:!?'\"“”‘’。、！？")
    for sign in (" ", "'", "’"):
        first, found, rest = words.partition(sign)
        if found and first in _ARTICLES:
            words = rest.strip()
    return words


# ── reading the files ──


def read_domains(path: Path) -> Domains:
    try:
        return Domains.model_validate_json(path.read_text(encoding="utf-8"))
    except OSError as exc:
        raise InvalidInput(
            f"{path.parent} holds no sets.", fix="Name a folder with domains.json and the sets."
        ) from exc
    except ValidationError as exc:
        raise _refused(path.name, exc) from exc


def read_lines(path: Path, kind: type[_LineT]) -> Iterator[_LineT]:
    """Yield the lines of a set; none where the folder does not hold it."""
    if not path.is_file():
        return
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield kind.model_validate_json(line)
            except ValidationError as exc:
                raise _refused(f"Line {number} of {path.name}", exc) from exc


def _refused(what: str, exc: ValidationError) -> InvalidInput:
    said = f"{what} cannot be read: {first_error(exc)}"
    return InvalidInput(said, fix="Their form is in tests/vectors/gate/adversarial/README.md.")
