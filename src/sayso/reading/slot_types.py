"""What a slot holds and which role it plays: told by its schema first, then by its label and
question.

A model may declare a date as `date` or as `str`; to a person both are dates. No slot name is built
in: the words to go by are in the word lists (reading/words).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from pydantic import JsonValue

from sayso.core.requirements import Slot, Tense
from sayso.reading.lexicon import LANGUAGES, lexicon, lexicon_for, likely_lexicons
from sayso.reading.normalize import Itself, plain

#: A question begins with its question word, and what leads up to it: "to whom", "à qui".
_OPENING = 3
#: A field, or a question, for an address of mail; not for what a mail says.
_MAIL = re.compile(
    r"(?:mail|correo|courriel)(?: address)?$|mail ?adres"
    r"|(?:address|adresse|indirizzo|endereço)\W.*mail"
    r"|(?:correo|endereço) ele[ct]|メールアドレス|邮箱"
)


#: A "cost centre" is no cost: what a field holds is said last, or goes on with a small word.
_HEAD = r"(?! (?!\w{1,3}(?!\w))\w)"


class SlotType(StrEnum):
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
class SlotShape:
    type: SlotType
    #: Its type in JSON: "string", "integer", "number", "boolean" or "object".
    json_type: str
    #: Whether the schema names a format ("date"), so that the person's words alone will not do.
    has_format: bool = False
    is_list: bool = False
    #: Whether it is where, or when, something ends.
    is_end: bool = False
    #: The nouns that a count counts ("rooms").
    nouns: tuple[str, ...] = ()
    #: The slot's own words, by which a message refers to it.
    about: tuple[str, ...] = ()
    #: What it is asked by: its nouns are the field's words in the person's own language.
    question: str = ""
    choices: tuple[str, ...] = ()
    #: Whether an answer in free text is wanted ("What happened?"), not a name or a number.
    is_free: bool = False
    #: Whether the text is a code with a digit in it: an order's number, a version.
    is_code: bool = False
    #: Whether the text is an address of mail.
    is_email: bool = False
    #: Where a day lies that could be of this year or another.
    tense: Tense = "future"
    #: Whether the place is an address: "in Oslo" does not yet say where.
    is_address: bool = False


#: What a field of plain text holds only where its name clearly says so.
_TYPED = (SlotType.TIME, SlotType.DATE, SlotType.MONEY, SlotType.DURATION)


def shape_of(slot: Slot) -> SlotShape:
    return _kept_shape(Itself(slot))


@lru_cache(maxsize=1024)
def _kept_shape(key: Itself[Slot]) -> SlotShape:
    slot = key.it
    return _shape(
        slot.name,
        slot.label,
        slot.question,
        slot.why,
        choices=slot.choices,
        schema=_frozen(slot.schema),
        tense=slot.tense,
    )


def _frozen(
    schema: Mapping[str, JsonValue],
) -> tuple[str, str, bool, tuple[str, ...], tuple[str, ...]]:
    """Return type, format, whether it is a list, choices and properties, all hashable."""
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
    """Follow a $ref, and the first part of a union that is not null."""
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
    tense: Tense,
) -> SlotShape:
    json_type, format_, is_list, enum, properties = schema
    choices = choices or enum
    own = _plain(f"{name} {label}")
    all_ = _plain(f"{name} {label} {question} {why}")
    slot_type = _slot_type(
        json_type,
        format_,
        choices,
        properties,
        own=own,
        all_=all_,
        asks_for_name=_asks_who(question) or _asks_for_name(question),
    )
    return SlotShape(
        type=slot_type,
        json_type=json_type,
        has_format=format_ != "",
        is_list=is_list,
        is_end=_is_end(slot_type, own, all_),
        nouns=_nouns(own, all_)
        if slot_type in (SlotType.COUNT, SlotType.PEOPLE, SlotType.DURATION)
        else (),
        about=_about(own),
        question=question,
        choices=choices,
        is_free=slot_type is SlotType.TEXT and _says("kinds.free", all_),
        is_code=slot_type is SlotType.TEXT
        and (_says("kinds.code", own) or _asks_for_number(question)),
        is_email=slot_type is SlotType.TEXT and _asks_for_mail(own, question),
        tense=tense,
        is_address=slot_type is SlotType.PLACE and _says("kinds.address", all_),
    )


def _slot_type(
    json_type: str,
    format_: str,
    choices: tuple[str, ...],
    properties: tuple[str, ...],
    *,
    own: str,
    all_: str,
    asks_for_name: bool,
) -> SlotType:
    if choices and {c.casefold() for c in choices} == {"true", "false"}:
        return SlotType.BOOLEAN
    if choices and all(c.isdigit() for c in choices):
        return SlotType.PEOPLE if _counts_people(own, all_) else SlotType.COUNT
    if choices:
        return SlotType.CHOICE
    if format_ in ("date", "time", "date-time", "duration"):
        return SlotType(format_)
    if json_type == "boolean":
        return SlotType.BOOLEAN
    if json_type == "object":
        return SlotType.MONEY if "amount" in properties else SlotType.TEXT
    if json_type == "integer":
        if _counts_people(own, all_):
            return SlotType.PEOPLE
        return SlotType.MONEY if _says("kinds.money", own) else SlotType.COUNT
    if json_type == "number":
        return SlotType.MONEY if _says("kinds.money", all_) else SlotType.NUMBER
    if _MAIL.search(own):
        return SlotType.TEXT
    if asks_for_name:
        return SlotType.NAME
    if _asks_how_many(all_):
        return SlotType.PEOPLE if _counts_people(own, all_) else SlotType.COUNT
    # The name of a field is English, or in the language that it is asked in: a "tag" is no "Tag".
    lexes = [lexicon("en"), *likely_lexicons(all_)]
    for words in (own, all_):
        for slot_type, name in (
            (SlotType.COUNT, "count"),
            (SlotType.TIME, "time"),
            (SlotType.DATE, "date"),
            (SlotType.MONEY, "money"),
            (SlotType.DURATION, "duration"),
            (SlotType.PLACE, "place"),
            (SlotType.NAME, "name"),
        ):
            # Within a whole question, "when" and "like" tell too little.
            pattern = rf"<kinds.{name}>{_HEAD}" if slot_type in _TYPED else f"<kinds.{name}>"
            if any(lex.form(pattern).search(words) for lex in lexes) and (
                words == own or slot_type in (SlotType.PLACE, SlotType.NAME)
            ):
                if slot_type is SlotType.COUNT and _counts_people(own, all_):
                    return SlotType.PEOPLE
                if slot_type is SlotType.DURATION and _says_unit(all_):
                    return SlotType.COUNT
                if slot_type is SlotType.PLACE and _says("kinds.name", own):
                    return SlotType.NAME
                return slot_type
    return SlotType.TEXT


def _asks_who(question: str) -> bool:
    """Return whether a person is asked for: "Who is driving?", "Für wen ist der Termin?"."""
    opening = " ".join(question.split()[:_OPENING])
    return any(
        lex.any_of("kinds.who").search(opening if lex.spaced else question)
        for lex in likely_lexicons(plain(question))
    )


def _asks_for_mail(own: str, question: str) -> bool:
    return _MAIL.search(own) is not None or _MAIL.search(_plain(question)) is not None


def _asks_for_name(question: str) -> bool:
    """Return whether it asks what something is called: "What is your pet called?"."""
    words = plain(question)
    return lexicon_for(words).any_of("kinds.called").search(words) is not None


def _asks_how_many(text: str) -> bool:
    """Return whether a question asks for a number of several: "how many", "número de personas", and
    not "número de vuelo"."""
    return any(
        re.search(rf"(?<!\w){phrase} (?:\w*[seni](?!\w)(?<! the)|(?<=many )\w)", text)
        for phrase in _number_of(text)
    )


def _asks_for_number(question: str) -> bool:
    """Return whether it asks for the number that something has: "the number of the meter"."""
    text = _plain(question)
    return any(f"{phrase} " in text for phrase in _number_of(text))


def _number_of(text: str) -> set[str]:
    return {
        word for lex in likely_lexicons(text) for word in lex.words("kinds", "count") if " " in word
    }


def _is_end(slot_type: SlotType, own: str, all_: str) -> bool:
    if slot_type in (SlotType.DATE, SlotType.TIME, SlotType.MOMENT):
        return _says("roles.end_slot", own)
    if slot_type is SlotType.PLACE and not _says("roles.origin_slot", own):
        return _says("roles.goal_slot", all_)
    return _says("roles.goal_slot", own)


def _counts_people(own: str, all_: str) -> bool:
    if _says("values.people", own):
        return True
    says_people = _says("values.people", all_) or _says("values.solo", all_)
    return says_people and not _says_unit(own) and "room" not in own


def _nouns(own: str, all_: str) -> tuple[str, ...]:
    """Return the nouns that a slot counts: rooms for "number of rooms"."""
    words = []
    for lex in map(lexicon, LANGUAGES):
        named = {unit for word, unit in lex.units.items() if _is_said(word, all_)}
        words += [word for word, unit in lex.units.items() if unit in named]
    units = (form for word in words for form in _forms(word))
    return tuple(dict.fromkeys((*_about(own), *units)))


def _about(own: str) -> tuple[str, ...]:
    words = [word for word in own.split() if word not in _generic() and len(word) > 2]
    return tuple(dict.fromkeys(form for word in words for form in _forms(word)))


def _forms(word: str) -> tuple[str, ...]:
    if word.endswith("s") and len(word) > 3:
        return (word, word[:-1])
    return (word, word + "s")


def _says(words: str, text: str) -> bool:
    return any(lexicon(code).any_of(words).search(text) for code in LANGUAGES)


def _says_unit(text: str) -> bool:
    return any(
        _is_said(word, text)
        for code in LANGUAGES
        for word, unit in lexicon(code).units.items()
        if unit != "year" and word != "day"
    )


def _is_said(word: str, text: str) -> bool:
    return f" {word} " in f" {text} "


@lru_cache(maxsize=1)
def _generic() -> frozenset[str]:
    return frozenset(w for code in LANGUAGES for w in lexicon(code).words("values", "generic"))


def _plain(text: str) -> str:
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return " ".join(re.sub(r"[_\W]+", " ", apart.casefold()).split())
