"""A small network that hears which values a message states, in numpy.

It was fitted on the sentences in `training/`, whose README says how, and how well it hears. The
tables lie in `network.npz`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from sayso.reading.inputs import FieldInput, Inputs, Kind, Word
from sayso.reading.meanings import vectors_of
from sayso.reading.tokens import MOST_FORMS, ROWS

Array = NDArray[np.float32]

WIDTH = 96
LAYERS = 2
HEADS = 4
#: The longest text that is a value, in tokens.
LONGEST_TEXT = 24
_NEVER = np.float32(-1e4)


@dataclass(frozen=True, slots=True)
class Shares:
    """What the network makes of a message. Of each field, in the order of the inputs, the share of
    nothing and then of each target; they sum to 1."""

    fields: list[Array]


@cache
def network() -> Network:
    kept = (files(__package__) / "network.npz").read_bytes()
    with np.load(BytesIO(kept)) as tables:
        return Network({name: tables[name] for name in tables.files})


class Network:
    """The computation; `training/torch_network.py` is the same with its gradients."""

    def __init__(self, tables: dict[str, NDArray[np.generic]]) -> None:
        scale = np.float32(tables.pop("forms.scale"))
        self._forms = np.zeros((ROWS + 1, WIDTH), np.float32)
        self._forms[:ROWS] = tables.pop("forms").astype(np.float32) * scale
        self._of = {name: table.astype(np.float32) for name, table in tables.items()}
        self._near = {
            name.removesuffix(".weight"): (
                table.transpose(2, 1, 0).reshape(-1, table.shape[0]),
                self._of[name.replace("weight", "bias")],
                table.shape[-1],
            )
            for name, table in self._of.items()
            if table.ndim == 3
        }
        self._questions: dict[object, Array] = {}
        self._words: dict[object, Array] = {}

    def shares(self, inputs: Inputs) -> Shares:
        if not inputs.fields:
            return Shares([])
        q = np.stack([self._field(one) for one in inputs.fields])
        if inputs.asked:
            asked = self._linear("asked", q[inputs.asked].mean(0))
        else:
            asked = self._of["not_asked"]
        words = self._embedded(inputs.words)
        h = self._encoded(words + self._linear("signs", inputs.signs) + asked)
        z = self._seen(h, q, inputs.fields)
        weight = _shares(self._linear("pool", z)[..., 0])
        whole = np.einsum("kl,kld->kd", weight, z)
        both = np.concatenate([whole, q], 1)
        nothing = self._head("nothing", both)
        truth = self._head("truth", both)
        fields = []
        for k, one in enumerate(inputs.fields):
            if one.kind is Kind.TEXT:
                scores = self._spans(z[k])
            elif one.kind is Kind.TRUTH:
                scores = truth[k]
            elif one.kind is Kind.VALUE:
                scores = self._values(one, z[k], both[k])
            else:
                scores = self._options(one, h, z[k], both[k])
            fields.append(_shares(np.concatenate([nothing[k], scores])))
        return Shares(fields)

    # ── what the message says to each field ──

    def _field(self, one: FieldInput) -> Array:
        question = self._questions.get(one.question)
        if question is None:
            words = self._embedded(one.question) + self._of["of_question"]
            question = self._linear("question", self._encoded(words).mean(0))
            self._questions[one.question] = question
        found: Array = np.tanh(question + self._linear("field", one.signs))
        return found

    def _seen(self, h: Array, q: Array, fields: Sequence[FieldInput]) -> Array:
        seen = np.stack([one.seen for one in fields])
        of = self._of
        z = _relu(
            self._linear("see_token", h)[None]
            + (q @ of["see_field.weight"].T)[:, None]
            + (h[None] * q[:, None]) @ of["see_both.weight"].T
            + seen @ of["see_signs.weight"].T
        )
        return self._norm("see_norm", z + _relu(self._beside("see_near", z)))

    def _spans(self, z: Array) -> Array:
        """Return the score of each stretch of tokens, row by row."""
        first, last, within = self._linear("span", z).T
        upto = np.cumsum(within)
        place = np.arange(len(z))
        far = place[None] - place[:, None]
        length = self._of["span_length"][far.clip(0, LONGEST_TEXT - 1)]
        spans = first[:, None] + last[None] + upto[None] - (upto - within)[:, None] + length
        fits = (far >= 0) & (far < LONGEST_TEXT)
        return np.where(fits, spans, _NEVER).ravel()

    def _values(self, one: FieldInput, z: Array, both: Array) -> Array:
        if not one.values:
            return np.zeros(0, np.float32)
        none = np.zeros(WIDTH, np.float32)
        seen = [
            np.concatenate(
                [
                    z[v.first : v.last + 1].mean(0),
                    z[v.first - 1] if v.first else none,
                    both,
                    v.signs,
                ]
            )
            for v in one.values
        ]
        return self._head("value", np.stack(seen))[:, 0]

    def _options(self, one: FieldInput, h: Array, z: Array, both: Array) -> Array:
        own = np.stack([self._word(option.words) for option in one.options])
        look = _shares(self._linear("option_look", own) @ h.T / np.float32(8))
        named = np.stack([option.named for option in one.options])
        there = named @ z / named.sum(1, keepdims=True).clip(np.float32(1))
        signs = np.stack([option.signs for option in one.options])
        same = np.repeat(both[None], len(own), 0)
        return self._head("option", np.concatenate([look @ h * own, there, same, own, signs], 1))[
            :, 0
        ]

    def _word(self, words: tuple[Word, ...]) -> Array:
        own = self._words.get(words)
        if own is None:
            own = self._words[words] = self._embedded(words).mean(0)
        return own

    # ── layers ──

    def _embedded(self, words: Sequence[Word]) -> Array:
        at = np.full((max(1, len(words)), MOST_FORMS), ROWS)
        for k, word in enumerate(words):
            at[k, : len(word.forms)] = word.forms
        count = (at != ROWS).sum(1, keepdims=True).clip(1).astype(np.float32)
        meant = vectors_of([word.rows for word in words] or [()])
        found: Array = self._forms[at].sum(1) / count + self._linear("meaning", meant)
        return found

    def _encoded(self, x: Array) -> Array:
        for at in range(LAYERS):
            x = x + _relu(self._beside(f"near.{at}", self._norm(f"near_norm.{at}", x)))
        for at in range(LAYERS):
            x = x + self._attended(f"far.{at}", self._norm(f"far_norm.{at}", x))
            wide = _relu(self._linear(f"wide.{at}", self._norm(f"wide_norm.{at}", x)))
            x = x + self._linear(f"narrow.{at}", wide)
        return x

    def _attended(self, name: str, x: Array) -> Array:
        each = x @ self._of[f"{name}.in_proj_weight"].T + self._of[f"{name}.in_proj_bias"]
        q, k, v = each.reshape(len(x), 3, HEADS, -1).transpose(1, 2, 0, 3)
        near: Array = (q @ k.transpose(0, 2, 1)) * np.float32((WIDTH // HEADS) ** -0.5)
        share = _shares(near)
        met = (share @ v).transpose(1, 0, 2).reshape(len(x), -1)
        return self._linear(f"{name}.out_proj", met)

    def _beside(self, name: str, x: Array) -> Array:
        """Weigh each token with its neighbours."""
        flat, bias, width = self._near[name]
        length, size = x.shape[-2:]
        edged = np.zeros((*x.shape[:-2], length + width - 1, size), np.float32)
        edged[..., width // 2 : width // 2 + length, :] = x
        row = np.concatenate([edged[..., at : at + length, :] for at in range(width)], -1)
        found: Array = row @ flat + bias
        return found

    def _norm(self, name: str, x: Array) -> Array:
        around = x - x.mean(-1, keepdims=True)
        found: Array = around / np.sqrt((around**2).mean(-1, keepdims=True) + np.float32(1e-5))
        return found * self._of[f"{name}.weight"] + self._of[f"{name}.bias"]

    def _head(self, name: str, x: Array) -> Array:
        return self._linear(f"{name}.2", _relu(self._linear(f"{name}.0", x)))

    def _linear(self, name: str, x: Array) -> Array:
        found: Array = x @ self._of[f"{name}.weight"].T + self._of[f"{name}.bias"]
        return found


def _relu(x: Array) -> Array:
    return np.maximum(x, np.float32(0))


def _shares(x: Array) -> Array:
    powers = np.exp(x - x.max(-1, keepdims=True))
    found: Array = powers / powers.sum(-1, keepdims=True)
    return found
