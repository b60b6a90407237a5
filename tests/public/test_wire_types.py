"""The web client's types are those of the models: what is committed is what is generated."""

from scripts import wire_types


def test_committed_wire_types_are_current() -> None:
    assert wire_types.TARGET.read_text() == wire_types.written(), (
        "models changed: run `python scripts/wire_types.py` and look what follows in web/"
    )
