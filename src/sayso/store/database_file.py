"""The database's own file: whether it is still the one that was opened.

SQLite writes on into a file that was moved away or deleted, and nobody would find those answers
again. So the names are looked at before every commit, which costs two `stat`s.
"""

from __future__ import annotations

import os
from pathlib import Path

from sayso.core.errors import StoreMoved

#: A file for the system: where it lies, and which it is there.
Identity = tuple[int, int] | None


class DatabaseFile:
    """The file and its log, as they were when the database was opened."""

    def __init__(self, path: Path) -> None:
        self._path, self._log = path, path.with_name(path.name + "-wal")
        self._opened = self._opened_log = _identity(path)

    def remember(self) -> None:
        """Remember the files, once all that SQLite keeps beside the database is there."""
        self._opened, self._opened_log = _identity(self._path), _identity(self._log)

    def check(self) -> None:
        """Raise StoreMoved where a commit would go to a file that nobody finds by its name."""
        now = _identity(self._path)
        if now != self._opened:
            raise self._moved(self._path, is_gone=now is None)
        log = _identity(self._log)
        if log != self._opened_log:
            raise self._moved(self._log, is_gone=log is None)

    def _moved(self, path: Path, *, is_gone: bool) -> StoreMoved:
        if is_gone:
            return StoreMoved(f"The database's file {path} is gone while the server has it open.")
        return StoreMoved(
            f"Another file lies at {path} than the one that the server has open.",
            fix="Restart the server to work on the file that lies there, or put the other back.",
        )


def _identity(path: Path) -> Identity:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
