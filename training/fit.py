"""Fit the network on the sentences of this folder: `python -m training.fit`."""

from __future__ import annotations

import argparse
import hashlib
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor, nn

from sayso.reading.inputs import FieldInput, Kind
from sayso.reading.lexicon import LANGUAGES, lexicon
from sayso.reading.parsers.other_days import load
from training.changed_values import changed_examples_in
from training.corpora import examples_of_dialogues
from training.examples import HERE, Example, examples_in, examples_of_sets, with_leave
from training.measure import count, heard, leave_line, line
from training.promised import Promised, promised_in
from training.small_letters import in_small_letters
from training.small_talk import after_small_talk
from training.tables import fitted_of
from training.terse_forms import terse_examples_in
from training.torch_network import Network, Scores

_CHUNK, _CHUNKS = 8, 8
_OTHERS_KEPT = 3
#: Sets that are read by whoever changes what hears people. `heldout` and `unread` are not.
VECTORS = HERE.parent / "tests" / "vectors" / "gate"
READ_SETS = ("adversarial", "services", "more", "plain")
_KEPT_BACK = ("k1", "k2", "k3", "k4", "k5", "k6", "k7")
_SMOOTHED = 0.02
_KEPT = 0.998
_OF_FIELDS_NOT_ASKED = 0.5
_OF_CLAIMS = 0.3
_OF_PROMISES = 0.3


def loss_of(scores: Scores, batch: Sequence[Example]) -> Tensor:
    targets = [target for one in batch for target in one.targets]
    weights = torch.tensor([_weight(one, k) for one in batch for k in range(len(one.targets))])
    total = torch.zeros(())
    if scores.text_at:
        right = torch.zeros(scores.text.shape, dtype=torch.bool)
        for row, k in enumerate(scores.text_at):
            for each in targets[k] or [0]:
                at = 0 if isinstance(each, int) else 1 + each[0] * scores.length + each[1]
                right[row, at] = True
        total = total + _lost(scores.text, right, weights[torch.tensor(scores.text_at)])
    others = [k for k, (_, one) in enumerate(scores.fields) if one.kind is not Kind.TEXT]
    if others:
        rows = torch.tensor(others)
        logits = scores.others[rows]
        right = torch.zeros(logits.shape, dtype=torch.bool)
        for row, k in enumerate(others):
            for each in targets[k] or [0]:
                assert isinstance(each, int)
                right[row, each] = True
        total = total + _lost(logits, right, weights[rows])
    total = total / weights.sum().clamp(min=1) + _OF_CLAIMS * _lost_of_claims(scores, batch)
    leave = [(b, one) for b, each in enumerate(batch) if (one := with_leave(each)) is not None]
    if leave:
        rows, wanted = torch.tensor([b for b, _ in leave]), torch.tensor([w for _, w in leave])
        own = nn.functional.cross_entropy(scores.leave[rows], wanted, label_smoothing=_SMOOTHED)
        total = total + own * len(leave) / len(batch)
    return total


def _lost(logits: Tensor, right: Tensor, weights: Tensor) -> Tensor:
    shares = torch.log_softmax(logits, 1)
    own = torch.logsumexp(shares.masked_fill(~right, -1e4), 1)
    return -(own * weights).sum()


def _lost_of_claims(scores: Scores, batch: Sequence[Example]) -> Tensor:
    """Return what is lost where words are claimed by another field than the one that they state,
    or by any where they state nothing."""
    right = torch.zeros(scores.claims.shape, dtype=torch.bool)
    silent = torch.zeros(len(batch), scores.length, dtype=torch.bool)
    at = 0
    for b, one in enumerate(batch):
        if all(target is not None for target in one.targets):
            silent[b, : len(one.inputs.tokens)] = True
        for k, target in enumerate(one.targets, at):
            for first, last in _places_of(scores.fields[k][1], target):
                right[k, first : last + 1] = True
                silent[b, first : last + 1] = False
        at += len(one.targets)
    of = torch.tensor([b for b, _ in scores.fields])
    nobody = 1 - torch.zeros(silent.shape).index_add(0, of, scores.claims)
    each = torch.cat([scores.claims[right], nobody[silent]])
    return -each.clamp(min=1e-4).log().mean() if len(each) else torch.zeros(())


def _lost_of_promise(scores: Scores, one: Promised) -> Tensor:
    """Return how far the network has gone from what it heard before."""
    total = torch.zeros(())
    text = dict(zip(scores.text_at, scores.text, strict=True))
    for k, wanted in enumerate(one.shares):
        shares = text.get(k, scores.others[k]).log_softmax(0)[: len(wanted)]
        total = total - (torch.from_numpy(wanted) * shares).sum()
    return total / len(one.shares)


def _places_of(
    one: FieldInput, target: list[int] | list[tuple[int, int]] | None
) -> Iterator[tuple[int, int]]:
    """Yield the tokens, from the first to the last, in which a field's value stands."""
    spans = [each for each in target or () if isinstance(each, tuple)]
    if spans:
        yield max(spans, key=lambda span: span[1] - span[0])
    for each in target or ():
        if not isinstance(each, int) or each == 0:
            continue
        if one.kind is Kind.VALUE:
            yield one.values[each - 1].first, one.values[each - 1].last
        elif one.kind is Kind.OPTION:
            named = [at for at, share in enumerate(one.options[each - 1].named) if share]
            yield from ((at, at) for at in named)


def _weight(example: Example, k: int) -> float:
    if example.targets[k] is None:
        return 0.0
    return 1.0 if _is_hot(example, k) else _OF_FIELDS_NOT_ASKED


def batches(examples: Sequence[Example], chance: random.Random) -> list[list[Example]]:
    """Return batches in which sentences of one application stand together, so that its questions
    are read once, and sentences of about one length, so that little is padded."""
    groups: dict[tuple[str, str], list[Example]] = {}
    for one in examples:
        groups.setdefault((one.domain, one.said.language), []).append(one)
    chunks: list[list[Example]] = []
    for group in groups.values():
        group.sort(key=lambda one: len(one.inputs.tokens) * chance.uniform(0.7, 1.4))
        chunks += [group[at : at + _CHUNK] for at in range(0, len(group), _CHUNK)]
    chunks.sort(key=lambda chunk: len(chunk[-1].inputs.tokens) * chance.uniform(0.9, 1.1))
    found = [
        [one for chunk in chunks[at : at + _CHUNKS] for one in chunk]
        for at in range(0, len(chunks), _CHUNKS)
    ]
    chance.shuffle(found)
    return found


def varied(example: Example, chance: random.Random) -> Example:
    return in_small_letters(after_small_talk(example, chance), chance)


def thinned(example: Example, chance: random.Random) -> Example:
    """Return the example with the fields that it is about, and a few of the others: most of
    them teach the same."""
    inputs = example.inputs
    others = [k for k in range(len(inputs.fields)) if not _is_hot(example, k)]
    dropped = {*chance.sample(others, max(0, len(others) - _OTHERS_KEPT))}
    kept = [k for k in range(len(inputs.fields)) if k not in dropped]
    asked = [at for at, k in enumerate(kept) if k in inputs.asked]
    thin = replace(inputs, fields=[inputs.fields[k] for k in kept], asked=asked)
    return replace(example, inputs=thin, targets=[example.targets[k] for k in kept])


def _is_hot(example: Example, k: int) -> bool:
    one = example.inputs.fields[k]
    known = one.name in example.reading.known and not example.said.leave
    return one.name in example.reading.asked or one.name in example.said.stated or known


def fit(
    examples: Sequence[Example],
    *,
    rounds: int,
    seed: int,
    beside: Sequence[Example] = (),
    rate: float = 2e-3,
    dropout: float = 0.3,
    decay: float = 0.02,
    start: Network | None = None,
    promised: Sequence[Promised] = (),
) -> Network:
    """Return the network, its weights averaged over the last steps. `beside` is only looked at;
    what is `promised` is kept to, spread over each round."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    network = start or Network(dropout)
    steps = rounds * len(batches(examples, random.Random(0)))
    fitted = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=decay, fused=True)
    plan = torch.optim.lr_scheduler.OneCycleLR(
        fitted, rate, total_steps=steps + rounds, pct_start=0.1
    )
    averaged = torch.optim.swa_utils.AveragedModel(
        network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(_KEPT)
    )
    for turn in range(1, rounds + 1):
        began, lost = time.monotonic(), 0.0
        network.train()
        each = batches(examples, chance)
        kept = chance.sample(promised, len(promised))
        for at, batch in enumerate(each):
            thin = [thinned(varied(one, chance), chance) for one in batch]
            scores = network([one.inputs for one in thin])
            loss = loss_of(scores, thin)
            for one in kept[at :: len(each)]:
                loss = loss + _OF_PROMISES * _lost_of_promise(network([one.inputs]), one)
            fitted.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            fitted.step()
            plan.step()
            averaged.update_parameters(network)
            lost += loss.item()
        print(f"{turn}: {lost / len(each):.4f}, {time.monotonic() - began:.0f} s", flush=True)
        if beside and (turn % 4 == 0 or turn == rounds):
            tell(averaged.module, beside)
    found: Network = averaged.module
    return found


def tell(network: Network, examples: Sequence[Example]) -> None:
    results = heard(network, examples)
    for least in (0.5, 0.7, 0.85):
        print(f"   {least}: {line(count(examples, results, least))}")
    print(f"   {leave_line(examples, results)}", flush=True)


def is_kept_back(domain: str) -> bool:
    """Return whether an application is measured with, and not fitted on: one in six by lot, and
    those of seven writers."""
    folder = domain.partition("/")[0]
    if folder in READ_SETS or folder in _KEPT_BACK:
        return folder in _KEPT_BACK
    return int(hashlib.md5(domain.encode(), usedforsecurity=False).hexdigest(), 16) % 6 == 0


def _is_kept(path: Path) -> bool:
    return is_kept_back(f"{path.parent.name}/{path.stem}")


def started(path: Path, dropout: float = 0.3) -> Network:
    """Return a fitted network to go on from: one in torch, or the tables that the product reads."""
    network = Network(dropout)
    kept = torch.load(path) if path.suffix == ".pt" else fitted_of(path)
    own = network.state_dict()
    kept = {**own, **kept}  # parts that it was not fitted with begin as nothing
    for name, table in kept.items():
        if table.shape != own[name].shape:  # signs that it was not fitted with come last
            wide = torch.zeros(own[name].shape)
            wide[..., : table.shape[-1]] = table
            kept[name] = wide
    network.load_state_dict(kept)
    return network


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=16)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--rate", type=float, default=2e-3)
    options.add_argument("--dropout", type=float, default=0.3)
    options.add_argument("--decay", type=float, default=0.02)
    options.add_argument("--start", type=Path, help="a fitted network to go on from")
    options.add_argument("--dialogues", type=Path, help="copies of public dialogues: corpora.py")
    options.add_argument("--promised", type=Path, help="what the unit tests ask: promised.py")
    options.add_argument("--whole", action="store_true", help="fit on all, keep nothing back")
    options.add_argument("--out", type=Path, default=Path("network.pt"))
    told = options.parse_args()
    torch.set_num_threads(2)
    for code in LANGUAGES:
        load(lexicon(code))  # unusual days are read as in the product
    examples = list(examples_in(sorted(HERE.glob("*/*/"))))
    examples += [one for name in READ_SETS for one in examples_of_sets(VECTORS / name)]
    fitted_on = [one for one in examples if told.whole or not is_kept_back(one.domain)]
    beside = [one for one in examples if is_kept_back(one.domain)]
    paths = sorted((HERE / "fields").glob("*/*.txt"))
    paths = [one for one in paths if told.whole or not _is_kept(one)]
    fitted_on += [*terse_examples_in(paths), *changed_examples_in(paths)]
    if told.dialogues is not None:
        fitted_on += examples_of_dialogues(told.dialogues)
    print(f"{len(fitted_on)} examples, {len(beside)} beside", flush=True)
    network = fit(
        fitted_on, rounds=told.rounds, seed=told.seed, beside=beside, rate=told.rate,
        dropout=told.dropout, decay=told.decay,
        start=started(told.start, told.dropout) if told.start is not None else None,
        promised=promised_in(told.promised) if told.promised else (),
    )  # fmt: skip
    torch.save(network.state_dict(), told.out)


if __name__ == "__main__":
    main()
