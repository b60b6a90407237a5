"""A cluster through its API, over real HTTP: what is read, and that one pod is deleted, the one
that was meant."""

from __future__ import annotations

import datetime
import ssl
from base64 import b64encode
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from sayso.packs.pods.cluster import ClusterError, Deleted, Health, NoMetrics
from sayso.packs.pods.kubeconfig import read_access
from sayso.packs.pods.kubernetes import Kubernetes
from tests.kube_server import KubeServer, kube_server, pod

WEB = ("shop", "web-1", "uid-of-web-1")


@pytest.fixture(scope="module")
def served() -> Iterator[KubeServer]:
    with kube_server() as kube:
        yield kube


@pytest.fixture
def kube(served: KubeServer) -> KubeServer:
    served.pods = [pod("web-1"), pod("web-2"), pod("dns", namespace="kube-system")]
    served.metrics, served.without_metrics, served.refusals, served.lost_answers = None, 404, {}, 0
    served.asked.clear()
    return served


def cluster_of(kube: KubeServer, folder: Path, **user: Any) -> Kubernetes:
    file = folder / "config"
    file.write_text(yaml.safe_dump(kube.kubeconfig(**user)))
    return Kubernetes(read_access([file]))


@pytest.fixture
def cluster(kube: KubeServer, tmp_path: Path) -> Kubernetes:
    return cluster_of(kube, tmp_path)


async def test_the_pods_of_all_namespaces_and_of_one(kube: KubeServer, cluster: Kubernetes) -> None:
    found = await cluster.pods("")
    assert [one.name for one in found.pods] == ["web-1", "web-2", "dns"]
    assert not found.is_cut
    one = found.pods[0]
    assert (one.uid, one.status, one.ready, one.restarts) == ("uid-of-web-1", "Running", "1/1", 2)
    assert (one.node, one.ip, one.owner) == ("node-7", "10.0.0.9", "ReplicaSet/web-5d9c")
    assert one.created == datetime.datetime(2026, 11, 20, 8, tzinfo=datetime.UTC)
    assert [one.name for one in (await cluster.pods("kube-system")).pods] == ["dns"]
    assert kube.asked[0].headers["Authorization"] == "Bearer t-0-k-e-n"


async def test_many_pods_come_page_by_page(kube: KubeServer, cluster: Kubernetes) -> None:
    kube.pods = [pod(f"p-{n}") for n in range(1001)]
    assert len((await cluster.pods("")).pods) == 1001
    assert len(kube.asked) == 3


async def test_no_list_has_more_than_anybody_reads(
    kube: KubeServer, cluster: Kubernetes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sayso.packs.pods.kubernetes.MOST_PODS", 500)
    kube.pods = [pod(f"p-{n}") for n in range(501)]
    found = await cluster.pods("")
    assert (len(found.pods), found.is_cut) == (500, True)


async def test_a_namespace_is_a_name_and_never_a_path(
    kube: KubeServer, cluster: Kubernetes
) -> None:
    await cluster.pod("shop/../kube-system", "../../secrets")
    assert kube.asked[0].path == "/api/v1/namespaces/shop%2F..%2Fkube-system/pods/..%2F..%2Fsecrets"


async def test_what_pods_use_stands_beside_what_they_may(
    kube: KubeServer, cluster: Kubernetes
) -> None:
    usage = [{"usage": {"cpu": "120345678n", "memory": "20Mi"}}, {"usage": {"cpu": "1m"}}]
    kube.metrics = [{"metadata": {"name": "web-1", "namespace": "shop"}, "containers": usage}]
    [found] = await cluster.usage("")
    assert (round(found.cpu_millicores), found.memory_bytes) == (121, 20 * 1024**2)
    assert (found.node, found.cpu_limit, found.memory_limit) == ("node-7", 500, 64 * 1024**2)


@pytest.mark.parametrize("status", [404, 503])
async def test_a_cluster_that_measures_nothing_says_so(
    kube: KubeServer, cluster: Kubernetes, status: int
) -> None:
    kube.without_metrics = status
    with pytest.raises(NoMetrics, match="no metrics API"):
        await cluster.usage("")


async def test_one_order_deletes_the_pod_of_this_uid(kube: KubeServer, cluster: Kubernetes) -> None:
    assert await cluster.delete(*WEB) is Deleted.NOW
    [order] = kube.of("DELETE")
    assert order.body["preconditions"] == {"uid": "uid-of-web-1"}
    assert await cluster.pod("shop", "web-1") is None


async def test_a_pod_that_is_gone_is_deleted_already(kube: KubeServer, cluster: Kubernetes) -> None:
    kube.pods.clear()
    assert await cluster.delete(*WEB) is Deleted.BEFORE
    assert kube.of("DELETE") == []


async def test_another_pod_of_that_name_is_left_alone(
    kube: KubeServer, cluster: Kubernetes
) -> None:
    kube.pods = [pod("web-1", "another")]
    assert await cluster.delete(*WEB) is Deleted.BEFORE
    assert kube.of("DELETE") == []
    assert len(kube.pods) == 1


async def test_a_pod_that_is_going_is_not_ordered_again(
    kube: KubeServer, cluster: Kubernetes
) -> None:
    kube.pods[0]["metadata"]["deletionTimestamp"] = "2026-11-23T08:00:00Z"
    assert await cluster.delete(*WEB) is Deleted.BEFORE
    assert kube.of("DELETE") == []


@pytest.mark.parametrize("status", [404, 409])
async def test_it_went_between_the_look_and_the_order(
    kube: KubeServer, cluster: Kubernetes, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And where another took its name, the cluster itself refuses the order."""
    answer = KubeServer.answer

    def meanwhile(self: KubeServer, asked: Any, query: Any) -> Any:
        if asked.method == "DELETE":
            self.pods = [pod("web-1", "another")] if status == 409 else []
        return answer(self, asked, query)

    monkeypatch.setattr(KubeServer, "answer", meanwhile)
    assert await cluster.delete(*WEB) is Deleted.BEFORE
    assert len(kube.of("DELETE")) == 1
    assert len(kube.pods) == (1 if status == 409 else 0)


async def test_an_answer_that_is_lost_is_found_out(kube: KubeServer, cluster: Kubernetes) -> None:
    kube.lost_answers = 1
    assert await cluster.delete(*WEB) is Deleted.NOW
    assert len(kube.of("DELETE")) == 1


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, "does not take these credentials"),
        (403, "does not allow it: it said no"),
        (500, "it said no"),
    ],
)
async def test_what_the_cluster_refuses_it_says(
    kube: KubeServer, cluster: Kubernetes, status: int, said: str
) -> None:
    kube.refusals["DELETE"] = [status]
    with pytest.raises(ClusterError, match=said):
        await cluster.delete(*WEB)
    assert len(kube.pods) == 3


async def test_a_cluster_that_is_away_says_so(tmp_path: Path) -> None:
    with kube_server() as gone:
        cluster = cluster_of(gone, tmp_path)
    for asked in (cluster.pods(""), cluster.delete(*WEB)):
        with pytest.raises(ClusterError, match="does not answer at http://127"):
            await asked


async def test_what_is_no_kubernetes_says_so(kube: KubeServer, cluster: Kubernetes) -> None:
    kube.pods = ["no pod"]  # type: ignore[list-item]
    with pytest.raises(ClusterError, match="no answer of Kubernetes"):
        await cluster.pods("")


# ── how a pod stands, in kubectl's words ──


@pytest.mark.parametrize(
    ("status", "word", "health"),
    [
        ({}, "Running", Health.OK),
        ({"containerStatuses": [{"name": "main", "ready": False}]}, "Running", Health.WAITING),
        ({"phase": "Succeeded"}, "Succeeded", Health.DONE),
        ({"phase": "Failed", "reason": "Evicted", "message": "no disk"}, "Evicted", Health.FAILING),
        ({"phase": "Pending", "containerStatuses": None}, "Pending", Health.WAITING),
        (
            {"containerStatuses": [{"state": {"waiting": {"reason": "CrashLoopBackOff"}}}]},
            "CrashLoopBackOff",
            Health.FAILING,
        ),
        (
            {"containerStatuses": [{"state": {"waiting": {"reason": "ContainerCreating"}}}]},
            "ContainerCreating",
            Health.WAITING,
        ),
        (
            {
                "containerStatuses": [
                    {"state": {"terminated": {"reason": "OOMKilled", "exitCode": 137}}}
                ]
            },
            "OOMKilled",
            Health.FAILING,
        ),
        (
            {
                "phase": "Succeeded",
                "containerStatuses": [{"state": {"terminated": {"reason": "Completed"}}}],
            },
            "Completed",
            Health.DONE,
        ),
        (
            {"initContainerStatuses": [{"state": {"running": {}}}, {"state": {}}]},
            "Init:0/2",
            Health.WAITING,
        ),
        (
            {"initContainerStatuses": [{"state": {"waiting": {"reason": "ErrImagePull"}}}]},
            "Init:ErrImagePull",
            Health.FAILING,
        ),
        (
            {"initContainerStatuses": [{"state": {"terminated": {"exitCode": 0}}}]},
            "Running",
            Health.OK,
        ),
    ],
)
async def test_its_status_is_a_word(
    kube: KubeServer, cluster: Kubernetes, status: dict[str, Any], word: str, health: Health
) -> None:
    kube.pods = [pod("web-1", **status)]
    found = await cluster.pod("shop", "web-1")
    assert found is not None
    assert (found.status, found.health) == (word, health)


# ── a client certificate, in a real handshake ──


def _certificate(name: str, issuer: Any = None) -> tuple[Any, str, str]:
    """A certificate and its key, signed by an issuer (name, key), or by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    signer, signing_key = issuer or (subject, key)
    address = x509.IPAddress(ip_address("127.0.0.1"))
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(signer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signing_key.public_key()),
            critical=False,
        )
        .sign(signing_key, hashes.SHA256())
    )
    as_pem = serialization.Encoding.PEM
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    written = made.public_bytes(as_pem).decode(), key.private_bytes(as_pem, *plain).decode()
    return (subject, key), *written


@pytest.mark.parametrize("inline", [True, False])
async def test_a_client_certificate_opens_the_door(tmp_path: Path, inline: bool) -> None:
    authority, ca, _ = _certificate("ca")
    _, server_pem, server_key = _certificate("server", authority)
    _, mine, my_key = _certificate("ada", authority)
    files = {"ca.pem": ca, "server.pem": server_pem + server_key, "my.pem": mine, "my.key": my_key}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(tmp_path / "ca.pem"))
    tls.verify_mode = ssl.CERT_REQUIRED
    tls.load_cert_chain(tmp_path / "server.pem")
    with kube_server([pod("web-1")], tls) as kube:
        body = kube.kubeconfig()
        cluster, [named] = body["clusters"][0]["cluster"], body["users"]
        if inline:
            cluster["certificate-authority-data"] = b64encode(ca.encode()).decode()
            named["user"] = {
                "client-certificate-data": b64encode(mine.encode()).decode(),
                "client-key-data": b64encode(my_key.encode()).decode(),
            }
        else:
            cluster["certificate-authority"] = "ca.pem"
            named["user"] = {"client-certificate": "my.pem", "client-key": "my.key"}
        file = tmp_path / "config"
        file.write_text(yaml.safe_dump(body))
        found = await Kubernetes(read_access([file])).pods("")
        assert [one.name for one in found.pods] == ["web-1"]
        # Without one, nobody gets in.
        named["user"] = {}
        file.write_text(yaml.safe_dump(body))
        with pytest.raises(ClusterError, match="does not answer"):
            await Kubernetes(read_access([file])).pods("")
