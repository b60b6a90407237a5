"""A browser that signed in: for how long its cookie stands for the token it was got with.

What is kept are digests: who reads the database can show neither the cookie nor the token.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """One browser of one person. It ends by a sign-out, after a while without a request, or for
    good; and with its token."""

    id: str
    app_id: str
    token: str
    began_at: datetime
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class SignInLength:
    """How long a sign-in may last: without a request, and at all."""

    idle: timedelta
    total: timedelta

    def is_over(self, sign_in: SignIn, now: datetime) -> bool:
        return now - sign_in.seen_at >= self.idle or now - sign_in.began_at >= self.total

    def is_worth_noting(self, sign_in: SignIn, now: datetime) -> bool:
        """Return whether a request moves the end by so much that it is worth a write."""
        return now - sign_in.seen_at >= self.idle / 20


def digest_of(secret: str) -> str:
    """Return what is kept of a cookie or a token: both are random, so nobody can guess it back."""
    return hashlib.sha256(b"sayso session\n" + secret.encode()).hexdigest()
