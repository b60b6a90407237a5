"""The build hook: puts the web console into the package before it is packed or installed."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent))
from scripts import web


class ConsoleHook(BuildHookInterface):  # type: ignore[type-arg]  # generic only in name
    """Builds the console unless it is up to date or SAYSO_SKIP_WEB=1 says it is not wanted."""

    def dependencies(self) -> list[str]:
        return [web.NODE_ON_PYPI] if self._wanted() and not web.has_system_node() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self._wanted():
            web.build()

    def _wanted(self) -> bool:
        # An sdist carries web/ itself, so only what will be installed needs the result.
        return self.target_name == "wheel" and os.environ.get("SAYSO_SKIP_WEB") != "1"
