"""The error for what the running server refused, in its own words."""

from __future__ import annotations

from sayso.core.digest import JsonObject


class ServerRefused(Exception):
    """A problem document, on its way to the person at the terminal."""

    def __init__(self, problem: JsonObject) -> None:
        self.title = str(problem.get("title", "ServerRefused"))
        self.detail = str(problem.get("detail", "The server refused."))
        self.fix = str(problem.get("fix", ""))
        super().__init__(self.detail)
