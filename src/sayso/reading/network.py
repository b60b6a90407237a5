"""A small network that hears which values a message states, in numpy.

It was fitted on the sentences in `training/`, whose README says how, and how well it hears. The
tables lie in `network.npz`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO
from itertools import accumulate
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from sayso.reading.inputs import FieldInput, Inputs, Kind
from sayso.reading.meanings import vectors_of
from sayso.reading.tokens import MOST_TOKENS
from sayso.reading.word_forms import Word

Array = NDArray[np.float32]

WIDTH = 96
LAYERS = 2
HEADS = 4
#: The longest text that is a value, in tokens.
LONGEST_TEXT = 24
#: What a field claims a token with is no larger: its exponential is taken.
MOST_FORCE = 20
_NEVER = np.float32(-1e4)
#: How many kinds of replies, the last of them, lean to a yes or are one.
_LEANING = 2
#: How many questions, and options, are held as the network has read them.
_KEPT = 1024
#: The number of threads is the process's: two that set it would leave it at one.
_LIMITED = Lock()
#: Times a row it is the row's mean: in one product, which numpy's own mean is not.
_MEAN = np.full((WIDTH, 1), 1 / WIDTH, np.float32)


@dataclass(frozen=True, slots=True)
class Shares:
    """What the network makes of a message. Of each field, in the order of the inputs, the share of
    nothing and then of each target; they sum to 1. `withheld`: how likely it is
    that a reply to an open card gives no leave and leans to none; `given`: that it gives leave."""

    fields: list[Array]
    withheld: float = 0.0
    given: float = 0.0


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


@cache
def network() -> Network:
    kept = (files(__package__) / "network.npz").read_bytes()
    with np.load(BytesIO(kept)) as tables:
        return Network({name: tables[name] for name in tables.files})


class Network:
    """The computation; `training/torch_network.py` is the same with its gradients."""

    def __init__(self, tables: dict[str, NDArray[np.generic]]) -> None:
        scale = np.float32(tables.pop("forms.scale"))
        self._forms = tables.pop("forms").astype(np.float32) * scale
        # As a product reads them: with the weights turned round, small ones take thrice as long.
        self._of = {
            name: np.ascontiguousarray(table.astype(np.float32).T) for name, table in tables.items()
        }
        self._near = {
            name.removesuffix(".weight"): (table.reshape(-1, table.shape[-1]), len(table))
            for name, table in self._of.items()
            if table.ndim == 3
        }
        self._length = _of_stretches(self._of["span_length"])
        # The same forms and options are asked for in every message of a conversation.
        self._question = lru_cache(_KEPT)(self._read_question)
        self._word = lru_cache(_KEPT)(self._read_word)

    def shares(self, inputs: Inputs) -> Shares:
        if not inputs.fields:
            return Shares([])
        # Of products this small several threads make nothing faster: they only wait, at full load.
        with _LIMITED, _blas().limit(limits=1, user_api="blas"):
            return self._shares_of(inputs)

    def _shares_of(self, inputs: Inputs) -> Shares:
        q = np.stack([self._field(one) for one in inputs.fields])
        if inputs.asked:
            asked = self._linear("asked", q[inputs.asked].mean(0))
        else:
            asked = self._of["not_asked"]
        if inputs.before:
            asked = asked + self._linear("before", self._question_mean(inputs.before))
        known, meant = self._known_and_meant(inputs.words)
        words = known + self._linear("meaning", meant)
        h = self._encoded(words + self._linear("signs", inputs.signs) + asked)
        z = self._claimed(self._seen(h, q, inputs.fields))
        weight = _shares(self._linear("pool", z)[..., 0])
        whole = (weight[:, None] @ z)[:, 0]
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
        if not inputs.is_reply:
            return Shares(fields)
        return Shares(fields, *self._of_reply(inputs, known, meant))

    def _of_reply(self, inputs: Inputs, known: Array, meant: Array) -> tuple[float, float]:
        """Return how likely the reply gives no leave, and how likely it gives it: layers that read
        nothing else hear that more sharply."""
        words = known + self._linear("reply.meaning", meant)
        h = self._encoded(words + self._linear("reply.signs", inputs.signs), "reply.")
        weight = _shares(self._linear("reply.pool", h)[:, 0])
        leave = _shares(self._head("reply.leave", np.concatenate([weight @ h, h.max(0)])))
        return float(leave[:-_LEANING].sum()), float(leave[-1])

    # ── what the message says to each field ──

    def _field(self, one: FieldInput) -> Array:
        found: Array = np.tanh(self._question(one.question) + self._linear("field", one.signs))
        return found

    def _read_question(self, question: tuple[Word, ...]) -> Array:
        return self._linear("question", self._question_mean(question))

    def _question_mean(self, question: tuple[Word, ...]) -> Array:
        words = self._embedded(question) + self._of["of_question"]
        found: Array = self._encoded(words).mean(0)
        return found

    def _seen(self, h: Array, q: Array, fields: Sequence[FieldInput]) -> Array:
        seen = np.stack([one.seen for one in fields])
        of = self._of
        z = _relu(
            self._linear("see_token", h)[None]
            + (q @ of["see_field.weight"])[:, None]
            + (h[None] * q[:, None]) @ of["see_both.weight"]
            + seen @ of["see_signs.weight"]
        )
        return self._norm("see_norm", z + _relu(self._beside("see_near", z)))

    def _claimed(self, z: Array) -> Array:
        """Return what is seen with the share of each token that a field has, beside all other
        fields and none: no words say two things."""
        force = np.exp(np.minimum(self._linear("claim", z), np.float32(MOST_FORCE)))
        every = force.sum(0)
        shares = np.concatenate([force, every - force], -1) / (every + np.float32(1))
        found: Array = z + shares @ self._of["claimed.weight"]
        return found

    def _spans(self, z: Array) -> Array:
        """Return the score of each stretch of tokens, row by row."""
        count = len(z)
        first, last, within = self._linear("span", z).T
        upto = np.cumsum(within)
        spans = (first - upto + within)[:, None] + (last + upto) + self._length[:count, :count]
        found: Array = spans.ravel()
        return found

    def _values(self, one: FieldInput, z: Array, both: Array) -> Array:
        if not one.values:
            return np.zeros(0, np.float32)
        first, last = np.array([(v.first, v.last) for v in one.values]).T
        place = np.arange(len(z))
        within = ((first[:, None] <= place) & (place <= last[:, None])).astype(np.float32)
        there = within @ z / within.sum(1, keepdims=True)
        before = np.where(first[:, None] > 0, z[first - 1], np.float32(0))
        same = np.repeat(both[None], len(first), 0)
        signs = np.stack([v.signs for v in one.values])
        return self._head("value", np.concatenate([there, before, same, signs], 1))[:, 0]

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

    def _read_word(self, words: tuple[Word, ...]) -> Array:
        found: Array = self._embedded(words).mean(0)
        return found

    # ── layers ──

    def _embedded(self, words: Sequence[Word]) -> Array:
        if not words:
            return self._of["meaning.bias"][None]
        known, meant = self._known_and_meant(words)
        found: Array = known + self._linear("meaning", meant)
        return found

    def _known_and_meant(self, words: Sequence[Word]) -> tuple[Array, Array]:
        """Return what the forms of the words say of them, and what they mean in any language."""
        counts = [len(word.forms) for word in words]
        forms = self._forms[[form for word in words for form in word.forms]]
        starts = [0, *accumulate(counts[:-1])]
        known: Array = np.add.reduceat(forms, starts)
        known /= np.array(counts, np.float32)[:, None]
        return known, vectors_of([word.rows for word in words])

    def _encoded(self, x: Array, of: str = "") -> Array:
        for at in range(LAYERS):
            x = x + _relu(self._beside(f"{of}near.{at}", self._norm(f"{of}near_norm.{at}", x)))
        for at in range(LAYERS):
            x = x + self._attended(f"{of}far.{at}", self._norm(f"{of}far_norm.{at}", x))
            wide = _relu(self._linear(f"{of}wide.{at}", self._norm(f"{of}wide_norm.{at}", x)))
            x = x + self._linear(f"{of}narrow.{at}", wide)
        return x

    def _attended(self, name: str, x: Array) -> Array:
        each = x @ self._of[f"{name}.in_proj_weight"] + self._of[f"{name}.in_proj_bias"]
        q, k, v = each.reshape(len(x), 3, HEADS, -1).transpose(1, 2, 0, 3)
        near: Array = (q @ k.transpose(0, 2, 1)) * np.float32((WIDTH // HEADS) ** -0.5)
        share = _shares(near)
        met = (share @ v).transpose(1, 0, 2).reshape(len(x), -1)
        return self._linear(f"{name}.out_proj", met)

    def _beside(self, name: str, x: Array) -> Array:
        """Weigh each token with its neighbours."""
        flat, width = self._near[name]
        length, size = x.shape[-2:]
        edged = np.zeros((*x.shape[:-2], length + width - 1, size), np.float32)
        edged[..., width // 2 : width // 2 + length, :] = x
        row = np.concatenate([edged[..., at : at + length, :] for at in range(width)], -1)
        found: Array = row @ flat + self._of[f"{name}.bias"]
        return found

    def _norm(self, name: str, x: Array) -> Array:
        around = x - x @ _MEAN
        found: Array = around / np.sqrt(around * around @ _MEAN + np.float32(1e-5))
        return found * self._of[f"{name}.weight"] + self._of[f"{name}.bias"]

    def _head(self, name: str, x: Array) -> Array:
        return self._linear(f"{name}.2", _relu(self._linear(f"{name}.0", x)))

    def _linear(self, name: str, x: Array) -> Array:
        found: Array = x @ self._of[f"{name}.weight"] + self._of[f"{name}.bias"]
        return found


def _of_stretches(lengths: Array) -> Array:
    """Return what its length adds to each stretch of tokens, from row to column; those that end
    before they begin, or are too long, are none."""
    place = np.arange(MOST_TOKENS)
    far = place[None] - place[:, None]
    return np.where((far >= 0) & (far < LONGEST_TEXT), lengths.take(far, mode="clip"), _NEVER)


def _relu(x: Array) -> Array:
    return np.maximum(x, np.float32(0))


def _shares(x: Array) -> Array:
    powers = np.exp(x - x.max(-1, keepdims=True))
    found: Array = powers / powers.sum(-1, keepdims=True)
    return found
