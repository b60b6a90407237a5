"""Fit on with what replies give, and keep to what is heard of values:
`python -m training.leave network.pt --out network.pt`."""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path

import torch
from torch import Tensor, nn

from training.examples import HERE, Example, examples_in, examples_of_sets, with_leave
from training.fit import VECTORS, batches, started, thinned
from training.small_letters import in_small_letters
from training.torch_network import Network, Scores

#: Sets whose replies are fitted on; `shops`, `desks`, `notices` and `heldout` are not.
_SETS = ("adversarial", "services", "more")
#: How much of a round the older replies are, how often the newer stand in it, and how many
#: sentences that state values are beside them.
_OLDER, _NEWER, _VALUES = 0.6, 3, 6000
_FILES_OF_VALUES = 40
_OF_VALUES = 1.5
_SMOOTHED = 0.02
_AVERAGED = 0.995
_NONE = -1e3


def fit(
    network: Network,
    replies: Sequence[Example],
    newer: Sequence[Example],
    values: Sequence[Example],
    *,
    rounds: int,
    rate: float,
    seed: int,
) -> Network:
    """Return the network fitted on, its weights averaged over the last steps."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    before = deepcopy(network).eval()
    fitted = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.02, fused=True)
    steps = rounds * len(batches(_round(replies, newer, values, chance), chance))
    plan = torch.optim.lr_scheduler.OneCycleLR(
        fitted, rate, total_steps=steps + 20 * rounds, pct_start=0.1
    )
    averaged = torch.optim.swa_utils.AveragedModel(
        network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(_AVERAGED)
    )
    for turn in range(1, rounds + 1):
        began, lost = time.monotonic(), 0.0
        network.train()
        each = batches(_round(replies, newer, values, chance), chance)
        for batch in each:
            thin = [thinned(in_small_letters(one, chance), chance) for one in batch]
            inputs = [one.inputs for one in thin]
            scores = network(inputs)
            with torch.no_grad():
                wanted = before(inputs)
            loss = _OF_VALUES * _lost_of_values(scores, wanted) + _lost_of_leave(scores, thin)
            fitted.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            fitted.step()
            plan.step()
            averaged.update_parameters(network)
            lost += loss.item()
        print(f"{turn}: {lost / len(each):.4f}, {time.monotonic() - began:.0f} s", flush=True)
    found: Network = averaged.module
    return found


def _round(
    replies: Sequence[Example],
    newer: Sequence[Example],
    values: Sequence[Example],
    chance: random.Random,
) -> list[Example]:
    older = chance.sample(replies, int(_OLDER * len(replies)))
    return [*older, *[*newer] * _NEWER, *chance.sample(values, min(len(values), _VALUES))]


def _lost_of_leave(scores: Scores, batch: Sequence[Example]) -> Tensor:
    given = [(b, one) for b, each in enumerate(batch) if (one := with_leave(each)) is not None]
    if not given:
        return torch.zeros(())
    rows, wanted = torch.tensor([b for b, _ in given]), torch.tensor([w for _, w in given])
    own = nn.functional.cross_entropy(scores.leave[rows], wanted, label_smoothing=_SMOOTHED)
    return own * len(given) / len(batch)


def _lost_of_values(scores: Scores, wanted: Scores) -> Tensor:
    """Return how far each field is heard otherwise than before (Kullback–Leibler)."""
    others = [k for k in range(len(scores.fields)) if k not in set(scores.text_at)]
    total = _apart(scores.text, wanted.text) if scores.text_at else torch.zeros(())
    if others:
        rows = torch.tensor(others)
        total = total + _apart(scores.others[rows], wanted.others[rows])
    return total / max(1, len(scores.fields))


def _apart(logits: Tensor, wanted: Tensor) -> Tensor:
    far = wanted.softmax(-1) * (wanted.log_softmax(-1) - logits.log_softmax(-1))
    return far.masked_fill(wanted < _NONE, 0).sum()


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("start", type=Path)
    options.add_argument("--newer", default="u", help="how the folders begin that count most")
    options.add_argument("--rounds", type=int, default=12)
    options.add_argument("--rate", type=float, default=5e-4)
    options.add_argument("--seed", type=int, default=3)
    options.add_argument("--out", type=Path, default=Path("network.pt"))
    told = options.parse_args()
    torch.set_num_threads(2)
    folders = sorted((HERE / "replies").glob("*/"))
    newer = [one for one in folders if one.name.startswith(told.newer)]
    replies = [*examples_in(one for one in folders if one not in newer)]
    for name in _SETS:
        replies += [one for one in examples_of_sets(VECTORS / name) if one.said.leave]
    of_values = sorted((HERE / "fields").glob("*/"))
    random.Random(told.seed).shuffle(of_values)
    network = fit(
        started(told.start), replies, [*examples_in(newer)],
        [*examples_in(of_values[:_FILES_OF_VALUES])],
        rounds=told.rounds, rate=told.rate, seed=told.seed,
    )  # fmt: skip
    torch.save(network.state_dict(), told.out)


if __name__ == "__main__":
    main()
