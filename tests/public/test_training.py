"""The sentences that the network was fitted on: each file can be read, in all nine languages, and
no message stands in one twice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from sayso.reading.lexicon import LANGUAGES
from training.examples import HERE, read_file

FILES = sorted(HERE.glob("*/*/*.txt"))
#: A writer repeats a message now and then, with another question before it.
_MOST_ALIKE = 3


@pytest.mark.parametrize("folder", sorted({path.parent for path in FILES}), ids=lambda p: p.name)
def test_every_line_can_be_read(folder: Path) -> None:
    for path in sorted(folder.glob("*.txt")):
        domains, card, lines = read_file(path)
        [domain] = domains.domains
        assert lines, path.name
        fields = {one.name for one in domain.fields}
        alike = Counter((one.language, one.message, *one.asked) for one in lines)
        assert sum(count - 1 for count in alike.values()) <= _MOST_ALIKE, path.name
        for line in lines:
            assert {*line.asked, *line.known, *line.stated} <= fields, line.place
            assert bool(line.leave) == bool(card), line.place


def test_all_languages_are_there() -> None:
    spoken = Counter(line.language for path in FILES for line in read_file(path)[2])
    assert set(spoken) == set(LANGUAGES)
    assert min(spoken.values()) > 2000
