"""Pods in words: a summary and a table, for models and for whoever reads the raw output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from sayso.packs.pods.cluster import Cluster, Health, Pod, PodList, PodUsage


def pods_as_text(cluster: Cluster, found: PodList, now: datetime) -> str:
    """Return one line on all of them, one on those that are not well, and the table."""
    rows = [
        (p.namespace, p.name, p.ready, p.status, str(p.restarts), age(p.created, now), p.node)
        for p in found.pods
    ]
    head = ("NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "AGE", "NODE")
    return "\n".join(_lines(_summary(cluster, found), _trouble(found.pods), _table(head, rows)))


def usage_as_text(cluster: Cluster, found: Sequence[PodUsage]) -> str:
    cores = sum(one.cpu_millicores for one in found)
    memory = sum(one.memory_bytes for one in found)
    said = f"{len(found)} pods {_where(cluster)} use {round(cores)}m CPU and {_mebibytes(memory)}."
    rows = [
        (one.namespace, one.name, f"{round(one.cpu_millicores)}m", _mebibytes(one.memory_bytes))
        for one in sorted(found, key=lambda one: -one.cpu_millicores)
    ]
    return "\n".join(_lines(said, "", _table(("NAMESPACE", "NAME", "CPU", "MEMORY"), rows)))


def what_happens(pod: Pod) -> str:
    """Return what deleting this pod does."""
    kind, _, name = pod.owner.partition("/")
    match kind:
        case "":
            return "Nothing makes it again: it is gone for good, with all that it holds."
        case "StatefulSet":
            return f"It stops. The StatefulSet {name} then starts it anew under the same name."
        case "Job":
            return f"It stops. Whether the Job {name} starts another depends on the Job."
        case _:
            return f"It stops. The {kind} {name} then starts another in its place."


def age(since: datetime, now: datetime) -> str:
    """Return it as kubectl does: "45s", "12m", "5h", "3d"."""
    seconds = max(int((now - since).total_seconds()), 0)
    for unit, length in (("d", 86_400), ("h", 3600), ("m", 60)):
        if seconds >= 2 * length:
            return f"{seconds // length}{unit}"
    return f"{seconds}s"


def _summary(cluster: Cluster, found: PodList) -> str:
    names = {
        Health.OK: "running",
        Health.WAITING: "waiting",
        Health.FAILING: "failing",
        Health.DONE: "completed",
    }
    counts = Counter(pod.health for pod in found.pods)
    parts = [f"{counts[health]} {word}" for health, word in names.items() if counts[health]]
    places = len({pod.namespace for pod in found.pods})
    pods = f"{len(found.pods)} {'pod' if len(found.pods) == 1 else 'pods'}"
    cut = " There are more; these are the first." if found.is_cut else ""
    if not found.pods:
        return f"There are no pods {_where(cluster)}."
    within = f"in {places} {'namespace' if places == 1 else 'namespaces'}"
    return f"{pods} {within} {_where(cluster)}: {', '.join(parts)}.{cut}"


def _trouble(pods: Iterable[Pod]) -> str:
    """Name those that fail."""
    bad = [f"{p.namespace}/{p.name} ({p.status})" for p in pods if p.health is Health.FAILING]
    more = f" and {len(bad) - 5} more" if len(bad) > 5 else ""
    return f"Look at: {', '.join(bad[:5])}{more}." if bad else ""


def _where(cluster: Cluster) -> str:
    return "of the sample cluster (made up)" if cluster.is_sample else f"of {cluster.name}"


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    if not rows:
        return []
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return [
        "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (head, *rows)
    ]


def _lines(summary: str, trouble: str, table: list[str]) -> list[str]:
    return [summary, *([trouble] if trouble else []), *(["", *table] if table else [])]


def _mebibytes(size: int) -> str:
    return f"{round(size / 1024**2)}Mi"
