"""Finds the keys: in the environment, or in files of the user's configuration directory, made on
first use. Never beside the data: someone who can change the rows must not find them there. Only the
key of the push notices lies there: it signs nothing that is kept, and goes with the browsers that
subscribed to it."""

from __future__ import annotations

import base64
import os
import secrets
import stat
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from sayso.core.audit import AuditKeys
from sayso.core.errors import InvalidInput

VARIABLE = "SAYSO_AUDIT_KEY"
FILE = "audit.key"
WEBHOOK_FILE = "webhook.secret"
PUSH_FILE = "push.key"


def default_config_dir() -> Path:
    """Return where this user's programs keep their settings, by the custom of the system."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Preferences" / "sayso"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / "sayso"
    base = os.environ.get("XDG_CONFIG_HOME", "")
    # The XDG specification: a relative path is to be ignored.
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".config") / "sayso"


def audit_keys(given: str | None = None) -> AuditKeys:
    """Return the keys that were given, else those of the environment, else those of the user's
    file. Raises InvalidInput."""
    text = given or os.environ.get(VARIABLE)
    return AuditKeys.read(text if text is not None else _of_user(default_config_dir() / FILE))


def webhook_secret(given: str | None = None) -> str:
    """Return the secret that webhooks are signed with, as receivers are given it: what was given,
    else that of the user's file, which is made on first use. Raises InvalidInput."""
    if given is not None:
        return given
    path = default_config_dir() / WEBHOOK_FILE
    return _of_user(path, "SAYSO_WEBHOOK_SECRET", new=_new_webhook_secret).strip()


def push_key(data_dir: Path, *, new: Callable[[], str]) -> str:
    """Return what push notices are signed with, of the folder of the data. Raises InvalidInput."""
    return _of_user(data_dir / PUSH_FILE, "SAYSO_DATA_DIR", new=new)


def _new_webhook_secret() -> str:
    return f"whsec_{base64.b64encode(secrets.token_bytes(32)).decode()}"


def _of_user(
    path: Path, variable: str = VARIABLE, *, new: Callable[[], str] = partial(secrets.token_hex, 32)
) -> str:
    try:
        if not path.exists():
            _make(path, new())
        if stat.S_IMODE(path.stat().st_mode) & 0o077 and sys.platform != "win32":
            raise InvalidInput(
                f"Others may read the key {path}.", fix=f"Take it from them: chmod 600 {path}"
            )
        return path.read_text()
    except OSError as exc:
        raise InvalidInput(
            f"The key {path} can be neither read nor made: {exc.strerror}.",
            fix=f"Set {variable}; `openssl rand -hex 32` makes one.",
        ) from exc


def _make(path: Path, key: str) -> None:
    """Make the key whole or not at all: of two programs at once, the second takes the first's."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with os.fdopen(os.open(fresh, flags, 0o600), "w") as file:
        file.write(f"{key}\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(fresh, path)
    except FileExistsError:
        pass
    finally:
        fresh.unlink()
