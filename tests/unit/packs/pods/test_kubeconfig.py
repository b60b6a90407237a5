"""Which cluster a kubeconfig names, by which way and as whom; and what is refused, with what to
do."""

from __future__ import annotations

import ssl
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
import yaml

from sayso import NotSupportedError
from sayso.packs.pods.kubeconfig import places, read_access

CLUSTER = {"name": "c", "cluster": {"server": "http://kube.test:8001/"}}
CONTEXT = {"name": "here", "context": {"cluster": "c", "user": "u"}}


def written(path: Path, **body: Any) -> Path:
    path.write_text(yaml.safe_dump({key.replace("_", "-"): value for key, value in body.items()}))
    return path


def config(path: Path, user: dict[str, Any], **cluster: Any) -> Path:
    named = {"name": "c", "cluster": {**CLUSTER["cluster"], **cluster}}  # type: ignore[dict-item]
    return written(
        path,
        current_context="here",
        contexts=[CONTEXT],
        clusters=[named],
        users=[{"name": "u", "user": user}],
    )


def test_the_current_context_with_its_token(tmp_path: Path) -> None:
    access = read_access([config(tmp_path / "config", {"token": "s3cret"})])
    assert (access.context, access.url) == ("here", "http://kube.test:8001")
    assert access.headers() == {"Authorization": "Bearer s3cret"}
    assert "s3cret" not in repr(access)


def test_a_tokens_file_lies_beside_the_kubeconfig_and_is_read_each_time(tmp_path: Path) -> None:
    access = read_access([config(tmp_path / "config", {"tokenFile": "token", "as": "ada"})])
    for token in ("one", "two"):
        (tmp_path / "token").write_text(f"{token}\n")
        assert access.headers() == {
            "Authorization": f"Bearer {token}",
            "Impersonate-User": "ada",
        }


def test_the_first_file_that_names_something_counts(tmp_path: Path) -> None:
    first = written(tmp_path / "a", clusters=[CLUSTER], users=None)
    other = {"name": "c", "cluster": {"server": "http://other.test"}}
    second = written(
        tmp_path / "b",
        current_context="here",
        clusters=[other],
        contexts=[CONTEXT],
        users=[{"name": "u"}],
    )
    access = read_access([first, second])
    assert (access.url, access.headers()) == ("http://kube.test:8001", {})


def test_files_are_found_as_kubectl_finds_them(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.touch()
    assert places({"KUBECONFIG": f"{one}:{two}:"}) == [one]
    two.touch()
    assert places({"KUBECONFIG": f"{one}:{two}"}) == [one, two]


@pytest.mark.parametrize(
    ("user", "said"),
    [
        ({"exec": {"command": "aws", "args": ["eks", "get-token"]}}, "a program (exec)"),
        ({"auth-provider": {"name": "gcp"}}, "an auth provider"),
        ({"username": "ada", "password": "x"}, "a name and a password"),
    ],
)
def test_programs_and_passwords_are_refused(
    tmp_path: Path, user: dict[str, Any], said: str
) -> None:
    with pytest.raises(NotSupportedError) as refused:
        read_access([config(tmp_path / "config", user)])
    assert said in refused.value.detail
    assert "token or a client certificate" in refused.value.fix
    assert "eks" not in f"{refused.value.detail}{refused.value.fix}"


@pytest.mark.parametrize(
    ("body", "context", "said"),
    [
        ({}, "", "no current context"),
        ({"contexts": [CONTEXT]}, "elsewhere", "no context 'elsewhere'"),
        ({"contexts": [CONTEXT]}, "here", "names 'c', which is not there"),
        ({"contexts": [CONTEXT], "clusters": [CLUSTER]}, "here", "names 'u', which is not there"),
        (
            {"clusters": [{"name": "c", "cluster": {"token": "s3cret"}}]},
            "",
            "clusters/0/cluster/server",
        ),
    ],
)
def test_what_is_missing_is_named(
    tmp_path: Path, body: dict[str, Any], context: str, said: str
) -> None:
    with pytest.raises(NotSupportedError) as refused:
        read_access([written(tmp_path / "config", **body)], context)
    assert said in refused.value.detail
    assert "s3cret" not in refused.value.detail


def test_a_file_that_is_no_yaml_says_so(tmp_path: Path) -> None:
    file = tmp_path / "config"
    file.write_text("users: [s3cret")
    with pytest.raises(NotSupportedError, match="cannot be read") as refused:
        read_access([file])
    assert "s3cret" not in refused.value.detail


def test_a_certificate_that_is_none_says_so(tmp_path: Path) -> None:
    bad = {"certificate-authority-data": b64encode(b"no certificate").decode()}
    file = config(tmp_path / "config", {}, server="https://kube.test", **bad)
    with pytest.raises(NotSupportedError, match="certificate"):
        read_access([file])


def test_tls_is_checked_unless_the_file_says_otherwise(tmp_path: Path) -> None:
    for insecure, mode in ((False, ssl.CERT_REQUIRED), (True, ssl.CERT_NONE)):
        how = {"server": "https://kube.test", "insecure-skip-tls-verify": insecure}
        tls = read_access([config(tmp_path / "config", {}, **how)]).tls
        assert isinstance(tls, ssl.SSLContext)
        assert tls.verify_mode is mode
