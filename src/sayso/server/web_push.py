"""Web Push as push services and browsers read it: a payload that only the browser can read (RFC
8291), and a header that says which server sends (VAPID, RFC 8292).

The cryptography is an extra, `sayso[push]`, imported when it is used; without it nobody is offered
a push.
"""

from __future__ import annotations

import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.util import find_spec
from typing import TYPE_CHECKING

import httpx
import orjson

from sayso.core.errors import InvalidInput

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import (
        EllipticCurvePrivateKey,
        EllipticCurvePublicKey,
    )

#: Push services refuse a header that holds for more than a day.
HEADER_HOLDS = timedelta(hours=12)
_RECORD_BYTES = 4096


def is_available() -> bool:
    return find_spec("cryptography") is not None


@dataclass(frozen=True, slots=True)
class PushKey:
    """What a server signs with. A browser's subscription is to the one key it was given."""

    private: EllipticCurvePrivateKey
    #: Whom a push service may write to, as a mailto: or https: address.
    contact: str | None = None

    @classmethod
    def read(cls, text: str, contact: str | None = None) -> PushKey:
        """Raises InvalidInput."""
        from cryptography.hazmat.primitives.asymmetric import ec

        try:
            number = int.from_bytes(decoded(text.strip()), "big")
            return cls(ec.derive_private_key(number, ec.SECP256R1()), contact)
        except ValueError as exc:
            raise InvalidInput(
                "The key of the push notices cannot be read.",
                fix="Remove the file push.key; each browser has to be told again then.",
            ) from exc

    @property
    def public(self) -> str:
        """As a browser takes it (`applicationServerKey`)."""
        return encoded(_point(self.private.public_key()))

    def authorization(self, endpoint: str, now: datetime) -> str:
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

        url = httpx.URL(endpoint)
        claims: dict[str, object] = {
            "aud": f"{url.scheme}://{url.netloc.decode()}",
            "exp": int((now + HEADER_HOLDS).timestamp()),
        }
        if self.contact is not None:
            claims["sub"] = self.contact
        parts = ({"typ": "JWT", "alg": "ES256"}, claims)
        signed = ".".join(encoded(orjson.dumps(part)) for part in parts)
        r, s = decode_dss_signature(self.private.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
        signature = encoded(r.to_bytes(32, "big") + s.to_bytes(32, "big"))
        return f"vapid t={signed}.{signature}, k={self.public}"


def new_push_key() -> str:
    """Return a private key as its file holds it."""
    from cryptography.hazmat.primitives.asymmetric import ec

    number = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
    return encoded(number.to_bytes(32, "big"))


def check_browser_keys(p256dh: str, auth: str) -> None:
    """Raises InvalidInput for keys that nothing can be encrypted for."""
    try:
        _browser_key(decoded(p256dh))
        is_one = len(decoded(auth)) == 16
    except ValueError:
        is_one = False
    if not is_one:
        raise InvalidInput("The keys are not those of a push subscription.")


def encrypted(
    payload: bytes,
    p256dh: str,
    auth: str,
    *,
    salt: bytes | None = None,
    own: EllipticCurvePrivateKey | None = None,
) -> bytes:
    """Return the body of a push (`aes128gcm`), for just this browser. Salt and key are new each
    time; a test gives those of the standard."""
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    def derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
        return HKDF(hashes.SHA256(), length, salt, info).derive(secret)

    salt = salt or secrets.token_bytes(16)
    own = own or ec.generate_private_key(ec.SECP256R1())
    browser, mine = decoded(p256dh), _point(own.public_key())
    shared = own.exchange(ec.ECDH(), _browser_key(browser))
    both = b"WebPush: info\0" + browser + mine
    secret = derived(shared, decoded(auth), both, 32)
    key = derived(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = derived(secret, salt, b"Content-Encoding: nonce\0", 12)
    header = salt + _RECORD_BYTES.to_bytes(4, "big") + bytes([len(mine)]) + mine
    return header + AESGCM(key).encrypt(nonce, payload + b"\x02", None)


def encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    """Raises ValueError."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _browser_key(point: bytes) -> EllipticCurvePublicKey:
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)


def _point(key: EllipticCurvePublicKey) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
