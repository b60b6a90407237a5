"""Mail to people who are away: a title and a link, by the operator's mail server."""

from __future__ import annotations

import asyncio
import re
import smtplib
import ssl
from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Self
from urllib.parse import unquote, urlsplit

from sayso.core.errors import InvalidInput
from sayso.core.messages import message, text_of
from sayso.core.pushes import MAILTO, PushNotice
from sayso.server.outgoing import DELIVERY_SECONDS, NotDelivered
from sayso.settings import LOOPBACK

_PORTS = {"smtp": 25, "smtps": 465}
#: One address, without a name: what stands before its last @ in characters that need no quotes.
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,253}")


@dataclass(frozen=True, slots=True)
class MailServer:
    """Where mails are handed in."""

    host: str
    port: int
    sender: Address
    #: Encrypted from the first byte; else as soon as the server offers it.
    is_tls: bool
    user: str = ""
    password: str = ""

    @classmethod
    def read(cls, url: str, sender: str) -> Self:
        """Read `smtp://user:password@host:587` or `smtps://…`. Raises InvalidInput."""
        try:
            parts = urlsplit(url)
            port = parts.port or _PORTS[parts.scheme]
            if not parts.hostname or parts.path.strip("/") or parts.query:
                raise ValueError
            return cls(
                parts.hostname,
                port,
                address(sender),
                parts.scheme == "smtps",
                unquote(parts.username or ""),
                unquote(parts.password or ""),
            )
        except (ValueError, KeyError) as exc:
            raise InvalidInput(
                "The mail server cannot be read.",
                fix="Set SAYSO_MAIL_SERVER to smtp://user:password@host:587 or smtps://…, and "
                "SAYSO_MAIL_FROM to the address that mails come from.",
            ) from exc

    async def send(self, notice: PushNotice, now: datetime) -> None:
        """Raises NotDelivered."""
        mail = written(notice, self.sender, now)
        try:
            await asyncio.to_thread(self._send, mail)
        except (OSError, smtplib.SMTPException, UnicodeError) as exc:
            # The last: a password that a plain login cannot say.
            raise NotDelivered(f"{type(exc).__name__}: {exc}") from exc

    def _send(self, mail: EmailMessage) -> None:
        secure = ssl.create_default_context()
        with self._connected(secure) as server:
            is_secret = self.is_tls or self.host in LOOPBACK
            if not self.is_tls and server.has_extn("starttls"):
                server.starttls(context=secure)
                is_secret = True
            if self.user:
                if not is_secret:
                    raise NotDelivered("The mail server offers no encryption for the password.")
                server.login(self.user, self.password)
            server.send_message(mail)

    def _connected(self, secure: ssl.SSLContext) -> smtplib.SMTP:
        if self.is_tls:
            server: smtplib.SMTP = smtplib.SMTP_SSL(
                self.host, self.port, timeout=DELIVERY_SECONDS, context=secure
            )
        else:
            server = smtplib.SMTP(self.host, self.port, timeout=DELIVERY_SECONDS)
        server.ehlo()
        return server


def address(text: str) -> Address:
    """Raises ValueError for what is no single address."""
    if not _ADDRESS.fullmatch(text):
        raise ValueError("This is no mail address.")
    return Address(addr_spec=text)


def written(notice: PushNotice, sender: Address, now: datetime) -> EmailMessage:
    """Return the mail: titles and a link, as every notice."""
    to, told = notice.to, notice.as_json()
    # A title of several lines would be several headers.
    title = " ".join(str(told["title"]).split())
    mail = EmailMessage()
    mail["Subject"] = title
    mail["From"] = sender
    mail["To"] = address(to.endpoint.removeprefix(MAILTO))
    mail["Date"] = format_datetime(now)
    mail["Message-ID"] = f"<{notice.id}@{sender.domain}>"
    # Nobody's holiday answers it.
    mail["Auto-Submitted"] = "auto-generated"
    said = message("push.why", page=f"{to.page}/preferences")
    why = text_of(said.code, said.params, to.language, stored=str(said))
    mail.set_content(f"{title}\n\n{to.page}{told['path']}\n\n-- \n{why}\n")
    return mail
