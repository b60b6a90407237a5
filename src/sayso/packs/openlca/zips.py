"""JSON-LD zips as openLCA writes and reads them: in as one transaction, out as schema 2.

A zip comes from anywhere: its names, sizes and contents are looked at before they are believed.
"""

from __future__ import annotations

import os
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import orjson

from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput
from sayso.packs.openlca.database import Database
from sayso.packs.openlca.schema1 import category_paths, upgraded
from sayso.packs.openlca.writer import Writer

#: Each folder's type; in the order of import, so that what is referred to comes first.
FOLDERS = {
    "unit_groups": "UnitGroup",
    "flow_properties": "FlowProperty",
    "currencies": "Currency",
    "locations": "Location",
    "actors": "Actor",
    "sources": "Source",
    "dq_systems": "DQSystem",
    "parameters": "Parameter",
    "social_indicators": "SocialIndicator",
    "flows": "Flow",
    "lcia_categories": "ImpactCategory",
    "lcia_methods": "ImpactMethod",
    "processes": "Process",
    "results": "Result",
    "epds": "Epd",
    "product_systems": "ProductSystem",
    "projects": "Project",
}
_CATEGORIES = "categories"
_HEADER = "olca-schema.json"
_MOST_FILES = 500_000
_MOST_BYTES_EACH = 128_000_000
_MOST_BYTES = 4_000_000_000
_MOST_TIMES_SMALLER = 300
_SMALL = 1_000_000

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class Imported:
    """What came in, and what did not."""

    counts: Counter[str] = field(default_factory=Counter)
    losses: Counter[str] = field(default_factory=Counter)


def import_zip(
    source: Path, target: Path, *, merge: bool = False, progress: Progress = lambda _, __: None
) -> Imported:
    """Import a zip into the database at `target`, made where there is none: all of it, or nothing.
    With `merge`, what is there stays, and the newer version of an id wins.

    Raises InvalidInput.
    """
    is_new = not target.exists()
    found = Imported()
    try:
        with _opened(source) as archive:
            names = _checked_names(archive)
            database = Database.create(target)
            with database.writing() as writer:
                if not writer.is_empty and not merge:
                    raise InvalidInput(
                        f"The database '{database.name}' is not empty.",
                        fix="Give --merge to add to it, or another --db.",
                    )
                _import(archive, names, writer, found, progress)
    except BaseException:
        if is_new:
            for path in (target, Path(f"{target}-wal"), Path(f"{target}-shm")):
                path.unlink(missing_ok=True)
        raise
    return found


def export_zip(database: Database, target: Path) -> Counter[str]:
    """Write everything into a zip of schema 2, whole or not at all; returns the counts."""
    folders = {kind: folder for folder, kind in FOLDERS.items()}
    counts: Counter[str] = Counter()
    half = target.with_name(f".{target.name}.half")
    try:
        with zipfile.ZipFile(half, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(_HEADER, b'{"version": 2}')
            for kind, entity in database.everything():
                archive.writestr(f"{folders[kind]}/{entity['@id']}.json", orjson.dumps(entity))
                counts[kind] += 1
        os.replace(half, target)
    finally:
        half.unlink(missing_ok=True)
    return counts


# ── reading ──


@contextmanager
def _opened(source: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(source) as archive:
            yield archive
    except FileNotFoundError as exc:
        raise InvalidInput(f"There is no file {source}.", fix="Check its name.") from exc
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as exc:
        raise InvalidInput(
            f"{source.name} is no zip that can be read: {exc}.", fix="Export it again."
        ) from exc


def _checked_names(archive: zipfile.ZipFile) -> dict[str, list[zipfile.ZipInfo]]:
    """Return the JSON files of each folder. Raises InvalidInput at the first that is not to be
    trusted."""
    files = [info for info in archive.infolist() if not info.is_dir()]
    if len(files) > _MOST_FILES:
        raise _refused(f"it has {len(files)} files")
    if sum(info.file_size for info in files) > _MOST_BYTES:
        raise _refused("it unpacks to more than 4 GB")
    seen: set[str] = set()
    found: dict[str, list[zipfile.ZipInfo]] = {}
    for info in files:
        path = PurePosixPath(info.filename)
        if path.is_absolute() or ".." in path.parts or "\\" in info.filename:
            raise _refused(f"it has a file outside of itself, {info.filename!r}")
        if info.filename in seen:
            raise _refused(f"it has {info.filename!r} twice")
        seen.add(info.filename)
        if info.flag_bits & 0x1:
            raise _refused("it is encrypted")
        inflated = info.file_size / max(info.compress_size, 1)
        if info.file_size > _MOST_BYTES_EACH or (
            info.file_size > _SMALL and inflated > _MOST_TIMES_SMALLER
        ):
            raise _refused(f"{info.filename!r} unpacks to {info.file_size} bytes")
        folder = path.parts[-2] if len(path.parts) > 1 else ""
        found.setdefault(folder if path.suffix == ".json" else "files", []).append(info)
        if path.name == _HEADER:
            _check_version(archive, info)
    if not any(folder in FOLDERS for folder in found):
        raise _refused("it has no folder of openLCA's, such as processes or flows")
    return found


def _check_version(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
    version = _json(archive, info).get("version")
    if version not in (1, 2):
        raise _refused(f"it is of schema {version}, and this reads 1 and 2")


def _import(
    archive: zipfile.ZipFile,
    names: dict[str, list[zipfile.ZipInfo]],
    writer: Writer,
    found: Imported,
    progress: Progress,
) -> None:
    total = sum(len(infos) for folder, infos in names.items() if folder in FOLDERS)
    categories = {
        str(one.get("@id")): one
        for one in (_json(archive, info) for info in names.get(_CATEGORIES, []))
    }
    paths, used, done = category_paths(categories), set[str](), 0
    for folder, kind in FOLDERS.items():
        seen: set[str] = set()
        for info in names.get(folder, []):
            raw = _json(archive, info)
            _check_entity(raw, kind, info, seen)
            entity = upgraded(raw, paths, found.losses) if _is_schema_1(raw) else raw
            used.add(str(entity.get("category") or ""))
            if _is_newer(entity, writer.get(kind, str(entity["@id"]))):
                writer.put(kind, entity)
                found.counts[kind] += 1
                exchanges = entity.get("exchanges")
                found.counts["Exchange"] += len(exchanges) if isinstance(exchanges, list) else 0
                if not isinstance(exchanges, list | None):
                    found.losses["exchanges that are no list (kept, not used)"] += 1
            else:
                found.losses[f"{kind}: older than what is there"] += 1
            done += 1
            progress(done, total)
    _count_losses(names, paths, used, found.losses)


def _count_losses(
    names: dict[str, list[zipfile.ZipInfo]],
    paths: dict[str, str],
    used: set[str],
    losses: Counter[str],
) -> None:
    prefixes = {
        "/".join(parts[:n])
        for parts in (path.split("/") for path in used)
        for n in range(1, len(parts) + 1)
    }
    empty = sum(path not in prefixes for path in paths.values())
    if empty:
        losses["categories that hold nothing"] += empty
    for folder, infos in names.items():
        if folder in FOLDERS or folder == _CATEGORIES:
            continue
        for info in infos:
            if PurePosixPath(info.filename).name not in (_HEADER, "context.json"):
                losses["files that are no entities"] += 1


def _check_entity(entity: JsonObject, kind: str, info: zipfile.ZipInfo, seen: set[str]) -> None:
    id_ = entity.get("@id")
    if not isinstance(id_, str) or not id_:
        raise _refused(f"{info.filename!r} has no @id")
    if entity.get("@type") != kind:
        raise _refused(f"{info.filename!r} is a {entity.get('@type')}, not a {kind}")
    if id_ in seen:
        raise _refused(f"two of its {kind}s have the id {id_}")
    seen.add(id_)


def _is_schema_1(entity: JsonObject) -> bool:
    """Schema 1 has categories as references, names a context, or has no path for a category."""
    return "@context" in entity or isinstance(entity.get("category"), dict)


def _is_newer(entity: JsonObject, there: JsonObject | None) -> bool:
    return there is None or _age(entity) > _age(there)


def _age(entity: JsonObject) -> tuple[list[int], str]:
    parts = str(entity.get("version") or "").split(".")
    numbers = [int(part) for part in parts if part.isdigit()]
    return numbers, str(entity.get("lastChange") or "")


def _json(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> JsonObject:
    with archive.open(info) as file:
        body = file.read(_MOST_BYTES_EACH + 1)
    if len(body) > _MOST_BYTES_EACH:
        raise _refused(f"{info.filename!r} is larger than it says")
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError as exc:
        raise _refused(f"{info.filename!r} is no JSON: {exc}") from exc
    if not isinstance(found, dict):
        raise _refused(f"{info.filename!r} holds no entity")
    return found


def _refused(why: str) -> InvalidInput:
    return InvalidInput(
        f"The zip was not imported: {why}.", fix="Export it again from openLCA, as JSON-LD."
    )
