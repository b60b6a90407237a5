"""Write a fitted network as the tables that the product reads, and check that both compute the
same: `python -m training.export network.pt`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import torch

from sayso.reading import network as product
from sayso.reading.inputs import Kind
from training.examples import HERE, Example, examples_in
from training.tables import TABLES, fitted_of, tables_of
from training.torch_network import Network


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("fitted", type=Path)
    options.add_argument("--beside", type=Path, help="one fitted on from it, to take the mean with")
    options.add_argument(
        "--share", type=float, default=0.5, help="how much of the mean that one is"
    )
    told = options.parse_args()
    fitted: dict[str, torch.Tensor] = torch.load(told.fitted)
    if told.beside is not None:
        fitted = mean_of(fitted, torch.load(told.beside), told.share)
    tables = tables_of(fitted)
    np.savez_compressed(TABLES, **tables)  # type: ignore[arg-type]  # numpy types its arrays so
    print(f"{TABLES.name}: {TABLES.stat().st_size // 1024} KiB")
    network = Network()
    network.load_state_dict(fitted_of())
    check(network)


def mean_of(
    one: dict[str, torch.Tensor], other: dict[str, torch.Tensor], share: float
) -> dict[str, torch.Tensor]:
    """Return the mean of two networks' weights (Wortsman et al., Model soups, ICML 2022)."""
    return {name: torch.lerp(table, other[name], share) for name, table in one.items()}


def check(network: Network) -> None:
    network.eval()
    product.network.cache_clear()
    examples = [one for folder in sorted(HERE.glob("*/*/")) for one in _some(folder)]
    worst = 0.0
    with torch.no_grad():
        for one in examples:
            scores = network([one.inputs])
            text = dict(zip(scores.text_at, scores.text, strict=True))
            shares = product.network().shares(one.inputs)
            if one.inputs.is_reply:
                leave = scores.leave.softmax(-1)[0]
                worst = max(worst, abs(float(leave[:-2].sum()) - shares.withheld))
                worst = max(worst, abs(float(leave[-1]) - shares.given))
            for k, (_, field) in enumerate(scores.fields):
                own = text[k] if field.kind is Kind.TEXT else scores.others[k]
                wanted = own.softmax(0).numpy()[: len(shares.fields[k])]
                worst = max(worst, float(np.abs(wanted - shares.fields[k]).max()))
    print(f"{len(examples)} examples, furthest apart {worst:.5f}")
    assert worst < 1e-3, "the product does not compute what was fitted"


def _some(folder: Path) -> Iterator[Example]:
    return islice(examples_in([folder]), 20)


if __name__ == "__main__":
    main()
