"""Links that sign a browser in, once: who reads the server's terminal is its owner."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable


class SignInLinks:
    """One code at a time. When it has been used, the next is told."""

    def __init__(self, tell: Callable[[str], None] | None = None) -> None:
        self._tell, self._code = tell, ""

    @property
    def are_given(self) -> bool:
        """Whether anybody can sign in by one."""
        return self._tell is not None

    def give(self) -> None:
        """Make a code and tell it."""
        if self._tell is not None:
            self._code = secrets.token_urlsafe(32)
            self._tell(self._code)

    def use(self, code: str) -> bool:
        """Return whether this is the code; it is none from here on."""
        if not self._code or not hmac.compare_digest(self._code.encode(), code.encode()):
            return False
        self.give()
        return True
