"""Settles a card with a person's answer: checked first, and again where the card has moved."""

from __future__ import annotations

from collections.abc import Callable

from sayso.core.errors import NotFound, StoreBusy
from sayso.core.interactions import Interaction, InteractionResponse
from sayso.core.ports import Store
from sayso.core.store_results import Checked, Lease, Settled

#: Reads an answer and checks it against its card; raises where it does not fit.
ReadAnswer = Callable[[Interaction], InteractionResponse]
#: A card moves when its agent asks again. No answer should meet that more often than this.
MOST_CHECKS = 10


async def settle_answer(
    store: Store,
    app_id: str,
    interaction_id: str,
    read: ReadAnswer,
    *,
    key: str | None,
    by: str | None,
    lease: Callable[[], Lease | None] = lambda: None,
) -> Settled:
    """Settle the card with what `read` makes of it. No transaction is open while it is checked, so
    that no schema and no answer can hold up another. Raises what `read` and the store raise."""
    it = await store.interaction(app_id, interaction_id)
    if it is None:
        raise NotFound(f"There is no interaction '{interaction_id}'.")
    for _ in range(MOST_CHECKS):
        checked = Checked(response=read(it), seen=it)
        outcome = await store.answer(app_id, checked, key=key, by=by, lease=lease())
        if isinstance(outcome, Settled):
            return outcome
        it = outcome.interaction
    raise StoreBusy(f"Interaction '{interaction_id}' moved each time its answer was checked.")
