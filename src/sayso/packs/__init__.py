"""Agents that are ready to use, built on the public API like any user's."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sayso import App


def app_at_first_use(module: str, make: Callable[[], App]) -> Callable[[str], App]:
    """Return the `__getattr__` of a pack, which makes its `app` when that is first asked for."""

    def found(name: str) -> App:
        if name != "app":
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        made = make()
        vars(sys.modules[module])["app"] = made
        return made

    return found


def data_dir(of_the_users: str = "") -> Path:
    """Return SAYSO_DATA_DIR; where it is not set, this folder of the user's data directory."""
    from sayso.settings import default_data_dir

    place = os.environ.get("SAYSO_DATA_DIR")
    return Path(place) if place else default_data_dir() / of_the_users
