"""What was approved is written once, however often the database has to be waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count

from sayso import ToolContext, ToolUnavailable, Unanswered
from sayso.core.digest import JsonObject
from sayso.packs.openlca.backend import Away, Backend, Changes
from sayso.packs.openlca.rpc import STEPS

_AWAY = "openLCA did not answer. Your approval is kept: shall I try again?"
_AGAIN, _LEAVE = "again", "leave"
_CHOICES: list[JsonObject] = [
    {
        "id": _AGAIN,
        "label": "Try again",
        "description": "Looks first whether it was written after all, and writes it once",
    },
    {"id": _LEAVE, "label": "Leave it", "description": "It is not tried any more"},
]


async def commit(
    database: Backend, ctx: ToolContext, write: Callable[[Changes], JsonObject]
) -> JsonObject:
    """Write under the key of this call. While the database is away, the call waits for a person,
    who has approved it already and says when to try again.

    Raises ToolUnavailable where it is not to be tried any more.
    """
    # Each time that found nobody has been followed by a question: what was answered to it comes
    # before anything else is written.
    before = database.times_away(ctx.idempotency_key)
    for number in count():
        if number >= before:
            try:
                return await asyncio.to_thread(database.write_once, ctx.idempotency_key, write)
            except Away as exc:
                why = str(exc)
        else:
            why = ""
        context: JsonObject = {"what_happened": why} if why else {}
        try:
            chosen = await ctx.choose(
                _AWAY, _CHOICES, notes=False, context={**context, "to_do": [*STEPS]}
            )
        except Unanswered:
            break
        if chosen.id == _LEAVE:
            break
    raise ToolUnavailable("openLCA did not answer, and it was not tried again.")
