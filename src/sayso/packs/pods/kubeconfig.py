"""Read a kubeconfig: which cluster, by which way, and as whom.

Programs that a kubeconfig would run for a token (exec) are refused: this one runs nothing.
"""

from __future__ import annotations

import binascii
import os
import ssl
import tempfile
from base64 import b64decode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sayso import NotSupportedError

DEFAULT_PLACE = Path("~/.kube/config")


class _Part(BaseModel):
    model_config = ConfigDict(
        extra="ignore",
        populate_by_name=True,
        alias_generator=lambda name: name.replace("_", "-"),
    )


class _ClusterPart(_Part):
    server: str
    certificate_authority: str = ""
    certificate_authority_data: str = ""
    insecure: bool = Field(False, alias="insecure-skip-tls-verify")
    tls_server_name: str = ""
    proxy_url: str = ""


class _User(_Part):
    client_certificate: str = ""
    client_certificate_data: str = ""
    client_key: str = Field("", repr=False)
    client_key_data: str = Field("", repr=False)
    token: str = Field("", repr=False)
    token_file: str = Field("", alias="tokenFile")
    username: str = ""
    act_as: str = Field("", alias="as")
    exec_: Mapping[str, object] | None = Field(None, alias="exec", repr=False)
    auth_provider: Mapping[str, object] | None = Field(None, repr=False)


class _Context(_Part):
    cluster: str
    user: str = ""
    namespace: str = ""


class _NamedCluster(_Part):
    name: str
    cluster: _ClusterPart


class _NamedUser(_Part):
    name: str
    user: _User | None = None


class _NamedContext(_Part):
    name: str
    context: _Context


class _File(_Part):
    current_context: str | None = None
    clusters: list[_NamedCluster] | None = None
    users: list[_NamedUser] | None = None
    contexts: list[_NamedContext] | None = None


@dataclass(frozen=True, slots=True)
class Access:
    """How a cluster is reached. The token is read from its file each time that it is needed: such
    files are written anew."""

    context: str
    url: str
    tls: ssl.SSLContext | bool = field(repr=False)
    server_name: str = ""
    proxy: str | None = None
    token: str = field(default="", repr=False)
    token_file: Path | None = None
    act_as: str = ""

    def headers(self) -> dict[str, str]:
        token = self.token_file.read_text().strip() if self.token_file else self.token
        found = {"Authorization": f"Bearer {token}"} if token else {}
        return {**found, "Impersonate-User": self.act_as} if self.act_as else found


def places(env: Mapping[str, str] = os.environ) -> list[Path]:
    """Return the kubeconfig files that there are, as kubectl looks for them."""
    named = [Path(part) for part in env.get("KUBECONFIG", "").split(os.pathsep) if part]
    return [path.expanduser() for path in named or [DEFAULT_PLACE] if path.expanduser().is_file()]


def read_access(files: Iterable[Path], context: str = "") -> Access:
    """Return the way to a context's cluster, of the current context where none is named. Raises
    NotSupportedError, with what to do."""
    read = [(path, _read(path)) for path in files]
    wanted = context or next((f.current_context for _, f in read if f.current_context), "")
    if not wanted:
        raise NotSupportedError(
            "The kubeconfig has no current context.",
            fix="Run `kubectl config use-context NAME`, or set SAYSO_PODS_CLUSTER=NAME.",
        )
    contexts = [(c.name, c.context) for _, f in read for c in f.contexts or ()]
    chosen = next((context for name, context in contexts if name == wanted), None)
    if chosen is None:
        known = ", ".join(name for name, _ in contexts)
        raise NotSupportedError(
            f"The kubeconfig has no context '{wanted}'.",
            fix=f"Set SAYSO_PODS_CLUSTER to one of: {known or 'none is there'}.",
        )
    clusters = ((c.name, (path, c.cluster)) for path, f in read for c in f.clusters or ())
    cluster = _named(chosen.cluster, clusters, wanted)
    if not chosen.user:
        return _access(wanted, cluster, (cluster[0], _User()))
    users = ((u.name, (path, u.user or _User())) for path, f in read for u in f.users or ())
    return _access(wanted, cluster, _named(chosen.user, users, wanted))


def _access(context: str, at: tuple[Path, _ClusterPart], who: tuple[Path, _User]) -> Access:
    (cluster_file, cluster), (user_file, user) = at, who
    _refuse_programs(user)
    return Access(
        context=context,
        url=cluster.server.rstrip("/"),
        tls=_tls(cluster_file, cluster, user_file, user),
        server_name=cluster.tls_server_name,
        proxy=cluster.proxy_url or None,
        token=user.token,
        token_file=_path(user_file, user.token_file),
        act_as=user.act_as,
    )


def _refuse_programs(user: _User) -> None:
    if user.exec_ is not None or user.auth_provider is not None:
        what = "a program (exec)" if user.exec_ is not None else "an auth provider"
        raise NotSupportedError(
            f"This kubeconfig gets its token from {what}, which Sayso does not run.",
            fix="Use a context with a token or a client certificate, for example of a service "
            "account: `kubectl create token NAME`, then `kubectl config set-credentials`.",
        )
    if user.username:
        raise NotSupportedError(
            "This kubeconfig signs in with a name and a password, which clusters no longer take.",
            fix="Use a context with a token or a client certificate.",
        )


def _tls(
    cluster_file: Path, cluster: _ClusterPart, user_file: Path, user: _User
) -> ssl.SSLContext | bool:
    if not cluster.server.startswith("https://"):
        return False
    try:
        made = ssl.create_default_context(
            cafile=_path(cluster_file, cluster.certificate_authority),
            cadata=_decoded(cluster.certificate_authority_data) or None,
        )
        if cluster.insecure:
            made.check_hostname = False
            made.verify_mode = ssl.CERT_NONE
        certificate = _path(user_file, user.client_certificate)
        if certificate is not None:
            made.load_cert_chain(certificate, _path(user_file, user.client_key))
        elif user.client_certificate_data:
            _load(made, user)
    except (OSError, ssl.SSLError, binascii.Error, UnicodeDecodeError) as exc:
        raise NotSupportedError(
            f"A certificate of the kubeconfig cannot be used: {exc}",
            fix="Check its certificate-authority, client-certificate and client-key.",
        ) from exc
    return made


def _load(tls: ssl.SSLContext, user: _User) -> None:
    """Python reads a client's certificate from files alone: from ones that nobody else may read,
    and that are gone after it."""
    with tempfile.TemporaryDirectory() as folder:
        both = Path(folder) / "client.pem"
        both.touch(mode=0o600)
        certificate, key = _decoded(user.client_certificate_data), _decoded(user.client_key_data)
        both.write_text(f"{certificate}\n{key}\n")
        tls.load_cert_chain(both)


def _decoded(data: str) -> str:
    return b64decode(data, validate=True).decode() if data else ""


def _path(beside: Path, named: str) -> Path | None:
    """Return a path of a kubeconfig, which is relative to its file."""
    return beside.parent / Path(named).expanduser() if named else None


T = TypeVar("T")


def _named(name: str, found: Iterable[tuple[str, T]], context: str) -> T:
    """Return the first of this name: of several files, the first that has one counts."""
    for key, value in found:
        if key == name:
            return value
    raise NotSupportedError(
        f"The context '{context}' of the kubeconfig names '{name}', which is not there.",
        fix="Correct the kubeconfig; `kubectl config view` shows it.",
    )


def _read(path: Path) -> _File:
    try:
        import yaml
    except ImportError as exc:
        raise NotSupportedError(
            "A kubeconfig is there, but nothing that reads it.",
            fix="Install it with `pip install 'sayso[pods]'`, or set SAYSO_PODS_CLUSTER=sample.",
        ) from exc
    try:
        return _File.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")) or {})
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as exc:
        raise NotSupportedError(
            f"The kubeconfig {path} cannot be read: {_first_line(exc)}.", fix="Correct it."
        ) from exc


def _first_line(exc: Exception) -> str:
    """Return what is wrong, without what the file holds."""
    if isinstance(exc, ValidationError):
        first = exc.errors(include_url=False, include_input=False)[0]
        return f"{'/'.join(map(str, first['loc']))}: {first['msg']}"
    return type(exc).__name__ if not isinstance(exc, OSError) else str(exc.strerror)
