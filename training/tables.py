"""A fitted network as the tables that the product reads, and back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from sayso.reading import network as product
from sayso.reading.tokens import ROWS

TABLES = Path(product.__file__).with_name("network.npz")


def tables_of(fitted: dict[str, torch.Tensor]) -> dict[str, np.ndarray]:
    """Return the forms as bytes with one scale, all else as half floats."""
    each = {name: table.numpy() for name, table in fitted.items()}
    forms = each.pop("forms.weight")[:ROWS]
    scale = float(np.quantile(np.abs(forms), 0.9999)) / 127
    tables = {name: table.astype(np.float16) for name, table in each.items()}
    tables["forms"] = np.round(forms / scale).clip(-127, 127).astype(np.int8)
    tables["forms.scale"] = np.float32(scale)
    return tables


def fitted_of(path: Path = TABLES) -> dict[str, torch.Tensor]:
    """Return the weights that a file of tables holds."""
    with np.load(path) as tables:
        kept = {name: torch.tensor(tables[name].astype(np.float32)) for name in tables.files}
    forms = kept.pop("forms") * kept.pop("forms.scale")
    return {**kept, "forms.weight": torch.cat([forms, torch.zeros(1, product.WIDTH)])}
