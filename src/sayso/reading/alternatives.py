"""One pattern for many words: what several of them begin with is written, and matched, once.

Of hundreds of phrases written one after the other, each is tried at every place; here a place costs
as many steps as it has signs in common with any. The longest that fits comes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

_Tree: TypeAlias = "dict[str, _Tree]"
#: Marks where a word ends.
_END = ""
_EDGE = r"(?!\w)"
_LATIN = re.compile(r"[a-zà-ÿ0-9]")


def alternatives(words: Iterable[str], *, spaced: bool = True) -> str:
    """Return a pattern for any of these words or phrases, as whole words if spaces part them."""
    return _of_words(tuple(words), spaced)


def edged(words: Iterable[str]) -> str:
    """Return a pattern for any of these; one needs no edge where it begins or ends with a sign of
    another script."""
    row = sorted({*words})
    latin = [word for word in row if _LATIN.match(word)]
    other = [word for word in row if not _LATIN.match(word)]
    made = [r"(?<!\w)" + _grouped(latin, _EDGE)] if latin else []
    made += [_grouped(other, _EDGE)] if other else []
    return f"(?:{'|'.join(made)})" if made else r"(?!)"


@lru_cache(maxsize=2048)
def _of_words(words: tuple[str, ...], spaced: bool) -> str:
    joined = _grouped(words)
    return rf"(?<!\w){joined}{_EDGE}" if spaced else joined


def _grouped(words: Iterable[str], edge: str = "") -> str:
    tree: _Tree = {}
    for word in words:
        at = tree
        for sign in " ".join(word.split()):
            at = at.setdefault(sign, {})
        at[_END] = {}
    return f"(?:{_written(tree, edge)})" if tree else r"(?!)"


def _written(tree: _Tree, edge: str, last: str = "") -> str:
    """Write what may follow; `edge` ends what ends in a Latin letter."""
    ways = [
        (r"\s+" if sign == " " else re.escape(sign)) + _written(after, edge, sign)
        for sign, after in tree.items()
        if sign
    ]
    if _END in tree:
        ways.append(edge if _LATIN.match(last) else "")
    return ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"
