"""The network as it is fitted, in torch; `sayso.reading.network` computes the same in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from sayso.reading.inputs import FIELD_SIGNS, SEEN_SIGNS, TOKEN_SIGNS, FieldInput, Inputs, Kind
from sayso.reading.meanings import MOST_ROWS, SIZE, words
from sayso.reading.network import HEADS, LAYERS, LONGEST_TEXT, MOST_FORCE, WIDTH
from sayso.reading.tokens import MOST_FORMS, ROWS
from sayso.reading.value_inputs import OPTION_SIGNS, VALUE_SIGNS
from sayso.reading.word_forms import Word

_NEVER = -1e4
#: What a reply gives: no, refused, put off, a leaning, leave.
REPLIES = 5
_FORMS_DROPPED, _WORDS_DROPPED, _ALL_DROPPED, _MEANINGS_DROPPED = 0.15, 0.3, 0.1, 0.1


@dataclass
class Scores:
    """Logits of a batch: of each field of text (row of `text_at`, nothing first, then spans row by
    row), of all other fields (nothing first), of leave where it is a reply."""

    fields: list[tuple[int, FieldInput]]
    text_at: list[int]
    text: Tensor
    others: Tensor
    length: int
    leave: Tensor
    #: Of each field and token, how likely the token is this field's, of all fields of its message.
    claims: Tensor


class Layers(nn.Module):
    """Layers that see words beside their neighbours, and then beside all others."""

    def __init__(self, dropout: float, d: int) -> None:
        super().__init__()
        self.dropout = dropout
        self.meaning = nn.Linear(SIZE, d)
        self.signs = nn.Linear(TOKEN_SIGNS, d)
        self.near = nn.ModuleList(nn.Conv1d(d, d, 5, padding=2) for _ in range(LAYERS))
        self.near_norm = nn.ModuleList(nn.LayerNorm(d) for _ in range(LAYERS))
        self.far = nn.ModuleList(
            nn.MultiheadAttention(d, HEADS, batch_first=True, dropout=0.1) for _ in range(LAYERS)
        )
        self.far_norm = nn.ModuleList(nn.LayerNorm(d) for _ in range(LAYERS))
        self.wide = nn.ModuleList(nn.Linear(d, 2 * d) for _ in range(LAYERS))
        self.narrow = nn.ModuleList(nn.Linear(2 * d, d) for _ in range(LAYERS))
        self.wide_norm = nn.ModuleList(nn.LayerNorm(d) for _ in range(LAYERS))

    def _dropped(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self.dropout, self.training)

    def _encoded(self, x: Tensor, mask: Tensor) -> Tensor:
        m = mask[..., None]
        x = self._dropped(x) * m
        for near, norm in zip(self.near, self.near_norm, strict=True):
            beside = near((norm(x) * m).transpose(1, 2)).transpose(1, 2)
            x = x + self._dropped(torch.relu(beside)) * m
        for far, far_norm, wide, narrow, norm in zip(
            self.far, self.far_norm, self.wide, self.narrow, self.wide_norm, strict=True
        ):
            y = far_norm(x)
            x = x + self._dropped(far(y, y, y, key_padding_mask=mask == 0, need_weights=False)[0])
            x = x + self._dropped(narrow(torch.relu(wide(norm(x)))))
            x = x * m
        return x


class Reply(Layers):
    """What a reply to an open card gives. It knows the forms of words as the network does that it
    is a part of, and changes nothing of them."""

    def __init__(self, dropout: float, d: int) -> None:
        super().__init__(dropout, d)
        self.pool = nn.Linear(d, 1)
        self.leave = _head(2 * d, d, REPLIES)

    def forward(self, known: Tensor, meant: Tensor, signs: Tensor, mask: Tensor) -> Tensor:
        h = self._encoded(known.detach() + self.meaning(meant) + self.signs(signs), mask)
        weight = self.pool(h).squeeze(-1).masked_fill(mask == 0, _NEVER).softmax(-1)
        most = h.masked_fill(mask[..., None] == 0, _NEVER).amax(1)
        found: Tensor = self.leave(torch.cat([(weight[..., None] * h).sum(1), most], -1))
        return found


class Network(Layers):
    def __init__(self, dropout: float = 0.3, width: int = WIDTH) -> None:
        super().__init__(dropout, width)
        d = self.width = width
        self.forms = nn.Embedding(ROWS + 1, d, padding_idx=ROWS)
        nn.init.normal_(self.forms.weight, 0, 0.3)
        with torch.no_grad():
            self.forms.weight[ROWS] = 0
        vectors = torch.tensor(words().rows) * float(words().scale)
        self.register_buffer("vectors", vectors, persistent=False)
        self.of_question = nn.Parameter(torch.zeros(d))
        self.question = nn.Linear(d, d)
        self.field = nn.Linear(FIELD_SIGNS, d)
        self.asked = nn.Linear(d, d)
        self.not_asked = nn.Parameter(torch.zeros(d))
        self.before = nn.Linear(d, d)
        nn.init.zeros_(self.before.weight)
        nn.init.zeros_(self.before.bias)
        self.see_token = nn.Linear(d, d)
        self.see_field = nn.Linear(d, d, bias=False)
        self.see_both = nn.Linear(d, d, bias=False)
        self.see_signs = nn.Linear(SEEN_SIGNS, d, bias=False)
        self.see_near = nn.Conv1d(d, d, 3, padding=1)
        self.see_norm = nn.LayerNorm(d)
        self.claim = nn.Linear(d, 1)
        self.claimed = nn.Linear(2, d, bias=False)
        nn.init.zeros_(self.claimed.weight)
        self.pool = nn.Linear(d, 1)
        self.nothing = _head(2 * d, d, 1)
        self.span = nn.Linear(d, 3)
        self.span_length = nn.Parameter(torch.zeros(LONGEST_TEXT))
        self.value = _head(4 * d + VALUE_SIGNS, d, 1)
        self.truth = _head(2 * d, d, 2)
        self.option_look = nn.Linear(d, d)
        self.option = _head(5 * d + OPTION_SIGNS, d, 1)
        self.reply = Reply(dropout, d)

    # ── parts ──

    def _known_and_meant(self, forms: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return what the forms of the words say of them, and what they mean in any language."""
        if self.training:
            kept = torch.rand(forms.shape) > _FORMS_DROPPED
            kept[..., 0] &= torch.rand(forms.shape[:-1]) > _WORDS_DROPPED
            kept &= (torch.rand(forms.shape[:-1]) > _ALL_DROPPED)[..., None]
            forms = forms.masked_fill(~kept, ROWS)
            unknown = torch.rand(rows.shape[:-1]) < _MEANINGS_DROPPED
            rows = rows.masked_fill(unknown[..., None], len(self.vectors) - 1)
        count = (forms != ROWS).sum(-1, keepdim=True).clamp(min=1)
        known = (rows != len(self.vectors) - 1).sum(-1, keepdim=True).clamp(min=1)
        return self.forms(forms).sum(-2) / count, self.vectors[rows].sum(-2) / known

    def _embedded(self, forms: Tensor, rows: Tensor) -> Tensor:
        known, meant = self._known_and_meant(forms, rows)
        return known + self.meaning(meant)

    def _questions(self, questions: Sequence[tuple[Word, ...]]) -> Tensor:
        at: dict[tuple[Word, ...], int] = {}
        for one in questions:
            at.setdefault(one, len(at))
        forms, rows, mask = _padded([*at])
        x = self._encoded(self._embedded(forms, rows) + self.of_question, mask)
        each = (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return each[torch.tensor([at[one] for one in questions])]

    def _before(self, batch: Sequence[Inputs]) -> Tensor:
        said = [b for b, each in enumerate(batch) if each.before]
        found = torch.zeros(len(batch), self.width)
        if not said:
            return found
        own = self.before(self._questions([batch[b].before for b in said]))
        return found.index_put((torch.tensor(said),), own)

    # ── the whole ──

    def forward(self, batch: Sequence[Inputs]) -> Scores:
        fields = [(b, one) for b, each in enumerate(batch) for one in each.fields]
        signs = torch.tensor(np.stack([one.signs for _, one in fields]))
        q = torch.tanh(
            self.question(self._questions([one.question for _, one in fields])) + self.field(signs)
        )
        of = torch.tensor([b for b, _ in fields])
        share, at = torch.zeros(len(batch), len(fields)), 0
        for b, each in enumerate(batch):
            for k in each.asked:
                share[b, at + k] = 1 / len(each.asked)
            at += len(each.fields)
        asked = torch.where(
            share.sum(1, keepdim=True) > 0, self.asked(share @ q), self.not_asked[None]
        )
        asked = asked + self._before(batch)
        forms, rows, mask = _padded([each.words for each in batch])
        length = forms.shape[1]
        token_signs = torch.tensor(_stacked([each.signs for each in batch], length))
        known, meant = self._known_and_meant(forms, rows)
        x = known + self.meaning(meant) + self.signs(token_signs) + asked[:, None]
        h = self._encoded(x, mask)
        z, m = self._seen(h, q, of, mask, fields)
        claims, z = self._claimed(z, m, of, len(batch))
        weight = self.pool(z).squeeze(-1).masked_fill(m == 0, _NEVER).softmax(-1)
        whole = (weight[..., None] * z).sum(1)
        both = torch.cat([whole, q], -1)
        nothing = self.nothing(both).squeeze(-1)
        text_at = [k for k, (_, one) in enumerate(fields) if one.kind is Kind.TEXT]
        return Scores(
            fields,
            text_at,
            self._spans(z, m, nothing, text_at),
            self._others(fields, h, z, m, q, of, whole, both, nothing),
            length,
            self._leave(batch, known, meant, token_signs, mask),
            claims,
        )

    def _seen(
        self, h: Tensor, q: Tensor, of: Tensor, mask: Tensor, fields: list[tuple[int, FieldInput]]
    ) -> tuple[Tensor, Tensor]:
        seen = torch.tensor(_stacked([one.seen for _, one in fields], h.shape[1]))
        m = mask[of]
        z = torch.relu(
            self.see_token(h)[of]
            + self.see_field(q)[:, None]
            + self.see_both(h[of] * q[:, None])
            + self.see_signs(seen)
        )
        z = self._dropped(z) * m[..., None]
        near = torch.relu(self.see_near(z.transpose(1, 2)).transpose(1, 2))
        return self.see_norm(z + near) * m[..., None], m

    def _claimed(self, z: Tensor, m: Tensor, of: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """Return the share of each token that a field has, beside the other fields of its message
        and none; and what is seen, with that share and the others'."""
        force = self.claim(z).squeeze(-1).clamp(max=MOST_FORCE).exp() * m
        whole = (1 + torch.zeros(count, z.shape[1]).index_add(0, of, force))[of]
        own, others = force / whole, (whole - 1 - force) / whole
        return own, z + self.claimed(torch.stack([own, others], -1)) * m[..., None]

    def leave(self, replies: Sequence[Inputs]) -> Tensor:
        """Return the logits of what each of these replies gives, and of nothing else."""
        forms, rows, mask = _padded([one.words for one in replies])
        known, meant = self._known_and_meant(forms, rows)
        signs = torch.tensor(_stacked([one.signs for one in replies], forms.shape[1]))
        found: Tensor = self.reply(known, meant, signs, mask)
        return found

    def _leave(
        self, batch: Sequence[Inputs], known: Tensor, meant: Tensor, signs: Tensor, mask: Tensor
    ) -> Tensor:
        found = torch.zeros(len(batch), REPLIES)
        replies = [b for b, one in enumerate(batch) if one.is_reply]
        if not replies:
            return found
        at = torch.tensor(replies)
        return found.index_put((at,), self.reply(known[at], meant[at], signs[at], mask[at]))

    def _spans(self, z: Tensor, m: Tensor, nothing: Tensor, at: list[int]) -> Tensor:
        if not at:
            return torch.zeros(0, 1)
        rows = torch.tensor(at)
        mask, scores = m[rows], self.span(z[rows])
        length = z.shape[1]
        first = scores[..., 0].masked_fill(mask == 0, _NEVER)
        last = scores[..., 1].masked_fill(mask == 0, _NEVER)
        within = scores[..., 2] * mask
        upto = torch.cumsum(within, 1)
        place = torch.arange(length)
        far = place[None] - place[:, None]
        fits = (far >= 0) & (far < LONGEST_TEXT)
        spans = (
            first[:, :, None]
            + last[:, None, :]
            + upto[:, None, :]
            - (upto - within)[:, :, None]
            + self.span_length[far.clamp(0, LONGEST_TEXT - 1)]
        ).masked_fill(~fits, _NEVER)
        return torch.cat([nothing[rows][:, None], spans.flatten(1)], 1)

    def _others(  # noqa: PLR0917  # the parts of one sum
        self,
        fields: list[tuple[int, FieldInput]],
        h: Tensor,
        z: Tensor,
        m: Tensor,
        q: Tensor,
        of: Tensor,
        whole: Tensor,
        both: Tensor,
        nothing: Tensor,
    ) -> Tensor:
        most = max([2, *(len(one.values or one.options) for _, one in fields)])
        out = torch.full((len(fields), 1 + most), _NEVER)
        out = torch.cat([nothing[:, None], out[:, 1:]], 1)
        rows: list[Tensor] = []
        columns: list[Tensor] = []
        scores: list[Tensor] = []
        truths = torch.tensor([k for k, (_, one) in enumerate(fields) if one.kind is Kind.TRUTH])
        if len(truths):
            rows.append(truths.repeat_interleave(2))
            columns.append(torch.tensor([1, 2]).repeat(len(truths)))
            scores.append(self.truth(both[truths]).reshape(-1))
        values = [(k, j, v) for k, (_, one) in enumerate(fields) for j, v in enumerate(one.values)]
        if values:
            k = torch.tensor([k for k, _, _ in values])
            a = torch.tensor([v.first for _, _, v in values])
            e = torch.tensor([v.last for _, _, v in values])
            sums = torch.cat([torch.zeros(len(fields), 1, self.width), torch.cumsum(z, 1)], 1)
            mean = (sums[k, e + 1] - sums[k, a]) / (e - a + 1)[:, None]
            before = torch.where((a > 0)[:, None], z[k, (a - 1).clamp(min=0)], torch.zeros(1))
            signs = torch.tensor(np.stack([v.signs for _, _, v in values]))
            rows.append(k)
            columns.append(torch.tensor([j + 1 for _, j, _ in values]))
            seen = torch.cat([mean, before, whole[k], q[k], signs], 1)
            scores.append(self.value(seen).squeeze(-1))
        options = [
            (k, j, o) for k, (_, one) in enumerate(fields) for j, o in enumerate(one.options)
        ]
        if options:
            k = torch.tensor([k for k, _, _ in options])
            forms, rows_, mask = _padded([o.words for _, _, o in options])
            own = (self._embedded(forms, rows_) * mask[..., None]).sum(1) / mask.sum(
                1, keepdim=True
            )
            look = torch.einsum("kld,kd->kl", h[of[k]], self.option_look(own)) / 8
            look = look.masked_fill(m[k] == 0, _NEVER).softmax(-1)
            met = torch.einsum("kl,kld->kd", look, h[of[k]])
            named = torch.tensor(
                _stacked([o.named[:, None] for _, _, o in options], z.shape[1])
            ).squeeze(-1)
            there = torch.einsum("kl,kld->kd", named, z[k]) / named.sum(1, keepdim=True).clamp(
                min=1
            )
            signs = torch.tensor(np.stack([o.signs for _, _, o in options]))
            rows.append(k)
            columns.append(torch.tensor([j + 1 for _, j, _ in options]))
            seen = torch.cat([met * own, there, whole[k], q[k], own, signs], 1)
            scores.append(self.option(seen).squeeze(-1))
        if rows:
            out = out.index_put((torch.cat(rows), torch.cat(columns)), torch.cat(scores))
        return out


def _head(wide: int, narrow: int, out: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(wide, narrow), nn.ReLU(), nn.Linear(narrow, out))


def _padded(each: Sequence[Sequence[Word]]) -> tuple[Tensor, Tensor, Tensor]:
    """Return forms and rows as (sentences, tokens, forms), and which tokens there are."""
    longest = max(1, *(len(one) for one in each))
    forms = np.full((len(each), longest, MOST_FORMS), ROWS)
    rows = np.full((len(each), longest, MOST_ROWS), len(words().keys))
    mask = np.zeros((len(each), longest), np.float32)
    for at, one in enumerate(each):
        mask[at, : max(1, len(one))] = 1
        for k, word in enumerate(one):
            forms[at, k, : len(word.forms)] = word.forms
            rows[at, k, : len(word.rows)] = word.rows
    return torch.tensor(forms), torch.tensor(rows), torch.tensor(mask)


def _stacked(arrays: Sequence[np.ndarray], length: int) -> np.ndarray:
    found = np.zeros((len(arrays), length, arrays[0].shape[1]), np.float32)
    for at, one in enumerate(arrays):
        found[at, : len(one)] = one
    return found
