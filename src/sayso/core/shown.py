"""What a person decides on: all that a card shows and all that would run, bound by one digest.

Not part of it are the time left, drafts, who may answer, and ids: none of them changes what a yes
means.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import BaseModel, JsonValue

from sayso.core.cards import Card, Change
from sayso.core.digest import JsonObject, canonical_json, digest

#: How deep a redraw is compared before a part is told as one.
_DEEPEST = 4
#: What says a text of the server in other languages, in these lists of a card.
_CODES = ("code", "params", "source_code")
_CODED = ("known", "errors")
#: Who asks, by which rule, and what came with it that no yes is to.
_NOT_DECIDED_ON = ("asker", "not_bound", "rule")
#: Parts that cards of earlier versions have not: where they are empty, the card is as it was.
_NEWER = ("formats", "before", "attachments")
#: What tells the entries of a list apart, best first.
_NAMES = ("row_id", "field", "id", "key", "label")


def content_of(
    *, type_: str, ui_tool_id: str, agent_name: str, card: Card, proposal: BaseModel | None
) -> JsonObject:
    """Return all of it as JSON, with the real values of what would run."""
    return {
        "type": type_,
        "ui_tool_id": ui_tool_id,
        "agent_name": agent_name,
        "card": _without_codes(card.model_dump(mode="json"), used=False),
        # A proposal's own number counts the cards of its call, and is no part of what it says.
        "runs": proposal.model_dump(mode="json", exclude={"revision"}) if proposal else None,
    }


def shown_digest(content: JsonObject, changes: Sequence[Change], salt: str) -> str:
    """Return the digest of one revision. Without the salt nobody can try what a masked value
    was."""
    told: JsonValue = [change.model_dump(mode="json") for change in changes]
    return digest({**content, "changes": told, "salt": salt})


def _without_codes(card: JsonValue, *, used: bool) -> JsonObject:
    """Return a card without the codes of the server's texts: those that stand for nothing, so
    that it is what it was before cards had any, and where wanted those that are `used`; and without
    what does not bind."""
    assert isinstance(card, dict)
    return {
        name: [_uncoded(row, used=used) if isinstance(row, dict) else row for row in value]
        if name in _CODED and isinstance(value, list)
        else value
        for name, value in card.items()
        if name not in _NOT_DECIDED_ON
        and (name not in _NEWER or value is not None)
        and (name != "says" or (value is not None and not used))
    }


def _uncoded(row: JsonObject, *, used: bool) -> JsonObject:
    return {k: v for k, v in row.items() if k not in _CODES or (v is not None and not used)}


def is_same(before: JsonObject, after: JsonObject) -> bool:
    return canonical_json(before) == canonical_json(after)


def changes_between(before: JsonObject, after: JsonObject) -> list[Change]:
    """Return what a redraw changed, as people can be told it: by the card, where secrets are
    masked. What changed only in what would run is named, without its values."""
    found: dict[tuple[str, bytes], Change] = {}
    # The texts that codes say are compared, and told once.
    old_card, new_card = (_without_codes(one["card"], used=True) for one in (before, after))
    for name, old, new in _both(old_card, new_card):
        for change in _differences(name, old, new, depth=1):
            # One value stands in several places: a title is a summary too, and is told once.
            place = change.path.partition("/")[2]
            values: JsonValue = [change.before, change.after]
            found.setdefault((place, canonical_json(values)), change)
    if found:
        return list(found.values())
    runs = _both(before["runs"] or {}, after["runs"] or {})
    return [Change(path=name) for name, old, new in runs if old != new]


def older_digest(proposal: JsonObject) -> str:
    """Return the digest of a card that was opened before cards had a salt: over the proposal
    alone."""
    parts = ("tool_name", "arguments", "details", "rows", "impact", "data")
    return digest({name: proposal.get(name) for name in parts})


def _differences(path: str, before: JsonValue, after: JsonValue, *, depth: int) -> Iterator[Change]:
    if is_same({"is": before}, {"is": after}):
        return
    old, new = _by_name(before), _by_name(after)
    if old is None or new is None or depth == _DEEPEST:
        yield Change(path=path, before=before, after=after)
        return
    for name, was, now in _both(old, new):
        yield from _differences(f"{path}/{name}", was, now, depth=depth + 1)


def _both(before: JsonValue, after: JsonValue) -> Iterator[tuple[str, JsonValue, JsonValue]]:
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    for name in before | after:
        yield name, before.get(name), after.get(name)


def _by_name(value: JsonValue) -> JsonObject | None:
    """Return an object, or a list whose entries have names of their own, as an object."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, list):
        return None
    entries = [entry for entry in value if isinstance(entry, dict)]
    for name in _NAMES:
        named = {str(entry[name]): _without(entry, name) for entry in entries if name in entry}
        if len(named) == len(value):
            return named
    return None


def _without(entry: JsonObject, name: str) -> JsonValue:
    """Return the rest of an entry beside its name; its one value where it has no more."""
    rest = {key: value for key, value in entry.items() if key != name}
    return next(iter(rest.values())) if len(rest) == 1 else rest
