"""A demo database of its own for each test, from one that is filled once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sayso.packs.openlca.database import Database
from sayso.packs.openlca.demo_background import demo_database


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo_database(tmp_path_factory.mktemp("demo")).path


@pytest.fixture
def database(filled: Path, tmp_path: Path) -> Database:
    copy = tmp_path / "openlca" / "demo.db"
    copy.parent.mkdir()
    shutil.copy(filled, copy)
    return Database(copy)
