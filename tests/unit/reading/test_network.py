"""The network's products keep to one thread of BLAS, and leave it as it was."""

from __future__ import annotations

import pytest
from threadpoolctl import threadpool_limits

from sayso.reading.inputs import Inputs
from sayso.reading.network import Network, Shares, _blas
from tests.unit.reading.readers import read


def test_blas_keeps_to_one_thread_while_the_network_listens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held: list[set[int]] = []
    computed = Network._shares_of

    def look(network: Network, inputs: Inputs) -> Shares:
        held.append(_threads())
        return computed(network, inputs)

    monkeypatch.setattr(Network, "_shares_of", look)
    with threadpool_limits(2, user_api="blas"):
        before = _threads()
        read("hello there")
        assert held == [{1}]
        assert _threads() == before


def _threads() -> set[int]:
    """Return what numpy computes with. Another library's own BLAS, loaded later in the process,
    is none of the network's business."""
    return {one["num_threads"] for one in _blas().select(user_api="blas").info()}
