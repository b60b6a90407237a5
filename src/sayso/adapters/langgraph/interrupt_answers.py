"""A person's answer as the value that `interrupt()` returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import orjson

from sayso.core.errors import AgentFailed
from sayso.core.interactions import DISMISSED_RESULT, Interaction, InteractionState

ReadAnswer = Callable[[Interaction], object]


def words_of(it: Interaction) -> object:
    """Return a question's answer: the words, the option, or both where both were given."""
    if not _answered(it) or it.response is None:
        return dict(DISMISSED_RESULT)
    data = it.response.response_data
    if data.selected_option is not None and data.additional_notes:
        return {"selected_option": data.selected_option, "additional_notes": data.additional_notes}
    return data.selected_option if data.selected_option is not None else data.additional_notes or ""


def values_of(it: Interaction) -> object:
    """Return an application card's answer: its values, else its words, else yes or no."""
    if not _answered(it) or it.response is None:
        return dict(DISMISSED_RESULT)
    data = it.response.response_data
    if data.values:
        return data.values
    if data.selected_option is not None or data.additional_notes:
        return words_of(it)
    return it.response.approved


def fields_of(flags: Sequence[str], untyped: Sequence[str] = ()) -> ReadAnswer:
    """Read an object: a plain yes or no is what its fields for that say, and in a field of which
    nobody knows the type an object may be written as JSON."""

    def read(it: Interaction) -> object:
        found = values_of(it)
        if isinstance(found, dict):
            return {k: _object_in(v) if k in untyped else v for k, v in found.items()}
        return dict.fromkeys(flags, found) if flags and isinstance(found, bool) else found

    return read


def _object_in(value: object) -> object:
    if not isinstance(value, str) or not value.lstrip().startswith("{"):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return value


def number_of(it: Interaction) -> object:
    """Return the number that the words are; other words as they are: the graph asks again."""
    said = words_of(it)
    if not isinstance(said, str):
        return said
    for kind in (int, float):
        try:
            return kind(said.strip())
        except ValueError:
            continue
    return said


def one_value_of(it: Interaction) -> object:
    assert it.response is not None
    return it.response.response_data.values.get("value")


def needed(read: ReadAnswer) -> ReadAnswer:
    """Fail where nobody answered: the graph would go on with something that nobody said."""

    def typed(it: Interaction) -> object:
        if not _answered(it):
            raise AgentFailed(
                f"'{it.title}' was {it.state.value}, and the graph cannot go on without an answer.",
                fix="Send the message again and answer it.",
            )
        return read(it)

    return typed


def _answered(it: Interaction) -> bool:
    if it.state is InteractionState.EXPIRED:
        return it.response is not None and it.response.approved
    return it.response is not None and it.state is not InteractionState.DISMISSED
