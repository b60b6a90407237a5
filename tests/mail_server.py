"""A mail server on loopback that keeps what was handed in, as far as SMTP (RFC 5321) needs it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage

#: A hang, not a measure.
GUARD_SECONDS = 60


@dataclass
class MailServerOfTests:
    """Keeps mails, and answers their end as the test says."""

    answers: list[str] = field(default_factory=list)
    mails: list[EmailMessage] = field(default_factory=list)
    url: str = ""

    async def until(self, count: int) -> list[EmailMessage]:
        async with asyncio.timeout(GUARD_SECONDS):
            while len(self.mails) < count:  # noqa: ASYNC110  # it is another program
                await asyncio.sleep(0.01)
        return self.mails

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 here\r\n")
        while line := (await reader.readline()).decode().strip().upper():
            if line.startswith("DATA"):
                writer.write(b"354 go on\r\n")
                whole = await reader.readuntil(b"\r\n.\r\n")
                mail = message_from_bytes(whole.removesuffix(b".\r\n"), policy=policy.default)
                assert isinstance(mail, EmailMessage)
                self.mails.append(mail)
                answer = self.answers.pop(0) if self.answers else "250 taken"
                writer.write(f"{answer}\r\n".encode())
            else:
                writer.write(b"221 bye\r\n" if line == "QUIT" else b"250 well\r\n")
            await writer.drain()
            if line == "QUIT":
                break
        writer.close()


@asynccontextmanager
async def mail_server(*answers: str) -> AsyncIterator[MailServerOfTests]:
    taking = MailServerOfTests([*answers])
    server = await asyncio.start_server(taking, "127.0.0.1", 0)
    taking.url = f"smtp://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield taking
