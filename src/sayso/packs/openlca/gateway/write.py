"""One write that a client asks for: what a card shows of it, and how to see whether it arrived."""

from __future__ import annotations

import base64
import binascii
import hashlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass

import orjson
from pydantic import JsonValue

from sayso.core.digest import JsonObject, digest
from sayso.packs.guided import object_of, objects
from sayso.packs.openlca.comparing import agrees, differences
from sayso.packs.openlca.rpc import NOT_FOUND, RpcError

PUT, PUT_FILE, DELETE, CREATE_SYSTEM = (
    "data/put", "data/put/source-file", "data/delete", "data/create/system",
)  # fmt: skip
#: What changes the database.
WRITES = frozenset({PUT, PUT_FILE, DELETE, CREATE_SYSTEM})
#: Calls a method of the server behind. Raises SystemAway, NoReply, RpcError.
Upstream = Callable[[str, JsonValue], JsonValue]
_IDS = uuid.UUID("4a52c0a9-8c43-5a0e-9f35-6f8d3f2a1b77")


@dataclass(frozen=True, slots=True)
class Write:
    """A method and its parameters: both together are what a person allows."""

    method: str
    params: JsonObject

    @property
    def digest(self) -> str:
        return digest({"method": self.method, "params": self.params})

    def with_id(self, key: str) -> Write:
        """Give an entity without an id one that stays the same when it is tried again."""
        if self.method != PUT or self.params.get("@id"):
            return self
        return Write(self.method, {**self.params, "@id": str(uuid.uuid5(_IDS, key))})

    @property
    def title(self) -> str:
        named = f"{self._kind} '{self._name}'"
        match self.method:
            case "data/put":
                return f"Write {named} into openLCA"
            case "data/delete":
                return f"Delete {named} from openLCA"
            case "data/create/system":
                return f"Create a product system of process '{self._name}' in openLCA"
            case _:
                return f"Put the file '{self._name}' into openLCA"

    @property
    def arguments(self) -> JsonObject:
        """What the yes is to: the method and all parameters, as JSON text where they nest deep. Of
        a file, its digest stands for its content."""
        if self.method == PUT:
            text = orjson.dumps(self.params, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)
            return {"method": self.method, "params": text.decode()}
        if self.method != PUT_FILE:
            return {"method": self.method, "params": self.params}
        content = _content(self.params)
        checksum = hashlib.sha256(content).hexdigest()
        shown: JsonObject = {"name": self._name, "bytes": len(content), "sha256": checksum}
        return {"method": self.method, "params": {**self.params, "file": shown}}

    def context(self, upstream: Upstream) -> JsonObject:
        """Return what a person needs to see beside the arguments."""
        there = self._there(upstream)
        match self.method:
            case "data/put" if there is not None:
                return {"changes": [*differences(there, self.params)] or ["nothing"]}
            case "data/put":
                return {"changes": ["It is not there yet, and is made new."]}
            case "data/delete":
                gone = _summary(there) if there is not None else "It is not there."
                return {"is_deleted": gone}
            case _:
                return {}

    def before(self, upstream: Upstream) -> list[str]:
        """Return what must be known before it is sent, to find it afterwards: of a product system
        the server makes the id itself."""
        return _systems(upstream) if self.method == CREATE_SYSTEM else []

    def look_up(self, upstream: Upstream, before: list[str]) -> JsonValue:
        """Return what the server would have answered, where this has arrived; else None."""
        match self.method:
            case "data/put":
                there = self._there(upstream)
                return _ref(self._kind, there) if there and agrees(self.params, there) else None
            case "data/delete":
                return _ref(self._kind, self.params) if self._there(upstream) is None else None
            case "data/create/system":
                new = [id_ for id_ in _systems(upstream) if id_ not in before]
                systems = (_get(upstream, "ProductSystem", id_) for id_ in new)
                made = [one for one in systems if self._is_of(one)]
                return _ref("ProductSystem", made[0]) if made else None
            case _:
                return None  # the same file again is the same file

    @property
    def _kind(self) -> str:
        return str(self.params.get("@type") or "entity")

    @property
    def _name(self) -> str:
        held = {CREATE_SYSTEM: "process", PUT_FILE: "file"}.get(self.method)
        named = object_of(self.params.get(held)) if held else self.params
        return str(named.get("name") or named.get("@id") or "?")

    def _there(self, upstream: Upstream) -> JsonObject | None:
        """Return what has its id now."""
        id_ = self.params.get("@id")
        if self.method not in (PUT, DELETE) or not id_:
            return None
        return _get(upstream, self._kind, str(id_))

    def _is_of(self, system: JsonObject | None) -> bool:
        process, wanted = (system or {}).get("refProcess"), self.params.get("process")
        return (
            isinstance(process, dict)
            and isinstance(wanted, dict)
            and process.get("@id") == wanted.get("@id")
        )


def _systems(upstream: Upstream) -> list[str]:
    found = upstream("data/get/descriptors", {"@type": "ProductSystem"})
    return [str(one.get("@id")) for one in objects(found)]


def _get(upstream: Upstream, kind: str, id_: str) -> JsonObject | None:
    try:
        found = upstream("data/get", {"@type": kind, "@id": id_})
    except RpcError as exc:
        if exc.code == NOT_FOUND:
            return None
        raise
    return found if isinstance(found, dict) else None


def _ref(kind: str, entity: JsonObject | None) -> JsonObject:
    found = entity or {}
    ref: JsonObject = {"@type": kind, "@id": found.get("@id"), "name": found.get("name")}
    return {key: value for key, value in ref.items() if value is not None}


def _summary(entity: JsonObject) -> str:
    exchanges = entity.get("exchanges")
    counted = f", {len(exchanges)} exchanges" if isinstance(exchanges, list) else ""
    where = f", in {entity['category']}" if entity.get("category") else ""
    return f"{entity.get('name')}{where}{counted}"


def _content(params: JsonObject) -> bytes:
    encoded = object_of(params.get("file")).get("content")
    try:
        return base64.b64decode(str(encoded or ""), validate=True)
    except binascii.Error:
        return b""
