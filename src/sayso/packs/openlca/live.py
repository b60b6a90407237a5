"""An openLCA that runs, as a database of this pack.

What is written has its id before it is sent, so that it can be looked for: a call that got no
answer is read back, and sent again only where it did not arrive.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import orjson

from sayso import SystemAway, ToolMistake
from sayso.core.digest import JsonObject
from sayso.packs.guided import object_of, objects
from sayso.packs.openlca.backend import (
    Away,
    Backend,
    Changes,
    Provider,
    View,
    fold,
)
from sayso.packs.openlca.comparing import agrees
from sayso.packs.openlca.model import PRODUCT, EntityT, Flow, Process
from sayso.packs.openlca.receipts import Put, Receipts
from sayso.packs.openlca.rpc import NoReply, Rpc, RpcError, away

T = TypeVar("T")
#: For how long a list of names is believed.
_FRESH_SECONDS = 20.0
#: A network of more processes is read for minutes, and looked through by nobody.
_MOST_PROCESSES = 3000


class Live(Backend):
    """The database that an openLCA has open."""

    def __init__(
        self, rpc: Rpc, receipts: Path, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rpc, self._receipts = rpc, Receipts(receipts)
        self._lists = _Lists(rpc, clock)

    @property
    def name(self) -> str:
        return urlsplit(self._rpc.url).netloc

    @property
    def label(self) -> str:
        return f"openLCA at {self.name}"

    # ── reading ──

    @contextmanager
    def reading(self) -> Iterator[View]:
        with _told():
            yield _LiveView(self._rpc, self._lists)

    def named(self, model: type[EntityT], name: str) -> list[EntityT]:
        wanted = fold(name)
        with self.reading() as view:
            same = (
                one for one in self._lists.descriptors(model.__name__) if fold(one.name) == wanted
            )
            found = [view.read(model, one.id) for one in same]
        return [one for one in found if one is not None]

    def search_flows(
        self, query: str, *, category: str = "", limit: int, offset: int
    ) -> tuple[int, list[Flow]]:
        terms, wanted, within = re.findall(r"\w+", fold(query)), fold(query), category.lower()
        with self.reading() as view:
            found = [
                one
                for one in self._lists.descriptors("Flow")
                if one.flow_type == PRODUCT
                and within in one.category.lower()
                and all(_begins_a_word(term, f"{one.name} {one.category}") for term in terms)
            ]
            found.sort(key=lambda one: _rank(fold(one.name), wanted))
            page = (view.read(Flow, one.id) for one in found[offset : offset + limit])
            return len(found), [flow for flow in page if flow is not None]

    # ── writing ──

    def written(self, key: str) -> JsonObject | None:
        receipt = self._receipts.get(key)
        if receipt is None or not receipt.puts:
            return None
        if not receipt.is_there:
            if not all(self._is_there(put) for put in receipt.puts):
                return None
            self._receipts.is_there(key)
        return receipt.result

    def times_away(self, key: str) -> int:
        receipt = self._receipts.get(key)
        return receipt.times_away if receipt is not None else 0

    def write_once(self, key: str, write: Callable[[Changes], JsonObject]) -> JsonObject:
        try:
            before = self.written(key)
            return before if before is not None else self._send(key, write)
        except SystemAway as exc:
            self._receipts.was_away(key)
            raise Away(exc.details) from exc
        except RpcError as exc:
            raise _refusal(exc) from exc

    def _send(self, key: str, write: Callable[[Changes], JsonObject]) -> JsonObject:
        changes = _LiveChanges(self._rpc)
        result = write(changes)
        self._receipts.sending(key, changes.puts, result)
        try:
            for kind, entity in changes.puts:
                self._rpc.write("data/put", {**entity, "@type": kind})
        except NoReply as exc:
            # Perhaps it arrived, and only its answer did not.
            if self.written(key) is None:
                raise away(self._rpc.url, str(exc)) from exc
        finally:
            self._lists.forget()
        self._receipts.is_there(key)
        return result

    def _is_there(self, put: Put) -> bool:
        kind, entity = put
        return agrees(entity, self._rpc.read("data/get", {"@type": kind, "@id": entity["@id"]}))


@dataclass(frozen=True, slots=True)
class _Descriptor:
    id: str
    name: str
    category: str
    flow_type: str

    @classmethod
    def of(cls, found: JsonObject) -> _Descriptor:
        words = (found.get(key) for key in ("@id", "name", "category", "flowType"))
        return cls(*(str(word or "") for word in words))


class _Lists:
    """The long lists of a server, each asked for once in a while: thousands of calls use up the
    sockets of a machine, and openLCA makes each list anew."""

    def __init__(self, rpc: Rpc, clock: Callable[[], float]) -> None:
        self._rpc, self._clock = rpc, clock
        self._kept: dict[str, tuple[float, object]] = {}

    def descriptors(self, kind: str) -> list[_Descriptor]:
        return self._once_in_a_while(
            kind,
            lambda: [
                _Descriptor.of(one)
                for one in objects(self._rpc.read("data/get/descriptors", {"@type": kind}))
            ],
        )

    def providers(self) -> dict[str, list[Provider]]:
        return self._once_in_a_while("", self._providers)

    def forget(self) -> None:
        self._kept.clear()

    def _providers(self) -> dict[str, list[Provider]]:
        found: dict[str, list[Provider]] = {}
        for one in objects(self._rpc.read("data/get/providers", {})):
            flow, provider = one.get("flow"), object_of(one.get("provider"))
            # A result or another system has no exchanges to follow.
            if isinstance(flow, dict) and provider.get("@type") == "Process":
                words = (provider.get(key) for key in ("@id", "name", "processType", "location"))
                made = Provider(*(str(word or "") for word in words))
                found.setdefault(str(flow.get("@id")), []).append(made)
        return found

    def _once_in_a_while(self, key: str, ask: Callable[[], T]) -> T:
        asked, found = self._kept.get(key, (0.0, None))
        now = self._clock()
        if found is None or now - asked > _FRESH_SECONDS:
            found = ask()
            self._kept[key] = (now, found)
        return found  # type: ignore[return-value]  # each key has its own type


class _LiveView(View):
    """Reads each entity once."""

    def __init__(self, rpc: Rpc, lists: _Lists) -> None:
        self._rpc, self._lists = rpc, lists
        self._bodies: dict[tuple[str, str], JsonObject | None] = {}
        self._processes = 0

    def read(self, model: type[EntityT], id_: str) -> EntityT | None:
        body = self._body(model.__name__, id_)
        return model.model_validate(body) if body is not None else None

    def all(self, model: type[EntityT]) -> Sequence[EntityT]:
        found = self._rpc.read("data/get/all", {"@type": model.__name__})
        return [model.model_validate(one) for one in objects(found)]

    def providers(self, flow_id: str) -> Sequence[Provider]:
        return self._lists.providers().get(flow_id, [])

    def version_of(self, kind: str, id_: str) -> str:
        return _hash(self._body(kind, id_))

    def _body(self, kind: str, id_: str) -> JsonObject | None:
        key = (kind, id_)
        if key not in self._bodies:
            self._processes += kind == Process.__name__
            if self._processes > _MOST_PROCESSES:
                raise ToolMistake(
                    f"The network has more than {_MOST_PROCESSES} processes",
                    suggestion="Make this product system in openLCA itself.",
                )
            self._bodies[key] = _get(self._rpc, kind, id_)
        return self._bodies[key]


class _LiveChanges:
    """Collects what is to be put; it is sent when everything is known."""

    def __init__(self, rpc: Rpc) -> None:
        self._rpc = rpc
        self.puts: list[Put] = []

    def get(self, kind: str, id_: str) -> JsonObject | None:
        return _get(self._rpc, kind, id_)

    def version_of(self, kind: str, id_: str) -> str:
        return _hash(self.get(kind, id_))

    def put(self, kind: str, entity: JsonObject) -> None:
        self.puts.append((kind, entity))


@contextmanager
def _told() -> Iterator[None]:
    """Turn what the server refuses into what a tool says."""
    try:
        yield
    except RpcError as exc:
        raise _refusal(exc) from exc


def _refusal(exc: RpcError) -> ToolMistake:
    return ToolMistake(
        f"openLCA refuses it: {exc.message}",
        details=f"Error {exc.code} of its IPC server.",
        suggestion="Look at it in openLCA, and correct what it says.",
    )


def _get(rpc: Rpc, kind: str, id_: str) -> JsonObject | None:
    found = rpc.read("data/get", {"@type": kind, "@id": id_}) if id_ else None
    return found if isinstance(found, dict) else None


def _hash(body: JsonObject | None) -> str:
    if body is None:
        return ""
    written = orjson.dumps(body, option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(written).hexdigest()[:16]


def _begins_a_word(term: str, words: str) -> bool:
    return any(word.startswith(term) for word in re.findall(r"\w+", fold(words)))


def _rank(name: str, wanted: str) -> tuple[bool, bool, str]:
    return name != wanted, not name.startswith(wanted), name
