"""A question for information that comes with a yes: "Yes. What's the address?". One about the
price, a certainty or the terms is none, and neither is one for a change."""

from __future__ import annotations

import re
from functools import cache

from sayso.reading.clauses import Clause
from sayso.reading.form_words import any_form
from sayso.reading.lexicon import Lexicon
from sayso.reading.moods import Mood
from sayso.reading.normalize import spelled_out
from sayso.reading.parsers.numbers import numbers_in


def only_asks(words: str, clause: Clause, lex: Lexicon) -> bool:
    """Return whether it asks for information and no more. Whether it itself is so ("is it final?")
    is a doubt, and so is the price; a number could be meant for the card."""
    whole = spelled_out(words)
    said = after_small_words(whole, lex)
    # "Can you tell me the address?" asks as "what is the address" does.
    asks = any_form(lex, "asking", "requests")
    opens = (asks.match(said) or asks.match(whole)) if lex.spaced else asks.search(said)
    informs = opens is not None or _is_to_tell(words, lex) or _asks_about_things(said, lex)
    if not clause.is_any(Mood.ASKED) or not informs:
        return False
    if any_form(lex, "doubts", "more").search(said):
        return False
    by_name = any_form(lex, "information").search(said) is not None
    if not by_name and (lex.code != "en" or _names_nothing(said, lex)):
        return False  # what else is asked about may be its terms
    return not re.search(r"\d", said) and not numbers_in(said, lex)


def as_question(clause: Clause, words: str, lex: Lexicon) -> Clause:
    """Return a request to be given some information as the question that it is."""
    if not clause.is_any(Mood.REQUESTED) or not _is_to_tell(words, lex):
        return clause
    moods = clause.moods - {Mood.REQUESTED, Mood.ORDER} | {Mood.ASKED}
    return Clause(clause.start, clause.end, moods)


def before_request(message: str, lex: Lexicon) -> tuple[str, str]:
    """Return what stands before a closing request for information, and the request: "may I have
    the address", "find out whether they have parking". There is none if it could be about the
    price, or about a change."""
    message = " ".join(message.split())  # a long row of spaces would cost seconds
    match = _request_for_information(lex).search(message) if lex.spaced else None
    if match is None or any_form(lex, "doubts", "more").search(spelled_out(match["asked"])):
        return message, ""
    if re.search(r"\d", match["asked"]) or numbers_in(match["asked"], lex):
        return message, ""
    return message[: match.start()], match["asked"]


def after_small_words(text: str, lex: Lexicon) -> str:
    """Return the reply without the small words that may stand before a no."""
    lead = any_form(lex, "chatter", "tails", "thanks", "ok", "lets")
    for _ in range(4):
        text = text.lstrip(" ,.!;:¿¡")
        match = lead.match(text)
        if match is None or match.end() == 0:
            break
        text = text[match.end() :]
    return text.lstrip(" ,.!;:¿¡")


def _is_to_tell(words: str, lex: Lexicon) -> bool:
    """Return whether it speaks of giving some information: "give me the address"."""
    said = spelled_out(words)
    lists = ("giving", "information")
    return all(any_form(lex, name).search(said) is not None for name in lists)


@cache
def _request_for_information(lex: Lexicon) -> re.Pattern[str]:
    lists = ("asks_for", "information", "whether", "of_us", "tails")
    asks_for, things, whether, of_us, tails = (any_form(lex, name).pattern for name in lists)
    articles = lex.any_of("orders.the", "clauses.possessives").pattern
    # "The restaurant's number" is known of it; "a nicer location" would be another.
    thing = rf"(?:(?:(?!an?\s){articles}\s+(?:[\w'’]+\s+){{0,2}})?|an?\s+){things}"
    of = rf"(?:\s+\w+\s+(?:{articles}\s+\w+|there))?"
    small = rf"(?:[\s,]+(?:{tails}|also|as\s+well)){{0,3}}"
    row = rf"{thing}(?:,?\s+{lex.any_of('values.and').pattern}\s+{thing}|,\s*{thing})*{of}"
    joint = rf"(?:[,.!;]+\s*|\s+|^)(?:{lex.any_of('clauses.joints').pattern}\s+)?"
    have = any_form(lex, "having").pattern
    told = rf"{whether}\s+(?!{of_us})\w+\s+(?:\w+\s+)?{have}\s+(?!\w+ed\b)[^.!?;,]+"
    return re.compile(
        rf"{joint}(?P<asked>(?:{tails}[\s,]+){{0,3}}(?:{asks_for}\s+{row}|{told}){small}[.?!\s]*)$",
        re.IGNORECASE,
    )


def _asks_about_things(said: str, lex: Lexicon) -> bool:
    """Return whether it asks if something is so, of a thing: "is the apartment furnished", not "is
    it safe" or "can I cancel"."""
    verbs = any_form(lex, "inverting", "inverting_pronoun").pattern
    of_us = any_form(lex, "of_us").pattern
    if re.match(rf"{verbs}\s+(?!{of_us})", said):
        return True
    # However its first word is spelled: "hoe many days will the transfer take?"
    subjects = lex.any_of("clauses.subjects").pattern
    later = re.search(rf"{any_form(lex, 'inverting').pattern}\s+(?!{of_us}){subjects}", said)
    return lex.spaced and said.endswith("?") and later is not None


def _names_nothing(said: str, lex: Lexicon) -> bool:
    """Return whether small words alone make it up: "so what", "who are you"."""
    small = lex.any_of(
        "clauses.asking", "clauses.inverting", "clauses.inverting_pronoun", "clauses.subjects",
        "clauses.leads", "clauses.joints", "clauses.past",
    )  # fmt: skip
    return lex.spaced and re.search(r"[^\W\d_]", small.sub(" ", said)) is None
