"""What the pack asks of a database of openLCA, wherever that is: in a file of ours (`database`), or
in an openLCA that runs (`live`)."""

from __future__ import annotations

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from sayso.core.digest import JsonObject
from sayso.packs.openlca.model import (
    EntityT,
    Exchange,
    Flow,
    FlowProperty,
    Process,
    Unit,
    UnitGroup,
)


@dataclass(frozen=True, slots=True)
class Provider:
    """A process that makes a product, or treats a waste."""

    id: str
    name: str
    process_type: str
    location: str

    def __str__(self) -> str:
        return f"{self.name} ({self.location})" if self.location else self.name

    @classmethod
    def of(cls, process: Process) -> Provider:
        where = process.location
        code = str((where.model_extra or {}).get("code") or where.name or "") if where else ""
        return cls(process.id, process.name or "", process.process_type, code)


class Away(Exception):
    """The database did not answer while it was written to; what was to be written is kept."""


class View(Protocol):
    """The database at one moment. Each thing is read once; nobody changes what it gives."""

    def read(self, model: type[EntityT], id_: str) -> EntityT | None:
        """Return the entity of this type with this id."""

    def all(self, model: type[EntityT]) -> Sequence[EntityT]: ...

    def providers(self, flow_id: str) -> Sequence[Provider]:
        """Return all that provide this flow, in the order in which they were put."""

    def unit_group_of(self, property_id: str) -> UnitGroup | None:
        found = self.read(FlowProperty, property_id)
        group = found.unit_group if found is not None else None
        return self.read(UnitGroup, group.id) if group is not None else None

    def version_of(self, kind: str, id_: str) -> str:
        """Return a hash of what is stored: "" where nothing is."""

    def flow_of(self, exchange: Exchange) -> Flow | None:
        return self.read(Flow, exchange.flow_id)

    def reference_unit_of(self, flow: Flow) -> Unit | None:
        reference = flow.reference
        group = self.unit_group_of(reference.flow_property.id) if reference else None
        return group.reference if group else None


class Changes(Protocol):
    """A write that is not finished yet: all of it will be there, or nothing."""

    def get(self, kind: str, id_: str) -> JsonObject | None: ...
    def version_of(self, kind: str, id_: str) -> str: ...

    def put(self, kind: str, entity: JsonObject) -> None:
        """Insert, or replace what has this id."""


class Backend(View, ABC):
    """A database that exists. What is read of it by itself is read anew each time."""

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    @abstractmethod
    def label(self) -> str:
        """As its cards name it."""

    @abstractmethod
    def reading(self) -> AbstractContextManager[View]:
        """The database as it is now, for one computation over much of it."""

    @abstractmethod
    def named(self, model: type[EntityT], name: str) -> list[EntityT]:
        """Return all entities of this type with this name, letter case apart."""

    @abstractmethod
    def search_flows(
        self, query: str, *, category: str = "", limit: int, offset: int
    ) -> tuple[int, list[Flow]]:
        """Return how many product flows there are with all these words, and the best of them. A
        word may be the beginning of one."""

    @abstractmethod
    def written(self, key: str) -> JsonObject | None:
        """Return what was written under this key, if anything was."""

    @abstractmethod
    def write_once(self, key: str, write: Callable[[Changes], JsonObject]) -> JsonObject:
        """Write, and remember under this key that it was: the same key again writes nothing and
        gets the same. Raises Away, and counts it."""

    def times_away(self, key: str) -> int:
        """Return how often a write under this key has found nobody."""
        return 0

    def read(self, model: type[EntityT], id_: str) -> EntityT | None:
        with self.reading() as view:
            return view.read(model, id_)

    def all(self, model: type[EntityT]) -> Sequence[EntityT]:
        with self.reading() as view:
            return view.all(model)

    def providers(self, flow_id: str) -> Sequence[Provider]:
        with self.reading() as view:
            return view.providers(flow_id)

    def version_of(self, kind: str, id_: str) -> str:
        with self.reading() as view:
            return view.version_of(kind, id_)


def fold(name: str) -> str:
    """Return a name as it is compared with others."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
