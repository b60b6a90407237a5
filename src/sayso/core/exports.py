"""How an application offers its artifacts as files: per kind of artifact, a function per format."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sayso.core.chat_view import ArtifactItem

#: A table: the server writes it as CSV, with cells that no spreadsheet runs.
Rows = list[list[str | int | float]]

#: The artifact as a text, or as a table. Raises ValueError, with the reason in plain words, where
#: its content has no such form.
Exporter = Callable[[ArtifactItem], str | Rows]

#: By the artifact's `ui_tool_id`, then by format ("markdown", "csv", "ics").
Exports = Mapping[str, Mapping[str, Exporter]]
