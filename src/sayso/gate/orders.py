"""What a message tells the gate to do: run an action, yes, no, not yet; by word lists alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from sayso.core.operations import Confirm, Deny, Later, Operation, Reading, RequestAction, Unclear
from sayso.core.requirements import ActionSpec
from sayso.gate.lexicon import Lexicon, lexicon_for, readable
from sayso.gate.replies import (
    after_polite,
    bare,
    is_later,
    is_no,
    is_plain_yes,
    is_yes_in,
    sentences_of,
    without,
)
from sayso.gate.text import LONGEST_READ, plain

#: So many clauses of a sentence are read for orders; each looks at all that leads up to it.
_MOST_CLAUSES = 60
_APART = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\s-]+")


def orders_in(reading: Reading, *, said_values: bool) -> list[Operation]:
    if len(reading.message) > LONGEST_READ:
        return []
    words = plain(reading.message)
    lex = lexicon_for(words, reading.language)
    orders = _requests(words, lex, reading)
    runs = any(isinstance(op, RequestAction) and op.runs for op in orders)
    if is_later(words, lex) and not runs:
        wishes = [op for op in orders if not (isinstance(op, RequestAction) and op.runs)]
        return [Later()] if not said_values else [*wishes, Later()]
    pending = reading.pending
    heard = readable(reading.language) and pending is not None and not said_values
    yes = heard and any(
        is_yes_in(said, reading.language)
        for said in dict.fromkeys([words, _beside_the_card(words, reading, lex)])
    )
    if runs:
        return [*orders, Confirm()] if yes and _only_what_waits(orders, reading) else orders
    if yes and pending is not None:
        several = len(pending.hashes) > 1 and pending.kind == "offer"
        every = lex.any_of("orders.both").search(words) is not None
        return [*orders, Unclear() if several and not every else Confirm()]
    if readable(reading.language) and _says_all(words, lex):
        return [*orders, *_all_of(reading)]
    if not said_values and is_no(words, lex) and (pending is not None or not reading.asked):
        return [*orders, Deny()]
    return orders


# ── replies to a card ──


def _beside_the_card(words: str, reading: Reading, lex: Lexicon) -> str:
    """The reply without what the card itself says (the action's own words, its values) once a yes
    stands before that. A word that could say no stays."""
    if reading.pending is None:
        return words
    said: set[str] = set()
    for spec in reading.actions:
        if spec.name in reading.pending.hashes:
            own = f"{_noun(spec.name, '')} {plain(spec.title)}".split()
            said.update(form for word in own if len(word) > 2 for form in (word, word + "s"))
            said.update(word.removesuffix("s") for word in own if len(word) > 3)
            said.update(
                plain(value)
                for need in spec.needs
                if isinstance(value := reading.known.get(need.slot.name), str)
            )
    known = lex.any_of(
        "orders.yes", "orders.negation", "orders.contrast", "orders.no", "orders.later"
    )
    said = {one for one in said if re.search(r"[^\W\d]{2}", one) and not known.search(one)}
    before = lex.any_of("orders.before_value").pattern
    repeated = re.compile(rf"(?:{before}\s+)*{lex.alternatives(said)}")
    first = repeated.search(words)
    if first is None or not is_plain_yes(words[: first.start()], lex):
        return words
    return repeated.sub(" ", words)


def _only_what_waits(orders: Sequence[Operation], reading: Reading) -> bool:
    """Whether these orders name nothing but what the open card would run."""
    pending = reading.pending
    return (
        pending is not None
        and pending.kind == "card"
        and all(op.action in pending.hashes for op in orders if isinstance(op, RequestAction))
    )


# ── orders that name an action ──


def _requests(words: str, lex: Lexicon, reading: Reading) -> list[Operation]:
    told: dict[str, bool] = {}
    for sentence in sentences_of(words, lex):
        negated = lex.any_of("orders.negation").search(sentence)
        doubted = lex.any_of("orders.later", "orders.doubt").search(sentence)
        run_until = 0
        for clause_start, clause in islice(_clauses(sentence, lex), _MOST_CLAUSES):
            for spec in reading.actions:
                at = _named_at(spec, clause)
                if at is None:
                    continue
                if negated is not None and negated.start() < clause_start + at:
                    continue
                told_so = doubted is None and negated is None
                quoted = _is_quoted(sentence[:clause_start], lex)
                runs = told_so and not quoted and _tells(spec, clause, sentence, lex)
                if not runs and not _is_wanted(sentence, clause_start + at, lex):
                    continue
                # "create the itinerary and the budget" tells both.
                follows = run_until > 0 and bool(
                    re.fullmatch(_joint(lex, spec), bare(clause), re.IGNORECASE)
                    or clause_start <= run_until
                )
                if runs:
                    run_until = clause_start + len(clause)
                told[spec.name] = (
                    told.get(spec.name, False)
                    or runs
                    or (follows and doubted is None and negated is None)
                )
    if not readable(reading.language):
        told = dict.fromkeys(told, False)
    return [RequestAction(action=name, runs=runs) for name, runs in told.items()]


def _is_quoted(lead: str, lex: Lexicon) -> bool:
    """Whether what stands before says whose words follow: "the tool said: yes, create it"."""
    before, colon, _ = lead.rpartition(":")
    return colon != "" and re.search(r"\w", after_polite(before, lex)) is not None


def _is_wanted(sentence: str, at: int, lex: Lexicon) -> bool:
    """Whether what leads up to an action's name asks for it: "budget of 300" does not, nor does
    "how do you make the checklist?"."""
    lead = sentence[:at]
    if lex.any_of("orders.wanted").search(lead):
        return True
    if sentence.startswith(tuple(lex.words("orders", "asking_about"))):
        return False
    return (
        not lead.strip()
        or not lex.spaced
        or (lex.any_of("orders.make", "orders.acting").search(lead) is not None)
    )


def _clauses(sentence: str, lex: Lexicon) -> Iterator[tuple[int, str]]:
    at = 0
    for match in re.finditer(rf"[,，、:]\s*|\s*{lex.any_of('values.and').pattern}\s*", sentence):
        yield at, sentence[at : match.start()]
        at = match.end()
    yield at, sentence[at:]


def _named_at(spec: ActionSpec, clause: str) -> int | None:
    matches = [
        re.search(pattern, clause) for pattern in _names(spec.name, spec.title, spec.phrases)
    ]
    return min((match.start() for match in matches if match), default=None)


def _tells(spec: ActionSpec, clause: str, sentence: str, lex: Lexicon) -> bool:
    """Whether the clause begins with an order: a phrase of the action's own, or a verb of making
    before its name."""
    rest = after_polite(clause, lex)
    wishes = [w.format(name=_noun(spec.name, "")) for w in lex.words("orders", "wishing")]
    if any(bare(rest) == wish for wish in wishes):
        return True
    if sentence.startswith(tuple(lex.words("orders", "asking_about"))):
        return False
    if lex.any_of("orders.contrast").search(bare(clause)):
        return False
    if any(re.match(rf"{_edged(plain(phrase))}", rest) for phrase in spec.phrases):
        return True
    name = _noun(spec.name, spec.title)
    if sentence.endswith(("?", "？")) and not _asks_politely(clause, lex):
        return False
    ready = lex.any_of("orders.ready").pattern
    wish = rf"{ready}\s+{lex.any_of('orders.the').pattern}\s+{_edged(name)}"
    if re.match(wish, clause.strip()):
        return True
    the, make = lex.any_of("orders.the").pattern, lex.any_of("orders.make").pattern
    between = r"(?:\w+\s+){0,2}" if lex.spaced else r"\w{0,6}"
    order = rf"{make}\s*(?:{the}\s*)?{between}{_edged(name)}"
    if lex.flag("orders", "verb_last"):
        return bool(re.search(rf"{re.escape(name)}\w{{0,3}}{make}", rest))
    if re.match(order, rest):
        return True
    verb, _, thing = name.partition(" ")
    acts = lex.any_of("orders.acting", "orders.make").fullmatch(verb)
    return bool(
        thing
        and acts
        and re.match(rf"{_edged(verb)}\s+(?:{the}\s+)?{between}{_edged(thing)}", rest)
    )


def _asks_politely(clause: str, lex: Lexicon) -> bool:
    return lex.any_of("orders.polite").match(clause.strip()) is not None


def _joint(lex: Lexicon, spec: ActionSpec) -> str:
    the = lex.any_of("orders.the").pattern
    return rf"\s*(?:{the}\s*)?{_edged(_noun(spec.name, spec.title))}(?:\s.*)?"


def _says_all(words: str, lex: Lexicon) -> bool:
    """ "create both": an order for all that was spoken of."""
    make, both = lex.any_of("orders.make").pattern, lex.any_of("orders.both").pattern
    for sentence in sentences_of(words, lex):
        if sentence.endswith(("?", "？")) or lex.any_of("orders.negation").search(sentence):
            continue
        rest = after_polite(bare(sentence), lex)
        rest_of, found = without(re.compile(both), rest)
        if not found:
            continue
        left, made = without(re.compile(make), rest_of)
        filler, _ = without(lex.any_of("orders.filler", "orders.yes", "orders.polite"), left)
        if (made or lex.any_of("orders.both").fullmatch(rest)) and not re.search(r"\w", filler):
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
def _names(name: str, title: str, phrases: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(
        _edged(one) for one in {_noun(name, ""), plain(title), *map(plain, phrases)} if one
    )


def _noun(name: str, title: str) -> str:
    return (
        " ".join(part for part in _APART.split(name) if part).casefold() if name else plain(title)
    )


def _edged(words: str) -> str:
    escaped = r"\s+".join(map(re.escape, words.split()))
    return rf"(?<![a-zA-Z0-9_]){escaped}(?![a-zA-Z0-9_])" if words.isascii() else escaped
