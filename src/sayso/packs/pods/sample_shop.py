"""What runs in the sample cluster: a small shop, made up."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.packs.pods.cluster import Health


@dataclass(frozen=True, slots=True)
class Workload:
    """What makes pods, and how those that it made stand."""

    namespace: str
    name: str
    image: str
    #: "" where nothing made it.
    kind: str = "ReplicaSet"
    count: int = 1
    hours: float = 72
    node: int = 1
    status: str = "Running"
    health: Health = Health.OK
    message: str = ""
    restarts: int = 0
    millicores: float = 25
    mebibytes: int = 64
    limits: tuple[float, int] = (0, 0)


WORKLOADS = (
    Workload(
        "shop",
        "web",
        "shop/web:4.2",
        count=3,
        hours=50,
        millicores=180,
        mebibytes=210,
        limits=(500, 512),
    ),
    Workload(
        "shop",
        "checkout",
        "shop/checkout:4.2",
        count=2,
        hours=50,
        node=2,
        millicores=95,
        mebibytes=180,
        limits=(400, 256),
    ),
    Workload(
        "shop",
        "mailer",
        "shop/mailer:1.9",
        hours=3,
        node=3,
        status="CrashLoopBackOff",
        health=Health.FAILING,
        message="back-off 5m0s restarting failed container=mailer",
        restarts=38,
        limits=(100, 128),
    ),
    Workload(
        "shop",
        "cart-redis",
        "redis:8",
        "StatefulSet",
        count=2,
        hours=24 * 21,
        millicores=30,
        mebibytes=96,
        limits=(200, 256),
    ),
    Workload(
        "shop",
        "nightly-report",
        "shop/report:2.0",
        "Job",
        hours=9,
        node=2,
        status="Completed",
        health=Health.DONE,
    ),
    Workload(
        "payments",
        "api",
        "payments/api:7.1",
        count=2,
        hours=24 * 6,
        node=2,
        millicores=140,
        mebibytes=320,
        limits=(1000, 512),
    ),
    Workload(
        "payments",
        "api-canary",
        "payments/api:7.2-rc1",
        hours=0.4,
        node=3,
        status="ImagePullBackOff",
        health=Health.FAILING,
        message='Back-off pulling image "payments/api:7.2-rc1"',
    ),
    Workload(
        "payments",
        "ledger",
        "postgres:18",
        "StatefulSet",
        hours=24 * 40,
        node=3,
        millicores=260,
        mebibytes=1400,
        limits=(1000, 2048),
    ),
    Workload(
        "monitoring",
        "prometheus",
        "prom/prometheus:v3",
        "StatefulSet",
        hours=24 * 33,
        millicores=310,
        mebibytes=1900,
        limits=(1000, 2560),
    ),
    Workload(
        "monitoring",
        "node-exporter",
        "prom/node-exporter:v1",
        "DaemonSet",
        count=3,
        hours=24 * 33,
        millicores=9,
        mebibytes=22,
    ),
    Workload(
        "kube-system",
        "coredns",
        "coredns:1.13",
        count=2,
        hours=24 * 61,
        millicores=12,
        mebibytes=40,
        restarts=1,
        limits=(0, 170),
    ),
    Workload(
        "default",
        "debug-shell",
        "busybox:1.37",
        "",
        hours=24 * 12,
        node=2,
        millicores=1,
        mebibytes=4,
    ),
    Workload(
        "default",
        "batch-import",
        "shop/import:3.3",
        "Job",
        hours=0.2,
        node=0,
        status="Pending",
        health=Health.WAITING,
        message="0/3 nodes are available: 3 Insufficient memory.",
    ),
)
