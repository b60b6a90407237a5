"""What a message answers: the thing that was said or asked last before it.

A bare yes is worth something only to whoever asked. To the gate's own question it is leave; to an
agent that speaks of the action it opens the gate's question; to "Do you like coffee?" it is nothing
to the gate at all. So with offers: a yes takes up what the last words it answers had offered.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from enum import StrEnum

from pydantic import JsonValue

from sayso.core.cards import CardKind
from sayso.core.requirements import ActionSpec, Offered, Pending, RequirementState, Slot
from sayso.core.segments import Spoken
from sayso.gate.kinds import Kind, shape_of
from sayso.gate.lexicon import Lexicon, lexicon_for
from sayso.gate.readings import typed_in
from sayso.gate.replies import is_plain_yes, sentences_of
from sayso.gate.text import even, plain

#: A message of more words does more than point at one of the choices that were just shown.
_MOST_POINTING = 3
_LONGEST_OFFER = 80


class Yes(StrEnum):
    """What a bare yes is to the gate."""

    LEAVE = "leave"
    OPENS = "opens"
    NOTHING = "nothing"


def what_yes_is(
    state: RequirementState,
    spoken: Sequence[Spoken],
    actions: Sequence[ActionSpec],
    *,
    words: str,
    language: str,
    agent_speaks: bool,
) -> Yes:
    """`spoken` is what stood before the person; `agent_speaks` where its texts are an agent's and
    not the gate's own."""
    pending = state.pending
    if pending is None or not spoken:
        return Yes.NOTHING
    last = spoken[-1]
    cards = [one for one in spoken if one.card == CardKind.REQUIREMENTS and one.was_open]
    if pending.kind == "card" and cards == [last]:
        return Yes.LEAVE
    if pending.kind == "offer" and last.card is None:
        if not agent_speaks:
            return Yes.LEAVE
        if _speaks_of(last.text, pending, actions, language):
            return Yes.OPENS
    # "Yes, create it" says itself what it is a yes to.
    lex = lexicon_for(plain(words), language)
    makes = lex.any_of("orders.make", "orders.acting").search(plain(words))
    return Yes.OPENS if makes is not None else Yes.NOTHING


def is_yes_by_name(words: str, specs: Sequence[ActionSpec], language: str) -> bool:
    """ "Yes, create the checklist": without the names of these actions, a yes and no more."""
    said = plain(words)
    lex = lexicon_for(said, language)
    the = lex.any_of("orders.the").pattern
    for name in sorted({n for spec in specs for n in _names(spec)}, key=len, reverse=True):
        said = re.sub(rf"(?:{the}\s*)?{_edged(name)}", " ", said)
    return is_plain_yes(said, lex)


def offered_before(
    words: str,
    state: RequirementState,
    spoken: Sequence[Spoken],
    choices: Mapping[str, Sequence[str]],
    language: str,
) -> dict[str, list[JsonValue]]:
    """The values that this message may take up: the choices of what was just asked, to point at
    ("the second one"), and what the agent has offered in the very words that it ended on."""
    found: dict[str, list[JsonValue]] = {}
    if len(plain(words).split()) <= _MOST_POINTING:
        found = {slot: list(choices[slot]) for slot in state.asked if choices.get(slot)}
    for one in _put_to_them(state, spoken, language):
        found.setdefault(one.slot, []).append(one.value)
    return found


def one_value(words: str, slot: Slot, *, today: date, language: str) -> JsonValue:
    """The one value of a slot that an agent's words say, read as a person's words are; None where
    they say none, or more than one."""
    shape, said = shape_of(slot), even(words).strip()
    if not said or len(said) > _LONGEST_OFFER:
        return None
    lex = lexicon_for(said, language)
    found = [m.value for m in typed_in(said, shape, lex, today=today, asked=True)]
    if found:
        return found[0] if all(value == found[0] for value in found) else None
    free = shape.kind in (Kind.PLACE, Kind.NAME, Kind.TEXT)
    return said if free and not shape.has_format and re.search(r"\w", said) else None


def stands_at_the_end(words: str, text: str, language: str = "") -> bool:
    """Whether a text ends on these words: they stand in its last sentence, or in the one before a
    mere "Is that all right?"."""
    if any(unicodedata.category(sign) == "Cf" or sign in "<>[]" for sign in text):
        return False  # what is hidden, or a link's address, is not said
    lex = lexicon_for(plain(text), language)
    sought = re.compile(_edged(plain(words)))
    for sentence in reversed(list(sentences_of(plain(text), lex))):
        if sought.search(sentence):
            return True
        if not _says_nothing(sentence, lex):
            return False
    return False


def _put_to_them(
    state: RequirementState, spoken: Sequence[Spoken], language: str
) -> Iterator[Offered]:
    if not spoken or spoken[-1].card is not None:
        return
    for one in state.offers:
        if stands_at_the_end(one.words, spoken[-1].text, language):
            yield one


def _speaks_of(text: str, pending: Pending, actions: Sequence[ActionSpec], language: str) -> bool:
    specs = [spec for spec in actions if spec.name in pending.hashes]
    return any(stands_at_the_end(name, text, language) for spec in specs for name in _names(spec))


def _says_nothing(sentence: str, lex: Lexicon) -> bool:
    """ "Does that sound good?" only asks for the yes."""
    if not sentence.endswith(("?", "？")):
        return False
    words = re.compile(r"[\s.!?。！？;,，]+").sub(" ", even(sentence))
    return not re.search(r"\w", lex.any_of("orders.yes", "orders.filler").sub(" ", words))


def _names(spec: ActionSpec) -> set[str]:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|[_\s-]+", " ", spec.name)
    return {one for one in map(plain, (spaced, spec.title, *spec.phrases)) if one}


def _edged(words: str) -> str:
    return rf"(?<!\w){re.escape(words)}(?!\w)" if words.isascii() else re.escape(words)
