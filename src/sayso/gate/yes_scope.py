"""What a yes answers: whatever was said or asked last before it.

A bare yes is worth something only to whoever asked. To the gate's own question it grants; to an
agent that speaks of the action it opens the gate's card; to "Do you like coffee?" it means nothing
to the gate. The same holds for offers: a yes accepts what the words it answers had offered.
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
from sayso.reading.lexicon import Lexicon, lexicon_for
from sayso.reading.normalize import even, plain, spaced
from sayso.reading.said_values import values_said
from sayso.reading.sentences import QUESTION_MARKS, sentences_of
from sayso.reading.slot_types import SlotType, shape_of

#: A longer message does more than point at one of the choices just shown.
_MOST_POINTING = 3
_LONGEST_OFFER = 80


class YesScope(StrEnum):
    """What a bare yes means to the gate."""

    GRANTS = "grants"
    OPENS_CARD = "opens_card"
    NONE = "none"


def yes_scope_of(
    state: RequirementState,
    spoken: Sequence[Spoken],
    actions: Sequence[ActionSpec],
    *,
    words: str,
    language: str,
    agent_speaks: bool,
) -> YesScope:
    """Return what a yes in these words would mean.

    `spoken` is what the person had before them; `agent_speaks` says that its texts are an agent's
    and not the gate's.
    """
    pending = state.pending
    if pending is None or not spoken:
        return YesScope.NONE
    last = spoken[-1]
    cards = [one for one in spoken if one.card == CardKind.REQUIREMENTS and one.was_open]
    if pending.kind == "card" and cards == [last]:
        return YesScope.OPENS_CARD if _agent_has_asked(state, spoken, language) else YesScope.GRANTS
    if pending.kind == "offer" and last.card is None:
        if not agent_speaks:
            return YesScope.GRANTS
        if _speaks_of(last.text, pending, actions, language):
            return YesScope.OPENS_CARD
    # "Yes, create it" itself says what it answers.
    lex = lexicon_for(plain(words), language)
    makes = lex.any_of("orders.make", "orders.acting").search(plain(words))
    return YesScope.OPENS_CARD if makes is not None else YesScope.NONE


def offered_before(
    words: str,
    state: RequirementState,
    spoken: Sequence[Spoken],
    choices: Mapping[str, Sequence[str]],
    language: str,
) -> dict[str, list[JsonValue]]:
    """Return the values that this message may accept: the choices of what was just asked ("the
    second one"), and what the agent offered in the words that it ended on."""
    found: dict[str, list[JsonValue]] = {}
    if len(plain(words).split()) <= _MOST_POINTING:
        found = {slot: list(choices[slot]) for slot in state.asked if choices.get(slot)}
    for one in _put_to_them(state, spoken, language):
        found.setdefault(one.slot, []).append(one.value)
    return found


def one_value(words: str, slot: Slot, *, today: date, language: str) -> JsonValue:
    """Return the one value of a slot that an agent's words say, read as a person's would be; None
    where they say none, or more than one."""
    shape, said = shape_of(slot), even(words).strip()
    if not said or len(said) > _LONGEST_OFFER:
        return None
    lex = lexicon_for(said, language)
    found = [m.value for m in values_said(said, shape, lex, today=today, asked=True)]
    if found:
        return found[0] if all(value == found[0] for value in found) else None
    free = shape.type in (SlotType.PLACE, SlotType.NAME, SlotType.TEXT)
    return said if free and not shape.has_format and re.search(r"\w", said) else None


def stands_at_the_end(words: str, text: str, language: str = "") -> bool:
    """Return whether a text ends on these words: in its last sentence, or in the one before a
    mere "Is that all right?"."""
    if any(unicodedata.category(sign) == "Cf" or sign in "<>[]" for sign in text):
        return False  # hidden characters and link addresses are not read by people
    lex = lexicon_for(plain(text), language)
    sought = re.compile(_edged(plain(words)))
    for sentence in reversed(list(sentences_of(plain(text)))):
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


def _agent_has_asked(state: RequirementState, spoken: Sequence[Spoken], language: str) -> bool:
    """Return whether the agent, which answered before this card, has asked something of its own: a
    yes may be meant for that."""
    if state.turn is None or not state.turn.agent_first:
        return False
    own = "\n\n".join(str(one["text"]) for one in state.turn.says)
    texts = [plain(one.text) for one in spoken if one.card is None and one.text != own]
    sentences = [(one, lexicon_for(text, language)) for text in texts for one in sentences_of(text)]
    return any(
        one.endswith(QUESTION_MARKS) and not _says_nothing(one, lex) for one, lex in sentences
    )


def _speaks_of(text: str, pending: Pending, actions: Sequence[ActionSpec], language: str) -> bool:
    specs = [spec for spec in actions if spec.name in pending.hashes]
    return any(stands_at_the_end(name, text, language) for spec in specs for name in _names(spec))


def _says_nothing(sentence: str, lex: Lexicon) -> bool:
    """Return whether a question only asks for the yes: "does that sound good?"."""
    if not sentence.endswith(QUESTION_MARKS):
        return False
    small = lex.any_of(
        "clauses.inverting", "yes.subjects", "yes.copulas", "yes.adverbs", "yes.agree", "yes.looks",
        "yes.doubts", "yes.praise", "yes.ok", "yes.tails", "yes.yes",
    )  # fmt: skip
    return not re.search(r"\w", small.sub(" ", even(sentence)))


def _names(spec: ActionSpec) -> set[str]:
    return {one for one in map(plain, (spaced(spec.name), spec.title, *spec.phrases)) if one}


def _edged(words: str) -> str:
    return rf"(?<!\w){re.escape(words)}(?!\w)" if words.isascii() else re.escape(words)
