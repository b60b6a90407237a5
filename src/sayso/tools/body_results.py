"""What comes out of a body: a value, as JSON of a bounded size, or an exception, and what that says
of whether the body has acted.

Unknown is the default: a body that was entered may have done anything before it raised. It is known
only where somebody has said so.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import orjson
from pydantic import JsonValue
from pydantic_core import PydanticSerializationError, to_jsonable_python

from sayso.core.digest import JsonObject
from sayso.core.effects import EffectState
from sayso.core.errors import NotExecuted, SaysoError, SystemAway, ToolMistake
from sayso.core.json_limits import DEEPEST, is_too_deep
from sayso.core.raised import as_text, told, words_of
from sayso.core.tool_result_cards import spoken
from sayso.tools.answer_messages import critical_result, error_of, error_result
from sayso.tools.signature import ArgumentsInvalid
from sayso.tools.suspension import SaidError, StepFailed
from sayso.tools.tool import Traits


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How a body ended."""

    state: EffectState
    #: None where nobody may hear of it before a person has said what became of it.
    result: JsonValue
    error: str | None = None
    exception: BaseException | None = None
    #: How long it ran; None where it waited inside.
    seconds: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether somebody must say what became of it before its framework hears of it."""
        return self.state is EffectState.UNCERTAIN and self.result is None


def raised(exc: BaseException, traits: Traits, *, asks: bool) -> Ran:
    """Return how a body ended that raised this. With `asks`, a person is asked where it is unknown
    whether it acted."""
    state = EffectState.FAILED if traits.read_only else _state(exc, traits)
    told = None if state is EffectState.UNCERTAIN and asks else _message_for_model(exc)
    return Ran(state=state, result=told, error=_error(exc), exception=_cause(exc))


def _state(exc: BaseException, traits: Traits) -> EffectState:
    match exc:
        case NotExecuted() | ArgumentsInvalid():
            return EffectState.NOT_EXECUTED
        case SaidError():
            return EffectState.FAILED
        case StepFailed(was_asked_about=True):
            return EffectState.FAILED
        case _ if traits.on_error == "failed":
            return EffectState.FAILED
        case _:
            return EffectState.UNCERTAIN


def _message_for_model(exc: BaseException) -> JsonObject:
    """Return what the model is told of it."""
    if isinstance(exc, ToolMistake):
        said = error_result(exc.message, suggestion=exc.suggestion)
        return {**said, "details": exc.details} if exc.details else said
    if isinstance(exc, SystemAway):
        return critical_result(exc)
    if isinstance(exc, NotExecuted):
        return error_result(exc.detail, suggestion=exc.fix)
    if isinstance(exc, ArgumentsInvalid):
        return error_result(str(exc), errors=exc.errors)
    return error_of(exc) if isinstance(exc, SaysoError) else error_result(_error(exc))


def _error(exc: BaseException) -> str:
    if isinstance(exc, SaysoError):
        return exc.detail
    if isinstance(exc, StepFailed):
        return as_text(f"{exc.error_type}: {exc.message}")
    if isinstance(exc, SaidError) and exc.raised is None:
        return words_of(exc)
    return told(_cause(exc))


def _cause(exc: BaseException) -> BaseException:
    """Return the framework's own exception, where an adapter has classified it."""
    return exc.raised if isinstance(exc, SaidError) and exc.raised is not None else exc


#: A result goes to a model, a row and every client; beyond this it belongs in an artifact or a
#: file.
MAX_RESULT_BYTES = 1_000_000


def as_result(raw: object) -> JsonValue:
    """Return the body's value as JSON. Where it cannot be written, a note says so: the tool has
    run."""
    try:
        value: JsonValue = to_jsonable_python(raw, inf_nan_mode="null")
        size = len(orjson.dumps(value))
    except (PydanticSerializationError, ValueError, TypeError) as exc:
        if is_too_deep(raw):
            return _too_deep()
        return _ran_without(
            f"its result cannot be written as JSON: {exc}", "its author needs to return plain data"
        )
    if size > MAX_RESULT_BYTES:
        return _ran_without(
            f"its result has {size} bytes; the limit is {MAX_RESULT_BYTES}",
            "ask for less, or for a part of it, where it can be asked without acting again",
        )
    return _too_deep() if is_too_deep(value) else value


def _too_deep() -> JsonObject:
    return _ran_without(
        f"its result nests {DEEPEST} levels deep or more", "its author needs to return flatter data"
    )


def _ran_without(why: str, instead: str) -> JsonObject:
    note = f"The tool ran, but {why}. Do not call it again for that; {instead}."
    return {"status": "done", "note": note}


def is_error(value: JsonValue) -> bool:
    body = spoken(value)
    return body is not None and body.get("status") in ("error", "critical_failure")


def error_text(value: JsonValue) -> str:
    body = spoken(value)
    return str((body or {}).get("message") or "It failed.")


@dataclass(slots=True)
class Sent:
    """How many requests one body has begun, including the calls within it."""

    around: Sent | None = None
    begun: int = 0

    def count(self, change: int) -> None:
        self.begun += change
        if self.around is not None:
            self.around.count(change)


_sent: ContextVar[Sent | None] = ContextVar("sayso_sent", default=None)


def sent_by_body() -> Sent | None:
    """Return what the running body has sent; None outside of any body."""
    return _sent.get()


@contextmanager
def a_body() -> Iterator[None]:
    token = _sent.set(Sent(around=_sent.get()))
    try:
        yield
    finally:
        _sent.reset(token)
