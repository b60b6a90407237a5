"""The sentences in this folder as examples: what was asked and known, what was said, and what it
states. `README.md` says how a file is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from pathlib import Path

from pydantic import JsonValue

from sayso.core.digest import JsonObject
from sayso.core.extraction_ops import Reading
from sayso.core.requirements import RequirementState
from sayso.gate.person_message import PersonMessage
from sayso.gate.turn import reading_of_turn
from sayso.reading.inputs import FieldInput, Inputs, Kind, inputs_of
from sayso.reading.network import LONGEST_TEXT
from sayso.reading.normalize import same_value
from sayso.reading.rule_extractor import RuleExtractor
from sayso.reading.value_inputs import OptionInput, ValueInput
from sayso.testing.gate_adversarial import (
    Domain,
    Domains,
    EmptyLine,
    FieldLine,
    GateApp,
    GivenLine,
    OptionLine,
    ReplyLine,
    read_domains,
    read_lines,
)

HERE = Path(__file__).parent
LEAVE = ("no", "refuse", "later", "ask", "run")
_HEAD = re.compile(r"(domain|today|card): *(.+)")
_FIELD = re.compile(r"field (\w+) (\w+) ?(.*)")
_WORDS = re.compile(r"(q|label) (\w\w) ([\w.-]+): *(.+)")
_NAMES = re.compile(r"(title|verb) (\w\w): *(.+)")
_KNOWN = re.compile(r"([^{]*)\{(.*)\}")
#: Between two dialogues; and what is known in the middle of one.
_NEXT, _ALL_SO_FAR = "---", "+"
#: What the agent said, in place of the fields that are asked.
_AGENT = "@"


class BadLine(ValueError):
    """A line of a file that cannot be read."""


@dataclass(frozen=True)
class Said:
    """A line: a message with what it states, or the leave that a reply gives."""

    place: str
    language: str
    message: str
    asked: list[str] = field(default_factory=list)
    known: dict[str, JsonValue] = field(default_factory=dict)
    stated: dict[str, list[JsonValue]] = field(default_factory=dict)
    #: Of a reply to the open card.
    leave: str = ""
    #: What the agent said just before, of something else.
    before: str = ""


@dataclass
class Example:
    said: Said
    domain: str
    #: None for the public dialogues, which have none of our form.
    app: GateApp | None
    state: RequirementState
    reading: Reading
    inputs: Inputs
    #: For each field the targets that are right: 0 is nothing. None where none can be reached.
    targets: list[list[int] | list[tuple[int, int]] | None]


def examples_in(folders: Iterable[Path]) -> Iterator[Example]:
    """Yield the examples of all files. Raises BadLine."""
    for folder in folders:
        for path in sorted(folder.glob("*.txt")):
            yield from _of_file(path)


def _of_file(path: Path) -> Iterator[Example]:
    domains, card, lines = read_file(path)
    apps: dict[str, GateApp] = {}
    [domain] = domains.domains
    for said in lines:
        app = apps.get(said.language)
        if app is None:
            app = GateApp(domains, domain.name, said.language, RuleExtractor())
            apps[said.language] = app
        try:
            state = app.at_card(dict(card)) if said.leave else None
            yield example_of(said, f"{path.parent.name}/{path.stem}", app, state)
        except (AssertionError, ValueError) as exc:
            raise BadLine(f"{said.place}: {exc}: {said.message}") from exc


def examples_of_sets(folder: Path) -> Iterator[Example]:
    """Yield the lines of a set in the form of tests/vectors/gate."""
    domains = read_domains(folder / "domains.json")
    apps: dict[tuple[str, str], GateApp] = {}

    def made(
        line: ReplyLine | EmptyLine | GivenLine, said: Said, card: JsonObject | None = None
    ) -> Example:
        key = (line.domain, line.lang)
        if key not in apps:
            apps[key] = GateApp(domains, *key, RuleExtractor())
        state = apps[key].at_card(card) if card is not None else None
        return example_of(said, f"{folder.name}/{line.domain}", apps[key], state)

    for given in read_lines(folder / "given.jsonl", GivenLine):
        if not given.or_ask:
            said = Said(given.id, given.lang, given.say, given.asked, given.known, given.given)
            yield made(given, said)
    for empty in read_lines(folder / "empty.jsonl", EmptyLine):
        if not re.search(r"\w", empty.say):
            continue
        one = made(empty, Said(empty.id, empty.lang, empty.say, empty.asked, empty.known))
        for at, each in enumerate(one.inputs.fields):
            if each.name not in empty.empty:
                one.targets[at] = None
        yield one
    for name in ("no_leave", "yes"):
        for reply in read_lines(folder / f"{name}.jsonl", ReplyLine):
            stated = {k: [v] for k, v in reply.change.items()}
            leave: str = reply.expect
            said = Said(reply.id, reply.lang, reply.say, stated=stated, leave=leave)
            if re.search(r"\w", reply.say):
                yield made(reply, said, reply.card)


def example_of(
    said: Said, domain: str, app: GateApp, state: RequirementState | None = None
) -> Example:
    """Return the line as an example; unless there is a state, it knows what the line says."""
    state = state or app.knowing(said.known, said.asked)
    tail = [("assistant", said.before)] if said.before else ()
    message = PersonMessage(id="m", text=said.message, at=app.now, card_id="card", tail=tail)
    reading = reading_of_turn(message, state, app.actions)
    inputs = inputs_of(reading)
    if inputs is None:
        raise ValueError("no token")
    targets = [targets_of(one, said, app, inputs, reading) for one in inputs.fields]
    return Example(said, domain, app, state, reading, inputs, targets)


def targets_of(
    one: FieldInput, said: Said, app: GateApp, inputs: Inputs, reading: Reading
) -> list[int] | list[tuple[int, int]] | None:
    wanted = said.stated.get(one.name)
    known = reading.known.get(one.name)
    if wanted is None and known is None:
        return [0]

    def is_right(value: JsonValue) -> bool:
        held = app.actions.normalise(one.name, value)
        if held is None:
            return False
        if wanted is None:  # what is known is said again
            return same_value(known, held)
        return any(app.same(one.name, held, each) for each in wanted)

    if one.kind is Kind.TEXT:
        if wanted is None:
            return [0]
        spans = spans_in(inputs)
        return [(a, b) for a, b, words in spans if is_right(words)] or None
    if one.kind is Kind.TRUTH:
        right = [at for at, value in ((1, True), (2, False)) if is_right(value)]
    else:
        row: Sequence[ValueInput | OptionInput] = one.values or one.options
        right = [at for at, each in enumerate(row, 1) if is_right(each.value)]
    if wanted is None:
        return [0, *right]
    return right or None


def spans_in(inputs: Inputs) -> Iterator[tuple[int, int, str]]:
    for a, first in enumerate(inputs.tokens):
        for b in range(a, min(len(inputs.tokens), a + LONGEST_TEXT)):
            yield a, b, inputs.text[first.start : inputs.tokens[b].end]


# ── files ──


def read_file(path: Path) -> tuple[Domains, dict[str, JsonValue], list[Said]]:
    head: dict[str, str] = {}
    types: dict[str, tuple[str, str]] = {}
    words: dict[tuple[str, str, str], str] = {}
    names: dict[tuple[str, str], str] = {}
    rows: list[tuple[str, list[str]]] = []
    for number, raw in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if found := _HEAD.fullmatch(line):
            head[found[1]] = found[2]
        elif found := _FIELD.fullmatch(line):
            types[found[1]] = (found[2], found[3].strip())
        elif found := _WORDS.fullmatch(line):
            words[found[1], found[2], found[3]] = found[4]
        elif found := _NAMES.fullmatch(line):
            names[found[1], found[2]] = found[3]
        else:
            rows.append((f"{path.name}:{number}", [part.strip() for part in line.split("|")]))
    languages = sorted({row[0] for _, row in rows if row != [_NEXT]})
    fields = [
        _field_line(name, kind, rest, words, languages) for name, (kind, rest) in types.items()
    ]
    name = head["domain"].strip()
    domain = Domain(
        name=name,
        action=name,
        title={lang: names.get(("title", lang), name.replace("_", " ")) for lang in languages},
        verb={lang: names.get(("verb", lang), "") for lang in languages},
        fields=fields,
    )
    day = date.fromisoformat(head["today"].strip())
    domains = Domains(today=day, now=datetime.combine(day, time(9, 30)), domains=[domain])
    card = {k: _value(types[k][0], v) for k, v in _pairs(head.get("card", ""))}
    return domains, card, [*_lines(rows, types, is_reply=bool(card))]


def _lines(
    rows: Iterable[tuple[str, list[str]]],
    types: Mapping[str, tuple[str, str]],
    *,
    is_reply: bool,
) -> Iterator[Said]:
    so_far: dict[str, JsonValue] = {}
    for place, row in rows:
        if row == [_NEXT]:
            so_far = {}
            continue
        said = _said(place, row, types, so_far, is_reply=is_reply)
        so_far |= {**said.known, **{name: values[0] for name, values in said.stated.items()}}
        yield said


def _field_line(
    name: str,
    kind: str,
    rest: str,
    words: Mapping[tuple[str, str, str], str],
    languages: Iterable[str],
) -> FieldLine:
    keys = [key.strip() for key in rest.split(",")] if kind == "choice" else []
    options = [
        OptionLine(key=key, label={lang: words["label", lang, key] for lang in languages})
        for key in keys
    ]
    return FieldLine.model_validate(
        {
            "name": name,
            "type": kind,
            "question": {lang: words["q", lang, name] for lang in languages},
            "tense": rest if rest in ("past", "future") else None,
            "options": options,
        }
    )


def _said(
    place: str,
    row: list[str],
    types: Mapping[str, tuple[str, str]],
    so_far: Mapping[str, JsonValue],
    *,
    is_reply: bool,
) -> Said:
    if is_reply:
        changes = _pairs(row[3]) if len(row) > 3 else ()
        stated: dict[str, list[JsonValue]] = {k: [_value(types[k][0], v)] for k, v in changes}
        if row[2] not in LEAVE:
            raise BadLine(f"{place}: {row[2]!r} is no leave")
        return Said(place, row[0], row[1], stated=stated, leave=row[2])
    if len(row) != 4:
        raise BadLine(f"{place}: four parts are wanted")
    asked, known = row[1], ""
    if found := _KNOWN.fullmatch(asked):
        asked, known = found[1], found[2]
    before = asked.strip().removeprefix(_AGENT) if asked.startswith(_AGENT) else ""
    return Said(
        place,
        row[0],
        row[2],
        asked=[one.strip() for one in asked.split(",") if one.strip() and not before],
        before=before,
        known={
            **(so_far if known.startswith(_ALL_SO_FAR) else {}),
            **{k: _value(types[k][0], v) for k, v in _pairs(known)},
        },
        stated={
            k: [_value(types[k][0], one.strip()) for one in v.split("/")]
            for k, v in (_pairs(row[3]) if row[3] != "-" else ())
        },
    )


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for part in text.split(";"):
        name, sign, value = part.partition("=")
        if sign:
            yield name.strip(), value.strip()


def _value(kind: str, said: str) -> JsonValue:
    if kind == "int":
        return int(said)
    if kind == "bool":
        return said == "true"
    return re.sub(r"[^\d.-]", "", said) if kind == "money" else said


def with_leave(example: Example) -> int | None:
    """Return the leave that a reply gives, by its place in LEAVE."""
    return LEAVE.index(example.said.leave) if example.said.leave else None
