"""What a slot holds, and which part it plays: from its schema first, then from its own words.

A model may declare a date as `date` or as `str`; both are dates to a person. Nothing here knows a
slot by its name: the words are a language's own (gate/words).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from pydantic import JsonValue

from sayso.core.requirements import Slot
from sayso.gate.lexicon import LANGUAGES, lexicon


class Kind(StrEnum):
    DATE = "date"
    TIME = "time"
    MOMENT = "date-time"
    DURATION = "duration"
    MONEY = "money"
    PEOPLE = "people"
    COUNT = "count"
    NUMBER = "number"
    BOOLEAN = "boolean"
    CHOICE = "choice"
    PLACE = "place"
    NAME = "name"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Shape:
    kind: Kind
    #: What JSON holds it: "string", "integer", "number", "boolean" or "object".
    type: str
    #: Whether the schema itself says its form ("date"), so that words alone would not do.
    has_format: bool = False
    is_list: bool = False
    #: A place one leaves or goes to, a day that begins or ends something, a person who gets it.
    role: str = ""
    #: What a count counts: its own nouns ("rooms").
    nouns: tuple[str, ...] = ()
    #: The words that are this slot's own, to know it by when it is spoken of.
    about: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    #: Things one likes: "I love food and museums".
    is_liking: bool = False
    #: A place that is a town or more, not a house: nobody eats "at" one.
    is_town: bool = False
    #: A place that is a house: "in Oslo" does not yet say where.
    is_address: bool = False


def shape_of(slot: Slot) -> Shape:
    return _shape(
        slot.name,
        slot.label,
        slot.question,
        slot.why,
        choices=slot.choices,
        schema=_frozen(slot.schema),
    )


def _frozen(
    schema: Mapping[str, JsonValue],
) -> tuple[str, str, bool, tuple[str, ...], tuple[str, ...]]:
    """Type, format, whether it is a list, choices and properties, through optional parts."""
    found = _resolved(schema, schema)
    is_list = found.get("type") == "array"
    if is_list:
        items = found.get("items")
        found = _resolved(items, schema) if isinstance(items, dict) else {}
    choices = found.get("enum") or schema.get("enum")
    if choices is None and "const" in found:
        choices = [found["const"]]
    properties = found.get("properties")
    return (
        str(found.get("type", "string")),
        str(found.get("format", "")),
        is_list,
        tuple(str(one) for one in choices) if isinstance(choices, list) else (),
        tuple(properties) if isinstance(properties, dict) else (),
    )


def _resolved(
    schema: Mapping[str, JsonValue], root: Mapping[str, JsonValue]
) -> Mapping[str, JsonValue]:
    """The first part of a union that is not null, and what a $ref points to."""
    found = schema
    for _ in range(4):
        options = found.get("anyOf") or found.get("oneOf")
        reference = found.get("$ref")
        if isinstance(options, list):
            found = next(
                (o for o in options if isinstance(o, dict) and o.get("type") != "null"), {}
            )
        elif isinstance(reference, str):
            kept = root.get("$defs")
            name = reference.rsplit("/", 1)[-1]
            target = kept.get(name) if isinstance(kept, dict) else None
            found = target if isinstance(target, dict) else {}
    return found


@lru_cache(maxsize=1024)
def _shape(
    name: str,
    label: str,
    question: str,
    why: str,
    *,
    choices: tuple[str, ...],
    schema: tuple[str, str, bool, tuple[str, ...], tuple[str, ...]],
) -> Shape:
    type_, format_, is_list, enum, properties = schema
    choices = choices or enum
    own = _plain(f"{name} {label}")
    all_ = _plain(f"{name} {label} {question} {why}")
    kind = _kind(type_, format_, choices, properties, own=own, all_=all_)
    return Shape(
        kind=kind,
        type=type_,
        has_format=format_ != "",
        is_list=is_list,
        role=_role(kind, own, all_),
        nouns=_nouns(own, all_) if kind in (Kind.COUNT, Kind.PEOPLE, Kind.DURATION) else (),
        about=_about(own),
        choices=choices,
        is_liking=_says("kinds.liking", all_),
        is_town=kind is Kind.PLACE and _says("kinds.town", all_),
        is_address=kind is Kind.PLACE and _says("kinds.address", all_),
    )


def _kind(
    type_: str,
    format_: str,
    choices: tuple[str, ...],
    properties: tuple[str, ...],
    *,
    own: str,
    all_: str,
) -> Kind:
    if choices and {c.casefold() for c in choices} == {"true", "false"}:
        return Kind.BOOLEAN
    if choices and all(c.isdigit() for c in choices):
        return Kind.PEOPLE if _counts_people(own, all_) else Kind.COUNT
    if choices:
        return Kind.CHOICE
    formats = {
        "date": Kind.DATE,
        "time": Kind.TIME,
        "date-time": Kind.MOMENT,
        "duration": Kind.DURATION,
    }
    if format_ in formats:
        return formats[format_]
    if type_ == "boolean":
        return Kind.BOOLEAN
    if type_ == "object":
        return Kind.MONEY if "amount" in properties else Kind.TEXT
    if type_ == "integer":
        if _counts_people(own, all_):
            return Kind.PEOPLE
        return Kind.MONEY if _says("kinds.money", own) else Kind.COUNT
    if type_ == "number":
        return Kind.MONEY if _says("kinds.money", all_) else Kind.NUMBER
    for words in (own, all_):
        for kind, name in (
            (Kind.COUNT, "count"),
            (Kind.TIME, "time"),
            (Kind.DATE, "date"),
            (Kind.MONEY, "money"),
            (Kind.DURATION, "duration"),
            (Kind.PLACE, "place"),
            (Kind.NAME, "name"),
        ):
            # In a whole question, "when" and "like" say too little.
            if _says(f"kinds.{name}", words) and (words == own or kind in (Kind.PLACE, Kind.NAME)):
                if kind is Kind.COUNT and _counts_people(own, all_):
                    return Kind.PEOPLE
                if kind is Kind.DURATION and _says_unit(all_):
                    return Kind.COUNT
                if kind is Kind.PLACE and _says("kinds.name", own):
                    return Kind.NAME
                return kind
    return Kind.TEXT


def _role(kind: Kind, own: str, all_: str) -> str:
    names = {
        Kind.DATE: ("start", "end"),
        Kind.TIME: ("start", "end"),
        Kind.MOMENT: ("start", "end"),
    }
    first, second = names.get(kind, ("origin", "goal"))
    for words in (own, all_ if kind is Kind.PLACE else ""):
        for role in (second, first):
            if _says(f"roles.{role}_slot", words):
                return role
    return ""


def _counts_people(own: str, all_: str) -> bool:
    if _says("values.people", own):
        return True
    return (
        not _says_unit(own)
        and (_says("values.people", all_) or _says("values.solo", all_))
        and ("room" not in own)
    )


def _nouns(own: str, all_: str) -> tuple[str, ...]:
    """The nouns that its own words count: "number of rooms" counts rooms, "length in days" days."""
    words = [w for w in own.split() if w not in _generic() and len(w) > 2]
    for code in LANGUAGES:
        lex = lexicon(code)
        for unit in ("day", "week", "month", "hour", "minute", "year"):
            if any(
                re.search(rf"(?<!\w){re.escape(w)}(?!\w)", all_) for w in lex.words("units", unit)
            ):
                words += lex.words("units", unit)
    return tuple(dict.fromkeys(form for word in words for form in _forms(word)))


def _about(own: str) -> tuple[str, ...]:
    words = [word for word in own.split() if word not in _generic() and len(word) > 2]
    return tuple(dict.fromkeys(form for word in words for form in _forms(word)))


def _forms(word: str) -> tuple[str, ...]:
    if word.endswith("s") and len(word) > 3:
        return (word, word[:-1])
    return (word, word + "s")


def _says(words: str, text: str) -> bool:
    section, name = words.split(".")
    return any(lexicon(code).any_of(f"{section}.{name}").search(text) for code in LANGUAGES)


def _says_unit(text: str) -> bool:
    return any(
        re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text)
        for code in LANGUAGES
        for unit in ("day", "week", "month", "hour", "minute")
        for word in lexicon(code).words("units", unit)
        if word != "day"
    )


@lru_cache(maxsize=1)
def _generic() -> frozenset[str]:
    return frozenset(w for code in LANGUAGES for w in lexicon(code).words("values", "generic"))


def _plain(text: str) -> str:
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return " ".join(re.sub(r"[_\W]+", " ", apart.casefold()).split())
