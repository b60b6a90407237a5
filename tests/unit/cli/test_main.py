"""The program itself."""

import io

import pytest

from sayso import cli


def test_what_an_output_cannot_show_ends_no_command(monkeypatch: pytest.MonkeyPatch):
    written = io.BytesIO()
    out = io.TextIOWrapper(written, encoding="ascii")
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setattr(cli, "_add_commands_of_packs", lambda _: None)
    monkeypatch.setattr(cli, "app", lambda: out.write("✓ café\n"))
    cli.main()
    out.flush()
    assert written.getvalue() == b"\\u2713 caf\\xe9\n"
