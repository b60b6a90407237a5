"""Changes what is known of an action's requirements, as a person does beside the chat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from sayso.core.cards import CardKind, RequirementsCard
from sayso.core.errors import NotFound, NotSupportedError, VersionConflict
from sayso.core.feed import Frame
from sayso.core.inbox import InteractionFilter
from sayso.core.interactions import Interaction, InteractionState
from sayso.core.ports import Clock, Store
from sayso.core.segments import HoldsRequirements, Program


class RequirementEdits:
    """Each method raises NotFound for an unknown chat, and NotSupportedError where its agent has no
    actions."""

    def __init__(self, store: Store, clock: Clock, programs: Mapping[str, Program]) -> None:
        self._store, self._clock, self._programs = store, clock, programs

    async def holder(self, app_id: str, chat_id: str) -> HoldsRequirements:
        """Return the program of this chat's agent."""
        view = await self._store.load_view(app_id, chat_id, limit=1)
        if view is None:
            raise NotFound(f"There is no chat '{chat_id}'.")
        program: object = self._programs.get(view.agent)
        if not isinstance(program, HoldsRequirements):
            raise NotSupportedError(
                f"The agent '{view.agent}' has no actions behind a gate.",
                fix="Do this in a chat with an agent that has some: `App.action` or `App.guard`.",
            )
        return program

    async def open_card_with(self, app_id: str, chat_id: str, field: str) -> Interaction | None:
        """Return the open card that shows this field."""
        await self.holder(app_id, chat_id)
        wanted = InteractionFilter(
            status=InteractionState.PENDING, chat_id=chat_id, kind=CardKind.REQUIREMENTS.value
        )
        for it in await self._store.interactions(app_id, wanted):
            if isinstance(it.card, RequirementsCard) and field in it.card.tool_params:
                return it
        return None

    async def set_value(
        self, app_id: str, chat_id: str, field: str, value: JsonValue, *, by: str | None
    ) -> Sequence[Frame]:
        """Set one value, or clear it with None. Raises InvalidInput too."""
        holder = await self.holder(app_id, chat_id)
        while True:
            known = await self._store.requirements(app_id, chat_id)
            changed = holder.edited(known, field, value, at=self._clock.now())
            try:
                return await self._store.change_requirements(app_id, chat_id, changed, by=by)
            except VersionConflict:
                continue  # a message was read in between; the change is made on what it left
