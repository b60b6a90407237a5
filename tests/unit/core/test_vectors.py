"""The Python fold against the vectors; web/packages/core/src/fold.test.ts reads the same files."""

import json
from typing import Any

import pytest

from sayso.core.events import EVENT_TYPES
from tests.vectors import make

FOUND: dict[str, dict[str, Any]] = {
    f"{path.stem}: {vector['name']}": vector
    for path in sorted(make.HERE.glob("*.json"))
    for vector in json.loads(path.read_text())
}
VECTORS = [pytest.param(vector, id=name) for name, vector in FOUND.items()]


@pytest.mark.parametrize("vector", VECTORS)
def test_fold_gives_what_the_vector_expects(vector: dict[str, Any]) -> None:
    assert make.run(vector) == vector["expected"]


@pytest.mark.parametrize("vector", VECTORS)
def test_vector_changes_the_view_or_says_that_it_does_not(vector: dict[str, Any]) -> None:
    before = make.read_view(vector.get("view")).model_dump(mode="json")
    assert (vector["expected"] != before) == vector["changes"]


def test_vectors_cover_every_type_of_event() -> None:
    folded = {
        event["type"]
        for vector in FOUND.values()
        if isinstance(vector["expected"], dict)
        for event in vector["events"]
    }
    assert set(EVENT_TYPES) <= folded


@pytest.mark.parametrize("name", make.FILES)
def test_committed_vectors_are_what_the_generator_writes(name: str) -> None:
    committed = (make.HERE / f"{name}.json").read_text()
    assert committed == make.written(name), "run `python tests/vectors/make.py`"
