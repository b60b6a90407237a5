"""What a person changes of the requirements beside the chat: one value, or all of them at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import JsonValue

from sayso.core.cards import CardKind, RequirementsCard
from sayso.core.digest import JsonObject
from sayso.core.errors import NotFound, NotSupportedError, VersionConflict
from sayso.core.inbox import InteractionFilter
from sayso.core.interactions import Interaction, InteractionState
from sayso.core.segments import HoldsRequirements

if TYPE_CHECKING:
    from sayso.engine.engine import Engine


async def change(
    engine: Engine, app_id: str, chat_id: str, field: str, value: JsonValue, *, by: str | None
) -> None:
    """Set one value. Where an open card shows it, that is an edit of the card, which opens anew."""
    holder = await _holder(engine, app_id, chat_id)
    shown = await _card_with(engine, app_id, chat_id, field)
    if shown is not None and value is not None:
        digest = shown.proposal.digest if shown.proposal is not None else None
        edits: JsonObject = {field: value}
        body = {
            "approved": True,
            "response_data": {"edits": edits},
            "metadata": {"digest": digest},
        }
        await engine.answer(app_id, shown.id, body, key=None, by=by)
        return
    while True:
        kept = await engine.store.requirements(app_id, chat_id)
        changed = holder.edited(kept, field, value, at=engine.clock.now())
        try:
            frames = await engine.store.change_requirements(app_id, chat_id, changed, by=by)
        except VersionConflict:
            continue  # a message was read in between; the change is made on what it left
        engine.workforce.told(app_id, frames)
        return


async def start_over(engine: Engine, app_id: str, chat_id: str, *, by: str | None) -> None:
    """Nothing is known any more: the open run goes with its cards, and no grant holds."""
    holder = await _holder(engine, app_id, chat_id)
    await engine.workforce.keep_texts(app_id, chat_id)
    cancelled = await engine.store.start_over(
        app_id,
        chat_id,
        holder.started_over,
        reason="Started over.",
        by=by,
        lease=engine.workforce.lease(),
    )
    engine.workforce.told(app_id, cancelled)


async def _card_with(engine: Engine, app_id: str, chat_id: str, field: str) -> Interaction | None:
    wanted = InteractionFilter(
        status=InteractionState.PENDING, chat_id=chat_id, kind=CardKind.REQUIREMENTS.value
    )
    for it in await engine.store.interactions(app_id, wanted):
        if isinstance(it.card, RequirementsCard) and field in it.card.tool_params:
            return it
    return None


async def _holder(engine: Engine, app_id: str, chat_id: str) -> HoldsRequirements:
    view = await engine.store.load_view(app_id, chat_id, limit=1)
    if view is None:
        raise NotFound(f"There is no chat '{chat_id}'.")
    program: object = engine.programs.get(view.agent)
    if not isinstance(program, HoldsRequirements):
        raise NotSupportedError(
            f"The agent '{view.agent}' has no actions behind a gate.",
            fix="Do this in a chat with an agent that has some: `App.action` or `App.guard`.",
        )
    return program
