"""What a network hears of examples: values given and filled wrongly, and leave, at thresholds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import JsonValue

from sayso.reading.inputs import FieldInput, Kind
from sayso.reading.value_inputs import OptionInput, ValueInput
from training.examples import Example
from training.torch_network import Network


@dataclass(frozen=True)
class HeardField:
    name: str
    value: JsonValue
    share: float
    span: tuple[int, int] | None


Heard = tuple[list[HeardField], NDArray[np.float32]]


def heard(network: Network, examples: Sequence[Example], size: int = 64) -> list[Heard]:
    network.eval()
    found: list[Heard] = []
    with torch.no_grad():
        for at in range(0, len(examples), size):
            batch = examples[at : at + size]
            scores = network([one.inputs for one in batch])
            leave = scores.leave.softmax(-1).numpy()
            rows: list[list[HeardField]] = [[] for _ in batch]
            text = dict(zip(scores.text_at, scores.text, strict=True))
            for k, (b, one) in enumerate(scores.fields):
                own = text[k] if k in text else scores.others[k]
                best = best_of(one, own.softmax(0).numpy(), batch[b], scores.length)
                if best is not None:
                    rows[b].append(best)
            found += zip(rows, leave, strict=True)
    return found


def best_of(
    one: FieldInput, shares: NDArray[np.float32], example: Example, length: int
) -> HeardField | None:
    row: Sequence[ValueInput | OptionInput] = one.values or one.options
    count = len(shares) - 1 if one.kind is Kind.TEXT else 2 if one.kind is Kind.TRUTH else len(row)
    if not count:
        return None
    at = int(shares[1 : 1 + count].argmax())
    if one.kind is Kind.TEXT:
        a, b = divmod(at, length)
        tokens = example.inputs.tokens
        if b >= len(tokens):
            return None
        words = example.inputs.text[tokens[a].start : tokens[b].end]
        return HeardField(one.name, words, float(shares[1:].sum()), (a, b))
    if one.kind is Kind.TRUTH:
        return HeardField(one.name, at == 0, float(shares[1 + at]), None)
    value = row[at].value
    share = float(sum(shares[1 + k] for k, each in enumerate(row) if each.value == value))
    span = (one.values[at].first, one.values[at].last) if one.values else None
    return HeardField(one.name, value, share, span)


def settled(row: list[HeardField], least: float) -> dict[str, JsonValue]:
    used: list[tuple[int, int]] = []
    found: dict[str, JsonValue] = {}
    for one in sorted(row, key=lambda each: -each.share):
        if one.share < least:
            break
        if one.span is not None:
            if any(one.span[0] <= b and a <= one.span[1] for a, b in used):
                continue
            used.append(one.span)
        found[one.name] = one.value
    return found


def count(
    examples: Sequence[Example],
    results: Sequence[Heard],
    least: float,
) -> Counter[str]:
    c: Counter[str] = Counter()
    for example, (row, _) in zip(examples, results, strict=True):
        after, app = settled(row, least), example.app
        assert app is not None, "only what has an application is measured"
        for one in example.inputs.fields:
            known = example.reading.known.get(one.name)
            held = app.actions.normalise(one.name, after[one.name]) if one.name in after else None
            held = known if held is None else held
            wanted = example.said.stated.get(one.name)
            if wanted is not None:
                right = held is not None and any(app.same(one.name, held, v) for v in wanted)
                c["given"] += 1
                c["given_right"] += right
                c["given_wrong"] += not right and held != known
                c[f"{one.kind}_given"] += 1
                c[f"{one.kind}_right"] += right
            else:
                hot = one.name in example.said.asked or one.name in example.said.known
                kind = "card" if example.said.leave else "empty" if hot else "other"
                c[kind] += 1
                c[f"{kind}_filled"] += held != known
    return c


def line(c: Counter[str]) -> str:
    def share(a: str, b: str) -> str:
        return f"{c[a]}/{c[b]}={c[a] / max(1, c[b]):.3f}"

    kinds = " ".join(
        f"{k}:{c[f'{k}_right'] / max(1, c[f'{k}_given']):.2f}"
        for k in ("text", "truth", "option", "value")
    )
    given = f"given {share('given_right', 'given')} wrong {c['given_wrong']} [{kinds}]"
    return (
        f"{given} | empty {share('empty_filled', 'empty')} | other {share('other_filled', 'other')}"
        f" | card {share('card_filled', 'card')}"
    )


def leave_line(examples: Sequence[Example], results: Sequence[Heard]) -> str:
    shares = sorted(
        (
            (float(leave[-1]), e.said.leave)
            for e, (_, leave) in zip(examples, results, strict=True)
            if e.said.leave
        ),
        reverse=True,
    )
    runs = sum(label == "run" for _, label in shares)
    others = len(shares) - runs
    parts = [f"runs {runs} others {others}"]
    for allowed in (0, 1, 2, 4, 8, 16, 32):
        wrong = right = 0
        limit = 1.0
        for share, label in shares:
            if label != "run":
                wrong += 1
                if wrong > allowed:
                    break
            else:
                right += 1
                limit = share
        parts.append(f"{allowed} wrong: {right / max(1, runs):.2f} (>{limit:.3f})")
    return " · ".join(parts)
