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
from sayso.reading.tokens import ROWS
from training.examples import HERE, Example, examples_in
from training.torch_network import Network

TABLES = Path(product.__file__).with_name("network.npz")


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
    kept = {name: torch.tensor(table.astype(np.float32)) for name, table in tables.items()}
    scale = kept.pop("forms.scale")
    forms = torch.cat([kept.pop("forms") * scale, torch.zeros(1, product.WIDTH)])
    network.load_state_dict({**fitted, **kept, "forms.weight": forms})
    check(network)


def mean_of(
    one: dict[str, torch.Tensor], other: dict[str, torch.Tensor], share: float
) -> dict[str, torch.Tensor]:
    """Return the mean of two networks' weights (Wortsman et al., Model soups, ICML 2022)."""
    return {name: torch.lerp(table, other[name], share) for name, table in one.items()}


def tables_of(fitted: dict[str, torch.Tensor]) -> dict[str, np.ndarray]:
    """Return the forms as bytes with one scale, all else as half floats."""
    each = {name: table.numpy() for name, table in fitted.items()}
    forms = each.pop("forms.weight")[:ROWS]
    scale = float(np.quantile(np.abs(forms), 0.9999)) / 127
    tables = {name: table.astype(np.float16) for name, table in each.items()}
    tables["forms"] = np.round(forms / scale).clip(-127, 127).astype(np.int8)
    tables["forms.scale"] = np.float32(scale)
    return tables


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
