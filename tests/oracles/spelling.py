"""How the words of issue 9, part 4, are spelled in code: the one place to change."""

from __future__ import annotations

from typing import Any

import sayso


def not_executed(why: str) -> Exception:
    """Nothing left this process."""
    made: Exception = _named("NotExecuted")(why)
    return made


def unavailable(why: str) -> Exception:
    from sayso.core.errors import ToolUnavailable

    return ToolUnavailable(why)


def was_done(result: object) -> object:
    """What a `reconcile` gives that found the call to be done."""
    found: object = _named("Done")(result)
    return found


def was_not_done() -> object:
    found: object = _named("NotDone")()
    return found


def still_unknown() -> object:
    return None


def _named(name: str) -> Any:
    # Asked for late: a row of the table that needs it fails alone where there is none yet.
    return getattr(sayso, name)


#: What the audit log calls each state (`effect.…`).
DONE = {"done"}
FAILED = {"failed"}
NOT_EXECUTED = {"not_executed"}
#: It is open whether it acted. With a question (uncertain), or without (unclear).
UNKNOWN = {"uncertain", "unclear"}
#: It raised and is known to have done nothing; which of the two words is not promised.
NOTHING_DONE = FAILED | NOT_EXECUTED
#: Nothing is recorded: nothing was begun, or the tool only looks.
NOTHING = {"none"}
