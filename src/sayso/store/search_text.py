"""What a search compares: the words people saw on a card, and those they answered with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from sayso.core.digest import JsonObject
from sayso.core.interactions import Interaction
from sayso.store.codec import clean

# Fields of a card that nobody reads as words.
_NOT_SHOWN = {"card", "response_schema", "edit_schema", "arguments_schema", "approval_options"}
_SAID = ("selected_option", "additional_notes", "suggestions", "rejected_rows")
# A table of thousands of rows is found by its first ones.
_MOST_CHARS = 8_000


def searchable(text: str) -> str:
    """Fold text for comparison: the same for STRASSE and straße."""
    return clean(text).casefold()


def like_pattern(text: str) -> str:
    """Escape text, so that LIKE … ESCAPE '\\' finds it as it stands."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def words_of(it: Interaction) -> str:
    card = it.card.model_dump(mode="json")
    response = it.response.model_dump(mode="json") if it.response else None
    return words_in(card, response, it.agent_name, it.settled_by or "", it.ui_tool_id)


def words_in(card: JsonObject, response: JsonObject | None, *names: str) -> str:
    """Return what a search compares. Secrets are masked in the card; a form's values stay out,
    since they are the person's own."""
    shown = {key: value for key, value in card.items() if key not in _NOT_SHOWN}
    parts = [*names, *_leaves(shown)]
    if response is not None:
        data = response.get("response_data")
        said = data if isinstance(data, Mapping) else {}
        parts += _leaves([response.get("user_message"), *(said.get(key) for key in _SAID)])
    return searchable("\n".join(parts)[:_MOST_CHARS])


def _leaves(value: JsonValue | Mapping[str, JsonValue]) -> Iterator[str]:
    match value:
        case str():
            yield value
        case bool() | None:
            return
        case int() | float():
            yield str(value)
        case Mapping():
            for part in value.values():
                yield from _leaves(part)
        case _:
            for part in value:
                yield from _leaves(part)
