"""One pattern for many words finds what each of them alone finds, the longest first."""

from __future__ import annotations

import re

from sayso.reading.alternatives import alternatives, edged

_WORDS = ["yes", "yes please", "yep", "no", "no.", "c'est"]


def test_the_longest_word_is_found_whole() -> None:
    pattern = re.compile(alternatives(_WORDS))
    assert [m[0] for m in pattern.finditer("yes   please, nope yep no c'est")] == [
        "yes   please",
        "yep",
        "no",
        "c'est",
    ]
    assert all(pattern.fullmatch(word) for word in _WORDS if word != "no.")


def test_signs_of_another_script_need_no_edge() -> None:
    assert re.search(alternatives(["はい"], spaced=False), "はいはい")
    pattern = re.compile(edged(["ok", "はい"]))
    assert pattern.search("はいok") is not None
    assert pattern.search("okay") is None
    assert pattern.search("xok") is None


def test_no_words_are_found_nowhere() -> None:
    assert re.search(alternatives([]), "") is None
    assert re.search(edged([]), "") is None
