"""The store keeps its port: every verb is there once, and takes what the port says.

The types are mypy's to prove, in the functions that no test calls: strict mode reports an ignored
error that is none. Only the defaults are compared here.
"""

import inspect

import pytest

from sayso.core.ports import Store
from sayso.store.store import SqlStore

VERBS = [
    name for name, value in vars(Store).items() if inspect.isfunction(value) and name[0] != "_"
]


def keeps_the_port(store: SqlStore) -> Store:
    return store


async def what_mypy_refuses(store: SqlStore) -> None:
    await store.rename_chat("app", "chat", "title")  # type: ignore[call-arg]  # who does it
    await store.run("app", run=1)  # type: ignore[call-arg]  # it is called `run_id`
    await store.load_view("app", "chat", limit="all")  # type: ignore[arg-type]
    (await store.interaction("app", "id")).card  # type: ignore[union-attr]  # noqa: B018  # None
    store.renew_blocking("owner", "run", "soon")  # type: ignore[arg-type]


def parameters(verb: object) -> dict[str, object]:
    assert callable(verb)
    found = inspect.signature(verb).parameters
    return {name: p.default for name, p in found.items() if name not in {"self", "clock"}}


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_has_the_ports_parameters_and_defaults(name: str):
    assert parameters(getattr(SqlStore, name)) == parameters(getattr(Store, name))
