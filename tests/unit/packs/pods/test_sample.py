"""The sample cluster: the same each time, with ages relative to now, and alive when one is
deleted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sayso.packs.pods.as_text import age
from sayso.packs.pods.cluster import Deleted, Health, Pod
from sayso.packs.pods.pod_json import millicores, size_in_bytes
from sayso.packs.pods.sample import Sample

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


class Clock:
    now = NOON

    def __call__(self) -> datetime:
        return self.now


async def the(cluster: Sample, beginning: str) -> list[Pod]:
    return [pod for pod in (await cluster.pods("")).pods if pod.name.startswith(beginning)]


async def test_it_is_the_same_each_time_and_as_old_as_ever() -> None:
    later = NOON + timedelta(days=900)
    first = (await Sample(now=lambda: NOON).pods("")).pods
    again = (await Sample(now=lambda: later).pods("")).pods
    assert [(pod.uid, age(pod.created, NOON)) for pod in first] == [
        (pod.uid, age(pod.created, later)) for pod in again
    ]
    assert {pod.health for pod in first} == set(Health)
    assert len({pod.uid for pod in first}) == len(first) > 15


async def test_a_namespace_has_its_own() -> None:
    found = (await Sample().pods("payments")).pods
    assert {pod.namespace for pod in found} == {"payments"}
    assert {one.namespace for one in await Sample().usage("payments")} == {"payments"}


@pytest.mark.parametrize(
    ("beginning", "comes_again"),
    [("web-", "other name"), ("cart-redis-0", "same name"), ("debug-shell", "no")],
)
async def test_what_made_a_pod_makes_another(beginning: str, comes_again: str) -> None:
    clock = Clock()
    cluster = Sample(now=clock)
    before = await the(cluster, beginning)
    gone = before[0]
    assert await cluster.delete(gone.namespace, gone.name, gone.uid) is Deleted.NOW
    after = await the(cluster, beginning)
    assert gone.uid not in {pod.uid for pod in after}
    new = [pod for pod in after if pod not in before]
    if comes_again == "no":
        assert after == []
        return
    [made] = new
    assert (made.name == gone.name) == (comes_again == "same name")
    assert (made.status, made.created) == ("ContainerCreating", NOON)
    clock.now = NOON + timedelta(minutes=1)
    [made] = [pod for pod in await the(cluster, beginning) if pod.uid == made.uid]
    assert (made.status, age(made.created, clock.now)) == ("Running", "60s")


async def test_only_the_pod_of_this_uid_is_deleted_and_once() -> None:
    cluster = Sample()
    [pod] = await the(cluster, "debug-shell")
    assert await cluster.delete("default", "debug-shell", "another") is Deleted.BEFORE
    assert await the(cluster, "debug-shell")
    assert await cluster.delete("default", "debug-shell", pod.uid) is Deleted.NOW
    assert await cluster.delete("default", "debug-shell", pod.uid) is Deleted.BEFORE


async def test_what_was_deleted_stays_so_in_another_process(tmp_path: Path) -> None:
    file = tmp_path / "pods.json"
    [pod] = await the(Sample(file), "debug-shell")
    await Sample(file).delete("default", "debug-shell", pod.uid)
    assert await the(Sample(file), "debug-shell") == []
    file.write_text("no JSON")
    assert await the(Sample(file), "debug-shell")


@pytest.mark.parametrize(
    ("text", "cores", "size"),
    [("250m", 250, 0), ("1", 1000, 1), ("120n", 0, 0), ("1e3", 1e6, 1000), ("2Ki", 2048e3, 2048)],
)
def test_quantities(text: str, cores: float, size: int) -> None:
    assert (millicores(text), size_in_bytes(text)) == (cores, size)


@pytest.mark.parametrize("text", ["", "many", "1e999999999", "1Xi", "--1"])
def test_what_is_no_quantity_is_nothing(text: str) -> None:
    assert size_in_bytes(text) == 0


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0s"), (119, "119s"), (120, "2m"), (7200, "2h"), (172800, "2d")]
)
def test_ages_are_kubectls(seconds: int, words: str) -> None:
    assert age(NOON - timedelta(seconds=seconds), NOON) == words
