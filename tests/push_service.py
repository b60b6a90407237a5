"""A push service on loopback, and a browser that subscribed there: it reads what only it can."""

from __future__ import annotations

import asyncio
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

CURVE = ec.SECP256R1()
#: A hang, not a measure.
GUARD_SECONDS = 60


@dataclass
class PushService:
    """Keeps what was pushed, as the browser reads it, and answers as the test says."""

    statuses: list[str] = field(default_factory=list)
    pushed: list[dict[str, Any]] = field(default_factory=list)
    claims: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""
    _key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(CURVE))
    _auth: bytes = b"sixteen bytes it"

    @property
    def subscription(self) -> dict[str, Any]:
        """As a browser's `PushSubscription` writes itself."""
        keys = {"p256dh": encoded(_point(self._key.public_key())), "auth": encoded(self._auth)}
        return {"endpoint": self.url, "expirationTime": None, "keys": keys}

    async def until(self, count: int) -> list[dict[str, Any]]:
        async with asyncio.timeout(GUARD_SECONDS):
            while len(self.pushed) < count:  # noqa: ASYNC110  # it is another program
                await asyncio.sleep(0.01)
        return self.pushed

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lines = [line.split(": ", 1) for line in head.splitlines()[1:] if ": " in line]
        headers = {name.lower(): value for name, value in lines}
        body = await reader.readexactly(int(headers["content-length"]))
        assert headers["content-encoding"] == "aes128gcm"
        assert int(headers["ttl"]) > 0
        self.claims.append(_checked_claims(headers["authorization"]))
        self.pushed.append(json.loads(self._decrypted(body)))
        status = self.statuses.pop(0) if self.statuses else "201 Created"
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())
        await writer.drain()
        writer.close()

    def _decrypted(self, body: bytes) -> bytes:
        """RFC 8291, from the side of the browser."""
        salt, length = body[:16], body[20]
        sender, secret = body[21 : 21 + length], body[21 + length :]
        sender_key = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, sender)
        info = b"WebPush: info\x00" + _point(self._key.public_key()) + sender
        shared = _hkdf(self._key.exchange(ec.ECDH(), sender_key), self._auth, info, 32)
        key = _hkdf(shared, salt, b"Content-Encoding: aes128gcm\x00", 16)
        nonce = _hkdf(shared, salt, b"Content-Encoding: nonce\x00", 12)
        padded = AESGCM(key).decrypt(nonce, secret, None)
        assert padded.endswith(b"\x02")
        return padded[:-1]


@asynccontextmanager
async def push_service(*statuses: str) -> AsyncIterator[PushService]:
    service = PushService([*statuses])
    server = await asyncio.start_server(service, "127.0.0.1", 0)
    service.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/wpush/v2/a"
    async with server:
        yield service


def _checked_claims(authorization: str) -> dict[str, Any]:
    """RFC 8292: the claims, once their signature was found to be of the key beside them."""
    token, _, key = authorization.removeprefix("vapid t=").partition(", k=")
    head, claims, signature = token.split(".")
    assert json.loads(decoded(head)) == {"typ": "JWT", "alg": "ES256"}
    raw = decoded(signature)
    r, s = (int.from_bytes(half, "big") for half in (raw[:32], raw[32:]))
    signer = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, decoded(key))
    algorithm = ec.ECDSA(hashes.SHA256())
    signer.verify(encode_dss_signature(r, s), f"{head}.{claims}".encode(), algorithm)
    return {**json.loads(decoded(claims)), "key": key}


def _hkdf(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)


def _point(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
