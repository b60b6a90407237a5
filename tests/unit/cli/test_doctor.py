"""`sayso doctor` says whether whoever answers has to sign in, of a server that runs and of none."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from sayso.cli import doctor
from sayso.settings import Settings, Token

ASKED = "Who answers has to sign in."
NOT_ASKED = "Nobody has to sign in: what is asked from outside is answered without sign-in"
TOKEN = Token.model_validate("ada:admin:a-secret-0123456789")


def said(settings: Settings) -> list[doctor.Finding]:
    return [one for one in doctor.examine(settings) if "sign in" in one.text]


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        (Settings(port=0), NOT_ASKED),
        (Settings(port=0, sign_in=True), ASKED),
        (Settings(port=0, tokens=[TOKEN]), ASKED),
    ],
    ids=["no login", "--sign-in", "tokens"],
)
def test_where_no_server_runs_the_settings_say_so(settings: Settings, text: str, tmp_path: Path):
    (found,) = said(settings.model_copy(update={"data_dir": tmp_path}))
    assert found.text.startswith(text)
    assert found.fix == ("" if text == ASKED else "sayso serve --sign-in")


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (httpx.Response(200, json={"person": "you", "needs_login": False}), NOT_ASKED),
        (httpx.Response(200, json={"person": None, "needs_login": True}), ASKED),
        (httpx.Response(502, text="away"), NOT_ASKED),
    ],
    ids=["no login", "login", "no answer"],
)
def test_a_server_that_runs_says_it_itself(
    reply: httpx.Response, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Its settings are its own: those of this shell may be others."""
    health = {"status": "ok", "detail": "", "fix": ""}

    def answer(request: httpx.Request) -> httpx.Response:
        is_health = request.url.path == "/api/health"
        return httpx.Response(200, json=health) if is_health else reply

    client = httpx.Client(transport=httpx.MockTransport(answer), base_url="http://here")
    monkeypatch.setattr(doctor, "running_server", lambda data: client)
    (found,) = said(Settings(port=0, data_dir=tmp_path, tokens=[TOKEN]))
    assert found.text.startswith(text)
