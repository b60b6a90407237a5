"""What a message asks for: run an action, yes, a leaning to it, no, not yet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from sayso.core.extraction_ops import (
    Confirm,
    Deny,
    Later,
    Lean,
    Operation,
    Reading,
    RequestAction,
    Unclear,
)
from sayso.core.requirements import ActionSpec
from sayso.reading.card_words import actions_named, card_words
from sayso.reading.clauses import Clause, clauses_in
from sayso.reading.closed_forms import closed_forms
from sayso.reading.declined import may_decline
from sayso.reading.lexicon import Lexicon, can_read_yes, lexicon_for
from sayso.reading.moods import Mood
from sayso.reading.normalize import LONGEST_READ, plain, spaced
from sayso.reading.reply_kinds import NOTHING, YESES, Heard, ReplyKind
from sayso.reading.second_witness import is_all_but_heard, is_second_heard
from sayso.reading.sentences import after_lead, after_polite, bare, sentences_of, without
from sayso.reading.span import without_spans
from sayso.reading.yes_no import heard_in

#: In these moods a clause that names an action asks for nothing.
_UNMEANT = (
    Mood.ASKED, Mood.NEGATED, Mood.QUOTED, Mood.TO_ANOTHER, Mood.PAST, Mood.OF_ANOTHER,
)  # fmt: skip
#: In these it may wish for it, and orders nothing now, wherever in the message they stand.
_PUT_OFF = (Mood.CONDITIONAL, Mood.LATER, Mood.HYPOTHETICAL)


def intents_in(
    reading: Reading,
    *,
    said_values: bool,
    taken: Iterable[tuple[int, int]] = (),
    repeated: Iterable[str] = (),
) -> list[Operation]:
    """Return what a message asks for. `said_values`: it says new values beside, `taken` is where
    some of them stand, whose words put nothing off ("tomorrow at six"); `repeated` are its words
    that say known ones again."""
    if len(reading.message) > LONGEST_READ:
        return []
    words = plain(reading.message)
    lex = lexicon_for(words, reading.language)
    intents = _requests(lex, reading)
    heard = NOTHING
    rest = without_spans(reading.message, taken)
    if (reading.pending and not said_values) or may_decline(rest, lex):
        card = card_words(reading, lex, repeated=repeated)
        heard = heard_in(rest, reading.language, card=card, outright=reading.outright)
    runs = any(op.runs for op in intents)
    if heard.leave is ReplyKind.LATER:
        if said_values and reading.pending is not None:
            return []  # "hang on, make it 4" wants another card, and runs nothing
        wishes = [RequestAction(action=op.action) for op in intents]
        return [*wishes, Later()] if said_values else [Later()]
    if not can_read_yes(reading.language):
        return [*intents]
    if reading.pending is not None and not said_values:
        named = intents or _named_on_card(words, lex, reading)
        answer = _answer(heard, named, words, lex, reading)
        if answer is not None:
            return [*(named if isinstance(answer, Confirm) else intents), answer]
    if runs:
        return [*intents]
    if _says_all(words, lex):
        return [*intents, *_all_of(reading)]
    answers = reading.pending is not None or not reading.asked
    if heard.leave is ReplyKind.NO and not said_values and answers:
        return [*intents, Deny()]
    return [*intents]


def _named_on_card(words: str, lex: Lexicon, reading: Reading) -> list[RequestAction]:
    """Return the actions that a yes goes to, where the card lists more and it names some: of a card
    with a hotel and a car "yes to the hotel" orders the hotel."""
    named = actions_named(reading, lex)
    if lex.any_of("orders.both").search(words) or _are_all(named, reading):
        return []
    return [RequestAction(action=name, runs=True) for name in named]


def _are_all(names: Sequence[str], reading: Reading) -> bool:
    return reading.pending is not None and set(names) == set(reading.pending.hashes)


def _answer(
    heard: Heard, intents: Sequence[RequestAction], words: str, lex: Lexicon, reading: Reading
) -> Operation | None:
    """Return what the reply gives to what is pending, if it leans to it at all."""
    pending = reading.pending
    if pending is None or heard.leave not in (*YESES, ReplyKind.WEAK):
        return None
    named = {op.action for op in intents}
    if not named <= set(pending.hashes):
        return None
    if heard.leave is ReplyKind.WEAK:
        return Lean()
    if not is_second_heard(heard, reading):
        return Lean() if is_all_but_heard(heard, reading) else None
    several = len(pending.hashes) > 1 and pending.kind == "offer" and not named
    every = lex.any_of("orders.both").search(words) is not None
    return Unclear() if several and not every else Confirm(question=heard.question)


# ── orders that name an action ──


def _requests(lex: Lexicon, reading: Reading) -> list[RequestAction]:
    clauses = clauses_in(reading.message, lex)
    put_off = any(clause.is_any(*_PUT_OFF) for clause in clauses)
    told: dict[str, bool] = {}
    running = wanting = False
    for clause in clauses:
        words = plain(clause.words(reading.message))
        runs_here = wants_here = False
        for spec in reading.actions:
            if _named_at(spec, words) is None:
                continue
            if clause.is_any(*_UNMEANT) and not _is_wish(spec, words, lex):
                continue
            runs = not put_off and (
                _tells(spec, words, lex) or (running and _is_rest(spec, words, lex))
            )
            goes_on = wanting and _is_rest(spec, words, lex)
            if runs or goes_on or _is_wanted(spec, words, clause, lex):
                told[spec.name] = told.get(spec.name, False) or runs
                runs_here, wants_here = runs_here or runs, True
        running, wanting = runs_here, wants_here
    if not can_read_yes(reading.language):
        told = dict.fromkeys(told, False)
    return [RequestAction(action=name, runs=runs) for name, runs in told.items()]


def _named_at(spec: ActionSpec, words: str) -> int | None:
    names = _names(spec.name, spec.title, spec.phrases)
    found = [match.start() for name in names if (match := name.search(words))]
    return min(found, default=None)


def _is_wanted(spec: ActionSpec, words: str, clause: Clause, lex: Lexicon) -> bool:
    """Return whether the clause asks for an action: "budget of 300" does not."""
    lead = words[: _named_at(spec, words) or 0]
    if lex.any_of("orders.wanted").search(lead) or clause.is_any(Mood.ORDER):
        return True
    return not after_polite(lead, lex) or not lex.spaced


def _is_wish(spec: ActionSpec, words: str, lex: Lexicon) -> bool:
    """Return whether it is a question that asks for the action itself: "what should my itinerary
    look like?"."""
    wishes = [w.format(name=_noun(spec.name)) for w in lex.words("orders", "wishing")]
    return bare(after_polite(words, lex)) in wishes


def _is_rest(spec: ActionSpec, words: str, lex: Lexicon) -> bool:
    """Return whether the clause goes on with an order: "and the budget" after "create the
    itinerary"."""
    name = _edged(_noun(spec.name))
    return lex.form(rf"\W*(?:<orders.the>\s*)?{name}(?:\s.*)?\W*").fullmatch(words) is not None


def _tells(spec: ActionSpec, words: str, lex: Lexicon) -> bool:
    """Return whether the clause begins with an order: one of the action's phrases, or a verb of
    making before its name."""
    if _is_wish(spec, words, lex):
        return True
    rest = after_polite(after_lead(words, lex), lex)
    if any(re.match(_edged(plain(phrase)), rest) for phrase in spec.phrases):
        return True
    name = _noun(spec.name)
    if lex.form(rf"<orders.ready>\s+<orders.the>\s+{_edged(name)}").match(words.strip()):
        return True
    if lex.flag("orders", "verb_last"):
        return bool(lex.form(rf"{re.escape(name)}\w{{0,3}}<orders.make>").search(rest))
    between = r"(?:\w+\s+){0,2}" if lex.spaced else r"\w{0,6}"
    making = rf"<orders.make>\s*(?:<orders.the>\s*)?{between}{_edged(name)}"
    if lex.form(making).match(rest):
        return True
    verb, _, thing = name.partition(" ")
    acts = lex.any_of("orders.acting", "orders.make").fullmatch(verb)
    told = rf"{_edged(verb)}\s+(?:<orders.the>\s+)?{between}{_edged(thing)}"
    return bool(thing and acts and lex.form(told).match(rest))


def _says_all(words: str, lex: Lexicon) -> bool:
    """Return whether the message orders everything that was spoken of: "create both"."""
    make, both = lex.any_of("orders.make"), lex.any_of("orders.both")
    if both.search(words) is None:
        return False
    for sentence in sentences_of(words):
        if any(clause.is_any(*_UNMEANT, *_PUT_OFF) for clause in clauses_in(sentence, lex)):
            continue
        rest = after_polite(bare(sentence), lex)
        rest_of, found = without(both, rest)
        if not found:
            continue
        left, made = without(make, rest_of)
        small, _ = without(lex.form("<orders.polite|clauses.leads|yes.tails|yes.lets>"), left)
        is_small = not re.search(r"\w", small) or closed_forms(small, lex).is_whole
        if (made or both.fullmatch(rest)) and is_small:
            return True
    return False


def _all_of(reading: Reading) -> Sequence[Operation]:
    names = list(reading.requested) or [spec.name for spec in reading.actions]
    if reading.pending is not None:
        names = list(dict.fromkeys([*reading.pending.hashes, *reading.requested]))
    if not reading.requested and reading.pending is None and len(names) > 2:
        return [Unclear()]
    return [RequestAction(action=name, runs=True) for name in names]


@lru_cache(maxsize=256)
def _names(name: str, title: str, phrases: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    said = {_noun(name), plain(title), *map(plain, phrases)}
    return tuple(re.compile(_edged(one)) for one in said if one)


def _noun(name: str) -> str:
    return spaced(name).casefold()


def _edged(words: str) -> str:
    escaped = r"\s+".join(map(re.escape, words.split()))
    return rf"(?<![a-zA-Z0-9_]){escaped}(?![a-zA-Z0-9_])" if words.isascii() else escaped
