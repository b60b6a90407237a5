"""Clients of servers on this machine, which no proxy stands before. They read no certificates: that
takes longer than a request.
"""

from __future__ import annotations

from collections.abc import Mapping

import httpx

#: Nothing here takes this long; it only ends a test that hangs.
GUARD_SECONDS = 120.0


def client_of(
    url: str, *, headers: Mapping[str, str] | None = None, timeout: float = GUARD_SECONDS
) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        base_url=url, headers=headers, timeout=timeout, trust_env=False, verify=False
    )
