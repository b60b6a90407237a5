"""Whether a message asks, supposes or puts off what it says: its values may count, and nothing runs
on them by itself."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from sayso.reading.clauses import clauses_in
from sayso.reading.declined import is_later
from sayso.reading.lexicon import Lexicon, lexicon_for
from sayso.reading.moods import Mood
from sayso.reading.normalize import even
from sayso.reading.parsers.dates import dates_in
from sayso.reading.sentences import after_lead

_HEDGING = (
    Mood.ASKED, Mood.CONDITIONAL, Mood.LATER, Mood.HYPOTHETICAL, Mood.PAST, Mood.QUOTED,
    Mood.OF_ANOTHER, Mood.TO_ANOTHER,
)  # fmt: skip


def is_hedged(
    message: str,
    *,
    language: str = "",
    today: date | None = None,
    about_past: bool = False,
    taken: Iterable[tuple[int, int]] = (),
) -> bool:
    """Return whether some of the message asks, supposes, tells of somebody else or of the past, or
    names a day that none of the values is: "deploy version 4 tomorrow". `taken`: where its values
    stand. `about_past`: what is asked for has happened, so that the past hedges nothing."""
    text = even(message)
    lex = lexicon_for(text, language)
    if lex.any_of("doubts.unsure", "doubts.hoping").search(text) or is_later(text, lex):
        return True
    hedging = {*_HEDGING} - ({Mood.PAST} if about_past else set())
    clauses = clauses_in(message, lex)
    if any(one.is_any(*hedging) or _waits(one.words(text), lex) for one in clauses):
        return True
    spans = [*taken]
    days = [one for one in dates_in(text, lex, today) if one.value != str(today)]
    return any(all(day.end <= a or b <= day.start for a, b in spans) for day in days)


def _waits(words: str, lex: Lexicon) -> bool:
    """Return whether it begins with a "when", or asks what one may do: "can I fly to Paris?"."""
    said = after_lead(words.casefold(), lex)
    request = lex.any_of("clauses.requests").match(said)
    of_oneself = request is not None and lex.any_of("clauses.speaker").search(request[0])
    return lex.any_of("clauses.whens").match(said) is not None or bool(of_oneself)
