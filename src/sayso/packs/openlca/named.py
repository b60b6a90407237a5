"""Finds what a call names, by id or by a name that only one has. Raises ToolMistake, which says
what there is instead."""

from __future__ import annotations

import difflib

from sayso import ToolMistake
from sayso.packs.openlca.backend import Backend
from sayso.packs.openlca.model import EntityT, Flow, FlowProperty, Process, ProductSystem


def process_named(database: Backend, id_or_name: str) -> Process:
    return _one(database, Process, id_or_name, "process")


def system_named(database: Backend, id_or_name: str) -> ProductSystem:
    return _one(database, ProductSystem, id_or_name, "product system")


def flow_named(database: Backend, id_: str | None, name: str | None) -> Flow:
    if id_:
        found = database.read(Flow, id_)
        if found is None:
            raise ToolMistake(f"There is no flow with the id '{id_}'", suggestion="Search for it.")
        return found
    if not name:
        raise ToolMistake("An exchange names no flow", suggestion="Give flow_name or flow_id.")
    return _one(database, Flow, name, "flow")


def flow_property_named(database: Backend, given: str) -> FlowProperty:
    if found := _found(database, FlowProperty, given):
        return found[0]
    known = sorted(one.name or "" for one in database.all(FlowProperty))
    close = difflib.get_close_matches(given, known, n=5, cutoff=0.5) or known[:8]
    raise ToolMistake(
        f"Flow property '{given}' not found",
        suggestion=f"Use a valid flow property name like {', '.join(f'{c!r}' for c in close)}.",
    )


def _one(database: Backend, model: type[EntityT], given: str, what: str) -> EntityT:
    named = _found(database, model, given)
    if len(named) == 1:
        return named[0]
    if not named:
        raise ToolMistake(
            f"There is no {what} '{given}'", suggestion=f"Search for the {what}, or create it."
        )
    ids = ", ".join(str(one.json_object().get("@id")) for one in named[:5])
    raise ToolMistake(
        f"{len(named)} of the {what}s are named '{given}'",
        suggestion=f"Let the person choose, then give its id: {ids}.",
    )


def _found(database: Backend, model: type[EntityT], given: str) -> list[EntityT]:
    """Return the one with this id, else all with this name."""
    by_id = database.read(model, given)
    return [by_id] if by_id is not None else database.named(model, given)
