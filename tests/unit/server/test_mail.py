"""A mail that cannot be handed in is not delivered, whatever stands in its way."""

import smtplib
from datetime import UTC, datetime
from email.message import EmailMessage
from typing import Any, cast

import pytest

from sayso.server import mail
from sayso.server.mail import MailServer
from sayso.server.outgoing import NotDelivered


class OffersPlainLogin(smtplib.SMTP):
    ehlo_resp, does_esmtp = b"here", True

    def __init__(self) -> None:
        super().__init__()
        self.esmtp_features = {"auth": "PLAIN"}


async def test_a_password_that_a_plain_login_cannot_say_ends_no_round(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It would take the notices to browsers and webhooks with it."""
    monkeypatch.setattr(mail, "written", lambda *_: EmailMessage())
    monkeypatch.setattr(MailServer, "_connected", lambda *_: OffersPlainLogin())
    server = MailServer.read("smtp://ada:gr%C3%BCn@localhost:25", "sayso@example.org")
    with pytest.raises(NotDelivered, match="ascii"):
        await server.send(cast("Any", None), datetime.now(UTC))
