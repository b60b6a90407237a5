"""What an operator can set: by environment (`SAYSO_PORT=…`) or, which wins, by an option.

Nothing here needs to be set. Without any of it Sayso listens on loopback, asks for no login, and
keeps its database in the user's data directory.
"""

from __future__ import annotations

import os
import re
import sys
from base64 import b64decode
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    IPvAnyNetwork,
    SecretStr,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from sayso.core.errors import InvalidInput

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
RoleName = Literal["asker", "viewer", "responder", "admin"]


class Token(BaseModel):
    """A bearer token, and whom it stands for. In text: `SECRET` or `PERSON:ROLE:SECRET`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    secret: SecretStr
    person: str = "you"
    role: RoleName = "admin"
    #: None is the tenant of the server.
    app_id: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        person, colon, rest = value.partition(":")
        role, second_colon, secret = rest.partition(":")
        if not colon:
            return {"secret": value}
        if not second_colon:
            raise ValueError("a token is SECRET or PERSON:ROLE:SECRET")
        return {"person": person, "role": role, "secret": secret}

    @field_validator("secret")
    @classmethod
    def _is_hard_to_guess(cls, secret: SecretStr) -> SecretStr:
        # 16 characters of `openssl rand -base64 12` are 96 bits; shorter ones are words.
        if len(secret.get_secret_value()) < 16:
            raise ValueError(
                "a token needs 16 characters or more; `openssl rand -hex 16` makes one"
            )
        return secret


def default_data_dir() -> Path:
    """Return where this user's programs keep their data, by the custom of the system."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "sayso"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "sayso"
    base = os.environ.get("XDG_DATA_HOME", "")
    # The XDG specification: a relative path is to be ignored.
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".local" / "share") / "sayso"


class Settings(BaseSettings):
    """All settings of a server, with their defaults."""

    model_config = SettingsConfigDict(
        env_prefix="SAYSO_", env_nested_delimiter="__", extra="ignore", frozen=True
    )

    def __init__(self, **given: Any) -> None:
        try:
            super().__init__(**given)
        except SettingsError as exc:
            field = re.search(r'field "(\w+)"', str(exc))
            name = f"SAYSO_{field[1].upper()}" if field else "A setting"
            raise InvalidInput(
                f"{name} is no list in JSON.", fix=f"For example: {name}='[\"…\"]'"
            ) from exc

    #: The folder of the database and of the running server's address.
    data_dir: Path = Field(default_factory=default_data_dir)
    host: str = "127.0.0.1"
    port: int = Field(default=8765, ge=0, le=65535)

    #: Who speaks where there is no login, and in which tenant.
    person: str = "you"
    app_id: str = "default"
    #: Bearer tokens. With any, every request needs one.
    tokens: list[Token] = Field(default_factory=list)
    #: What the audit log is written with: 16 characters or more. After a comma may come former
    #: ones, which only check. Else one is made, in the user's configuration directory.
    audit_key: SecretStr | None = None
    #: Ask every browser to sign in, by the link that the server prints.
    sign_in: bool = False
    #: What webhooks are signed with: `whsec_` and base64. Else one is made, in the user's
    #: configuration directory.
    webhook_secret: SecretStr | None = None
    #: Networks that webhooks and push notices may go to although they are not public: 127.0.0.0/8,
    #: 10.1.2.0/24.
    webhook_networks: list[IPvAnyNetwork] = Field(default_factory=list)
    #: Whom a push service may write to about this server, by `mailto:…` or `https://…`. Apple's
    #: wants to know.
    push_contact: str | None = None
    #: By which server people who are away are told by mail: `smtp://user:password@host:587`, or
    #: `smtps://…`. Without it nobody is offered a mail.
    mail_server: SecretStr | None = None
    #: Whom these mails come from.
    mail_from: str | None = None
    #: How long a request has to wait before anybody gets a mail about it.
    mail_after_seconds: float = Field(default=60.0, ge=0)
    #: How long after its last request a browser that signed in has to sign in again.
    session_idle_seconds: float = Field(default=7 * 86_400.0, gt=0)
    #: How long after signing in it has to, whatever it asked for meanwhile.
    session_seconds: float = Field(default=30 * 86_400.0, gt=0)
    #: Its cookie travels by https only. So it does without this where the request came by https, or
    #: by a proxy that says so (X-Forwarded-Proto).
    secure_cookies: bool = False
    #: Serve an address that others can reach without asking who they are.
    allow_anyone: bool = False
    #: Further names of this server (the Host header), and pages that may call it (Origin).
    allowed_hosts: list[str] = Field(default_factory=list)
    allowed_origins: list[str] = Field(default_factory=list)

    #: Another origin that leads to this server, where tools' own UIs are framed:
    #: https://ui.example.com. On loopback the other name of it serves; elsewhere they are framed
    #: nowhere without this.
    tool_ui_origin: str | None = Field(default=None, pattern=r"^https?://[A-Za-z0-9.:-]+/?$")

    max_body_bytes: int = Field(default=1024 * 1024, ge=1024)
    #: How long a request may take to arrive whole, before its connection is closed.
    request_seconds: float = Field(default=30.0, gt=0)
    #: How long one write to a client may wait for it to read, before it is cut off.
    slow_client_seconds: float = Field(default=10.0, gt=0)
    #: What one person who signed in may do on average; five seconds' worth may come at once.
    acts_per_second: float = Field(default=50.0, gt=0)
    #: Streams that one person who signed in may hold open.
    streams_per_person: int = Field(default=100, gt=0)
    #: How long requests in hand may take when the server stops.
    stop_seconds: int = Field(default=5, ge=0)
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    @property
    def is_loopback(self) -> bool:
        return self.host in LOOPBACK

    @property
    def database(self) -> Path:
        return self.data_dir / "sayso.db"

    @field_validator("webhook_secret")
    @classmethod
    def _signs(cls, secret: SecretStr | None) -> SecretStr | None:
        if secret is None:
            return None
        try:
            key = b64decode(secret.get_secret_value().removeprefix("whsec_"), validate=True)
        except ValueError:
            key = b""
        if len(key) < 16:  # an empty one would sign as well, and anybody could
            raise ValueError(
                "a webhook's secret is whsec_ and the base64 of 16 bytes or more;"
                " `openssl rand -base64 32` makes one"
            )
        return secret

    def checked(self) -> Self:
        """Return these settings, if they may be served. Raises InvalidInput where anyone could get
        in."""
        if self.is_loopback or self.tokens or self.sign_in or self.allow_anyone:
            return self
        raise InvalidInput(
            f"{self.host} can be reached from other machines, and no login is set.",
            fix="Give --token SECRET (or PERSON:ROLE:SECRET), listen on 127.0.0.1, or say "
            "--allow-anyone if everyone who can reach it may answer.",
        )
