"""What the code of an agent or a tool has raised, in words that any place can hold; and what is no
error of that code at all."""

from __future__ import annotations


class Unwinding(BaseException):
    """Takes down the code that it goes through: a run waits, or is over. It is no error of that
    code, and no `except Exception` may keep it."""


def words_of(exc: BaseException) -> str:
    """Return what it says. A file's name may hold bytes that are no text, and some exceptions
    cannot even say what they are."""
    try:
        said = str(exc)
    except Exception as broken:
        said = f"(its words could not be read: {type(broken).__name__})"
    return as_text(said)


def told(exc: BaseException) -> str:
    """Return its class and its words, as Python shows them."""
    return f"{type(exc).__name__}: {words_of(exc)}"


def as_text(said: str) -> str:
    """Return a text with what no file, row or reply can hold written out as escapes."""
    return said.encode("utf-8", "backslashreplace").decode()
