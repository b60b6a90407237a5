"""What was agreed of each server's tools.

A tool is pinned by the digest of its name, description, schema, annotations and who may call it;
one that is new or changed is held until somebody agrees.
"""

from __future__ import annotations

import difflib
import json
import os
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sayso.core.digest import JsonObject, as_canonical, digest
from sayso.core.errors import InvalidInput, NotFound, StaleDigest


class ToolDefinition(BaseModel):
    """A tool as its server describes it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    title: str = ""
    description: str = ""
    input_schema: JsonObject = Field(default_factory=dict)
    annotations: JsonObject = Field(default_factory=dict)
    #: Who may call it: "model", "app" or both.
    visibility: tuple[str, ...] = ("model", "app")
    #: The address of its own UI, if it has one.
    ui: str = ""
    #: The tool of the same server that tells what a card of its calls shows, if there is one.
    preview: str = ""

    @property
    def digest(self) -> str:
        # Where it has no preview, as before there were any: what was agreed stays agreed.
        left_out = {"title", "ui"} if self.preview else {"title", "ui", "preview"}
        return digest(as_canonical(self.model_dump(mode="json", exclude=left_out)))

    @property
    def is_for_models(self) -> bool:
        return "model" in self.visibility

    @property
    def is_read_only(self) -> bool:
        return self.annotations.get("readOnlyHint") is True


@dataclass(frozen=True, slots=True)
class Held:
    """A tool that waits for an agreement: `before` is what was agreed, None where it is new."""

    server: str
    now: ToolDefinition
    before: ToolDefinition | None

    @property
    def changes(self) -> list[str]:
        """The parts that differ; empty where all of it is new."""
        if self.before is None:
            return []
        parts = ("description", "input_schema", "annotations", "visibility", "preview")
        return [part for part in parts if getattr(self.before, part) != getattr(self.now, part)]

    @property
    def difference(self) -> list[str]:
        """The lines that were taken away, and those that were added."""
        before = _lines(self.before) if self.before is not None else []
        compared = difflib.ndiff(before, _lines(self.now))
        return [line for line in compared if line.startswith(("+ ", "- "))]


def _lines(tool: ToolDefinition) -> list[str]:
    body = tool.model_dump(mode="json")
    return json.dumps(body, indent=1, ensure_ascii=False, sort_keys=True).splitlines()


class _Pin(BaseModel):
    model_config = ConfigDict(extra="ignore")

    agreed: ToolDefinition | None = None
    #: Who agreed, where a person did so in the console.
    by: str = ""
    #: What the server offers instead, and nobody has agreed to.
    held: ToolDefinition | None = None


class _File(BaseModel):
    model_config = ConfigDict(extra="ignore")

    servers: dict[str, dict[str, _Pin]] = Field(default_factory=dict)


class Pins:
    """Kept in a file that an operator can read, compare and put under version control; in memory
    where there is none. Other processes may write it, too."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._file, self._read_at = _File(), 0

    def knows(self, server: str) -> bool:
        return server in self._now().servers

    def agreed(self, server: str) -> dict[str, ToolDefinition]:
        """Return what was agreed of a server's tools, the first agreed first."""
        pins = self._now().servers.get(server, {})
        return {name: pin.agreed for name, pin in pins.items() if pin.agreed is not None}

    def held(self) -> list[Held]:
        return [
            Held(server, pin.held, pin.agreed)
            for server, pins in self._now().servers.items()
            for pin in pins.values()
            if pin.held is not None
        ]

    def see(self, server: str, tools: Iterable[ToolDefinition]) -> None:
        """Take note of what a server offers. All that it offers at first sight is agreed to: an
        operator has named the server."""
        with self._lock:
            before = self._now().model_copy(deep=True)
            file = self._now()
            is_first = server not in file.servers
            pins = file.servers.setdefault(server, {})
            offered = {tool.name: tool for tool in tools}
            for name, pin in list(pins.items()):
                if name not in offered:
                    pin.held = None
                    if pin.agreed is None:
                        del pins[name]
            for name, tool in offered.items():
                pin = pins.setdefault(name, _Pin())
                if is_first or (pin.agreed is not None and pin.agreed.digest == tool.digest):
                    pin.agreed, pin.held = tool, None
                else:
                    pin.held = tool
            if file != before:
                self._write()

    def agree(
        self, server: str, tool: str | None = None, *, digest: str | None = None, by: str = ""
    ) -> list[str]:
        """Agree to what a server offers now, of this tool or of all. Returns their names. Raises
        NotFound where nothing of that is held, and StaleDigest where it is another than the one of
        this digest."""
        with self._lock:
            pins = self._now().servers.get(server, {})
            names = [n for n, pin in pins.items() if pin.held is not None and tool in (None, n)]
            if not names:
                raise NotFound(f"Nothing of '{server}' waits for an agreement.", fix="")
            held = [pin.held.digest for n in names if (pin := pins[n]).held is not None]
            if digest is not None and held != [digest]:
                raise StaleDigest(
                    f"'{tool}' of '{server}' has changed once more since it was shown.",
                    fix="Load it again, and read what is new.",
                )
            for name in names:
                # To the end, as the last agreed: an older one keeps a name that both have.
                pin = pins.pop(name)
                pins[name] = _Pin(agreed=pin.held, by=by)
            self._write()
            return names

    def _now(self) -> _File:
        with self._lock:
            if self._path is None:
                return self._file
            try:
                changed_at = self._path.stat().st_mtime_ns
            except FileNotFoundError:
                return self._file
            if changed_at != self._read_at:
                try:
                    self._file = _File.model_validate_json(self._path.read_bytes())
                except ValidationError as exc:
                    raise InvalidInput(
                        f"What was agreed of MCP tools cannot be read: {self._path}.",
                        fix="Correct it. Without it, all that the servers offer now is agreed to.",
                    ) from exc
                self._read_at = changed_at
            return self._file

    def _write(self) -> None:
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        body = self._file.model_dump(mode="json", exclude_none=True)
        fresh = self._path.with_name(f"{self._path.name}.{os.getpid()}.new")
        fresh.write_text(json.dumps(body, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(fresh, self._path)
        self._read_at = self._path.stat().st_mtime_ns
