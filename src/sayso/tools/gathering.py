"""Several steps at once: every question among them is registered before the run suspends."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sayso.tools.pause import Pause


async def all_of(tasks: Sequence[asyncio.Task[object]]) -> list[object]:
    """Wait for all of them; then their values, one Pause with all that they ask, or the first error
    by position."""
    try:
        if tasks:
            await asyncio.wait(tasks)
    except asyncio.CancelledError:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
    raised = [exc for task in tasks if (exc := task.exception()) is not None]
    for exc in raised:
        if not isinstance(exc, Exception | Pause):
            raise exc
    pauses = [exc for exc in raised if isinstance(exc, Pause)]
    if pauses:
        raise Pause([request for pause in pauses for request in pause.requests])
    for exc in raised:
        raise exc
    return [task.result() for task in tasks]
