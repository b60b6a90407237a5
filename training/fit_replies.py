"""Fit on what hears whether a reply gives leave, and nothing else of the network:
`python -m training.fit_replies`. It takes minutes, and what is heard of fields stays as it is."""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import nn

from training.examples import HERE, Example, examples_in, examples_of_sets, with_leave
from training.fit import READ_SETS, VECTORS, is_kept_back, started
from training.measure import leave_line
from training.small_letters import in_small_letters
from training.tables import TABLES
from training.torch_network import Network

#: Sets whose replies are read by whoever changes what hears a yes; of the last five only those.
_READ = (*READ_SETS, "shops", "desks", "notices", "counters", "traps")
_SIZE = 64
_KEPT = 0.997
#: Without smoothed labels what is sure stands apart from what is nearly so, where the limits lie.
_DECAY = 0.1


def fit(
    network: Network,
    replies: Sequence[Example],
    *,
    rounds: int,
    rate: float,
    seed: int,
    beside: Sequence[Example] = (),
) -> Network:
    """Return the network with its layers for replies fitted on, their weights averaged over the
    last steps. `beside` is only looked at."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    for name, weights in network.named_parameters():
        weights.requires_grad = name.startswith("reply.")
    own = [*network.reply.parameters()]
    fitted = torch.optim.AdamW(own, lr=rate, weight_decay=_DECAY, fused=True)
    steps = rounds * (len(replies) // _SIZE + 1)
    plan = torch.optim.lr_scheduler.OneCycleLR(fitted, rate, total_steps=steps + 1, pct_start=0.1)
    averaged = torch.optim.swa_utils.AveragedModel(
        network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(_KEPT)
    )
    for turn in range(1, rounds + 1):
        began, lost = time.monotonic(), 0.0
        network.train()
        each = batches(replies, chance)
        for batch in each:
            said = [in_small_letters(one, chance).inputs for one in batch]
            wanted = torch.tensor([with_leave(one) for one in batch])
            loss = nn.functional.cross_entropy(network.leave(said), wanted)
            fitted.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(own, 1.0)
            fitted.step()
            plan.step()
            averaged.update_parameters(network)
            lost += loss.item()
        print(f"{turn}: {lost / len(each):.4f}, {time.monotonic() - began:.0f} s", flush=True)
        if beside and (turn % 2 == 0 or turn == rounds):
            tell(averaged.module, beside)
    found: Network = averaged.module
    return found


def batches(replies: Sequence[Example], chance: random.Random) -> list[list[Example]]:
    """Return batches of replies of about one length, so that little is padded."""
    by_length = sorted(replies, key=lambda one: len(one.inputs.tokens) * chance.uniform(0.8, 1.25))
    found = [by_length[at : at + _SIZE] for at in range(0, len(by_length), _SIZE)]
    chance.shuffle(found)
    return found


def tell(network: Network, replies: Sequence[Example]) -> None:
    network.eval()
    with torch.no_grad():
        leave = [network.leave([one.inputs]).softmax(-1)[0].numpy() for one in replies]
    print(f"   {leave_line(replies, [([], each) for each in leave])}", flush=True)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=18)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--rate", type=float, default=1.5e-3)
    options.add_argument("--dropout", type=float, default=0.2)
    options.add_argument(
        "--start", type=Path, default=TABLES, help="a fitted network to go on from"
    )
    options.add_argument("--whole", action="store_true", help="fit on all, keep nothing back")
    options.add_argument("--out", type=Path, default=Path("network.pt"))
    told = options.parse_args()
    torch.set_num_threads(2)
    examples = list(examples_in(sorted((HERE / "replies").glob("*/"))))
    examples += [one for name in _READ for one in examples_of_sets(VECTORS / name)]
    replies = [one for one in examples if one.said.leave]
    kept_back = [one for one in replies if is_kept_back(one.domain)]
    fitted_on = replies if told.whole else [one for one in replies if one not in kept_back]
    print(f"{len(fitted_on)} replies, {len(kept_back)} beside", flush=True)
    network = fit(
        started(told.start, told.dropout), fitted_on,
        rounds=told.rounds, rate=told.rate, seed=told.seed, beside=kept_back,
    )  # fmt: skip
    torch.save(network.state_dict(), told.out)


if __name__ == "__main__":
    main()
