"""What a slot holds and which role it plays: told by its schema first, then by its label and
question.

A model may declare a date as `date` or as `str`; to a person both are dates. No slot name is built
in: the words to go by are in the word lists (reading/words).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from sayso.core.requirements import Slot, Tense
from sayso.reading.lexicon import lexicon, likely_lexicons
from sayso.reading.normalize import Itself
from sayso.reading.slot_schema import SlotSchema, schema_in
from sayso.reading.slot_words import SlotWords, slot_words

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


#: Fields whose value is a stretch of the message.
IN_WORDS = (SlotType.TEXT, SlotType.NAME, SlotType.PLACE)


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
#: What a whole question may say it holds: "when" and "like" tell too little there.
_BY_QUESTION = (SlotType.PLACE, SlotType.NAME)
#: What its own words may say, in this order.
_BY_NAME = (SlotType.COUNT, *_TYPED, *_BY_QUESTION)


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
        schema=schema_in(slot.schema),
        tense=slot.tense,
    )


@lru_cache(maxsize=1024)
def _shape(
    name: str,
    label: str,
    question: str,
    why: str,
    *,
    choices: tuple[str, ...],
    schema: SlotSchema,
    tense: Tense,
) -> SlotShape:
    schema = schema._replace(choices=choices or schema.choices)
    words = slot_words(name, label, question, why)
    slot_type = _by_schema(schema, words) or _by_words(words)
    is_text, is_place = slot_type is SlotType.TEXT, slot_type is SlotType.PLACE
    counts = slot_type in (SlotType.COUNT, SlotType.PEOPLE, SlotType.DURATION)
    return SlotShape(
        type=slot_type,
        json_type=schema.json_type,
        has_format=schema.format != "",
        is_list=schema.is_list,
        is_end=_is_end(slot_type, words),
        nouns=words.nouns if counts else (),
        about=words.about,
        question=question,
        choices=schema.choices,
        is_free=is_text and words.says_anywhere("kinds.free"),
        is_code=is_text and (words.says("kinds.code") or words.asks_for_number),
        is_email=is_text and words.asks_for_mail,
        tense=tense,
        is_address=is_place and words.says_anywhere("kinds.address"),
    )


def _by_schema(schema: SlotSchema, words: SlotWords) -> SlotType | None:
    """Return what the schema says that it holds; None where it is plain text."""
    if schema.choices:
        if {one.casefold() for one in schema.choices} == {"true", "false"}:
            return SlotType.BOOLEAN
        are_numbers = all(one.isdigit() for one in schema.choices)
        return _counted(words) if are_numbers else SlotType.CHOICE
    if schema.format in ("date", "time", "date-time", "duration"):
        return SlotType(schema.format)
    match schema.json_type:
        case "boolean":
            return SlotType.BOOLEAN
        case "object":
            return SlotType.MONEY if "amount" in schema.properties else SlotType.TEXT
        case "integer" if not words.counts_people and words.says("kinds.money"):
            return SlotType.MONEY
        case "integer":
            return _counted(words)
        case "number":
            return SlotType.MONEY if words.says_anywhere("kinds.money") else SlotType.NUMBER
        case _:
            return None


def _by_words(words: SlotWords) -> SlotType:
    if words.names_mail:
        return SlotType.TEXT
    if words.asks_for_name:
        return SlotType.NAME
    if words.asks_how_many:
        return _counted(words)
    # The name of a field is English, or in the language that it is asked in: a "tag" is no "Tag".
    lexes = [lexicon("en"), *likely_lexicons(words.every)]
    for said, types in ((words.own, _BY_NAME), (words.every, _BY_QUESTION)):
        for slot_type in types:
            pattern = f"<kinds.{slot_type}>{_HEAD if slot_type in _TYPED else ''}"
            if any(lex.form(pattern).search(said) for lex in lexes):
                return _rather(slot_type, words)
    return SlotType.TEXT


def _rather(slot_type: SlotType, words: SlotWords) -> SlotType:
    """Return what it holds of which its words say this: "how long, in days" is a count."""
    if slot_type is SlotType.COUNT:
        return _counted(words)
    if slot_type is SlotType.DURATION and words.says_unit:
        return SlotType.COUNT
    if slot_type is SlotType.PLACE and words.says("kinds.name"):
        return SlotType.NAME
    return slot_type


def _counted(words: SlotWords) -> SlotType:
    return SlotType.PEOPLE if words.counts_people else SlotType.COUNT


def _is_end(slot_type: SlotType, words: SlotWords) -> bool:
    if slot_type in (SlotType.DATE, SlotType.TIME, SlotType.MOMENT):
        return words.says("roles.end_slot")
    if slot_type is SlotType.PLACE and not words.says("roles.origin_slot"):
        return words.says_anywhere("roles.goal_slot")
    return words.says("roles.goal_slot")
