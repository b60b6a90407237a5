"""What a file says of MCP servers: the `mcpServers` form that other hosts read, too.

What is Sayso's alone stands under `sayso`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from sayso.core.errors import InvalidInput

_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")


class Trust(StrEnum):
    """What a server's own word on its tools is worth: nothing (each call asks), as hints for the
    policy, or all (its calls run unless a rule says otherwise)."""

    ASK = "ask"
    HINTS = "hints"
    ALL = "all"


class Own(BaseModel):
    """What Sayso alone reads of a server's entry."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True
    )

    trust: Trust = Trust.HINTS
    #: Put before the names of its tools, where two servers have one of the same name.
    prefix: str = Field(default="", pattern=r"^[A-Za-z0-9_-]*$")
    #: Patterns of the tools that are offered at all.
    tools: tuple[str, ...] = ("*",)
    #: Each person has a connection of their own, with what `credentials` gives for them.
    per_person: bool = False
    start_seconds: float = Field(default=30, gt=0)
    #: How long a call may be silent: progress that the server reports begins it anew.
    call_seconds: float = Field(default=120, gt=0)
    #: How many characters of a result the model gets; people see all of it.
    longest_for_model: int = Field(default=50_000, ge=1000)


class Server(BaseModel):
    """One entry: a command that is run here (stdio), or the address of a server (streamable HTTP).
    Keys of other hosts are skipped."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    type: Literal["stdio", "http", "streamable-http", "streamableHttp", "sse"] | None = None
    command: str | None = None
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict, repr=False)
    cwd: str | None = None
    url: str | None = None
    headers: dict[str, str] = Field(default_factory=dict, repr=False)
    disabled: bool = False
    sayso: Own = Own()

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if self.type == "sse":
            raise ValueError("the transport 'sse' is no longer part of MCP; use its HTTP address")
        if (self.command is None) is (self.url is None):
            raise ValueError("give either `command` or `url`")
        if self.url is not None and not _is_web(self.url):
            raise ValueError("`url` needs to be an http or https address")
        return self


def read_servers(path: Path, env: Mapping[str, str] = os.environ) -> dict[str, Server]:
    """Read the servers of a file. `${NAME}` and `${NAME:-default}` are taken from the environment.
    Raises InvalidInput."""
    try:
        body = json.loads(path.read_bytes())
    except OSError as exc:
        raise InvalidInput(
            f"The MCP servers' file '{path}' cannot be opened: {exc.strerror}.",
            fix="Check the path.",
        ) from exc
    except ValueError as exc:
        raise InvalidInput(f"{path.name} is not JSON: {exc}.", fix="Correct it.") from exc
    entries = body.get("mcpServers") if isinstance(body, dict) else None
    if not isinstance(entries, dict):
        raise InvalidInput(
            f"{path.name} has no object `mcpServers`.",
            fix='For example: {"mcpServers": {"pods": {"command": "npx", "args": ["…"]}}}',
        )
    return as_entries({name: _expanded(entry, env, name) for name, entry in entries.items()})


def as_entries(given: Mapping[str, object]) -> dict[str, Server]:
    """Return each entry as a Server. Raises InvalidInput, with the name of what does not fit."""
    found: dict[str, Server] = {}
    for name, entry in given.items():
        if not re.fullmatch(r"[\w.-]{1,64}", name):
            raise InvalidInput(
                f"'{name}' is no name for an MCP server.",
                fix="Use up to 64 letters, digits, dots, _ and -.",
            )
        try:
            found[name] = entry if isinstance(entry, Server) else Server.model_validate(entry)
        except ValidationError as exc:
            first = exc.errors(include_url=False, include_input=False)[0]
            where = "/".join([name, *(str(part) for part in first["loc"])])
            said = first["msg"].removeprefix("Value error, ")
            raise InvalidInput(f"MCP server {where}: {said}.", fix="Correct its entry.") from exc
    return found


def _expanded(value: object, env: Mapping[str, str], name: str) -> object:
    def take(found: re.Match[str]) -> str:
        variable, default = found.group(1), found.group(2)
        given = env.get(variable, default)
        if given is None:
            raise InvalidInput(
                f"MCP server {name} needs {variable}, which is not set.",
                fix=f"Set it in the environment, or write ${{{variable}:-default}}.",
            )
        return given

    match value:
        case str():
            return _VARIABLE.sub(take, value)
        case list():
            return [_expanded(one, env, name) for one in value]
        case dict():
            return {key: _expanded(one, env, name) for key, one in value.items()}
        case _:
            return value


def _is_web(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
