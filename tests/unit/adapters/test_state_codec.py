"""The bytes of saved states: their format is told, and what cannot be read says who wrote it."""

from __future__ import annotations

import pytest

from sayso.adapters.state_codec import StateCodec
from sayso.core.errors import StateUnreadable

CODEC = StateCodec(framework="pytest", distribution="pytest", format=2, older=(1,))


def test_a_state_comes_back_as_it_was_written() -> None:
    raw = CODEC.dump({"at": 3})
    assert raw == b'{"format":2,"at":3}'
    with CODEC.load(raw, "here") as body:
        assert body == {"at": 3}


def test_an_older_format_that_is_named_is_read() -> None:
    with CODEC.load(b'{"format":1,"at":3}', "here") as body:
        assert body == {"at": 3}


@pytest.mark.parametrize(
    "raw", [b"", b"[]", b"3", b"{}", b'{"format":3}', b'{"format":"2"}', b"\xff"], ids=repr
)
def test_other_bytes_are_refused_in_the_name_of_both_versions(raw: bytes) -> None:
    with (
        pytest.raises(StateUnreadable, match=r"written by me.*pytest \d.*, format 2"),
        CODEC.load(raw, "written by me"),
    ):
        pass


@pytest.mark.parametrize("kind", [ValueError, KeyError, TypeError, AttributeError, ImportError])
def test_what_the_reader_cannot_make_sense_of_is_refused_as_well(kind: type[Exception]) -> None:
    with pytest.raises(StateUnreadable), CODEC.load(CODEC.dump({}), "me"):
        raise kind("this does not fit")


def test_other_errors_of_the_reader_are_its_own() -> None:
    with pytest.raises(ZeroDivisionError), CODEC.load(CODEC.dump({}), "me"):
        raise ZeroDivisionError
