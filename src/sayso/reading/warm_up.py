"""Loads the library that reads unusual days before anybody waits for it: that takes a second."""

from __future__ import annotations

from datetime import date
from functools import cache
from threading import Thread

from sayso.reading.lexicon import lexicon
from sayso.reading.parsers.other_days import parsed_day


@cache
def warm_up(language: str) -> Thread:
    """Start to load it for a language, once a process, in a thread that nothing waits for."""
    thread = Thread(target=_read_a_day, args=(language,), name="sayso-warm-up", daemon=True)
    thread.start()
    return thread


def _read_a_day(language: str) -> None:
    parsed_day("5-Dec-2026", lexicon(language), date(2026, 1, 1), "future")
