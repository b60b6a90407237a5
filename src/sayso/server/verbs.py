"""What a person can do: one function per verb, the same behind REST and behind a WebSocket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sayso.core.answers import read_answer
from sayso.core.decisions import check_together, is_approval
from sayso.core.digest import JsonObject
from sayso.core.errors import AnswerInvalid, NotFound
from sayso.core.events import Draft
from sayso.core.interactions import Interaction, InteractionResponse
from sayso.core.transactions import Posted, Settled
from sayso.engine.engine import Engine
from sayso.server.auth import Principal, Role
from sayso.server.bodies import (
    AnswerItem,
    CancelBody,
    DismissBody,
    DraftFrame,
    ExtendBody,
    MessageBody,
    RetryBody,
)
from sayso.server.limits import Limits


class Verbs:
    """Each checks the person's role and rate, asks the engine, and gives what the wire says."""

    def __init__(self, engine: Engine, limits: Limits) -> None:
        self.engine, self._limits = engine, limits

    async def post_message(self, who: Principal, chat_id: str, body: MessageBody) -> Posted:
        self.act(who)
        return await self.engine.post_message(
            who.app_id,
            chat_id,
            content=body.content,
            client_message_id=body.client_message_id,
            context=body.context,
            supersede=body.mode == "supersede",
            by=who.person,
        )

    async def answer(
        self,
        who: Principal,
        interaction_id: str,
        body: Mapping[str, object],
        *,
        key: str | None,
        together: bool = False,
    ) -> JsonObject:
        """`together`: this is one of several approvals given in one step."""
        self.act(who)

        def check(it: Interaction, response: InteractionResponse) -> None:
            if together and is_approval(it, response):
                check_together(it, response)

        settled = await self.engine.answer(
            who.app_id,
            interaction_id,
            body,
            key=key,
            by=who.person,
            allowed=who.may_answer,
            check=check,
        )
        return settled_json(settled)

    async def are_approvals_together(self, who: Principal, items: Sequence[AnswerItem]) -> bool:
        """Whether more than one of these answers lets something happen."""
        approvals = 0
        for item in items:
            it = await self.engine.store.interaction(who.app_id, item.interaction_id)
            if it is None or it.state.is_final:
                continue
            try:
                response = read_answer(it, item.body, reason_required=False)
            except AnswerInvalid:
                continue
            approvals += is_approval(it, response)
        return approvals > 1

    async def dismiss(self, who: Principal, interaction_id: str, body: DismissBody) -> JsonObject:
        self.act(who)
        who.may_answer(await self.interaction(who, interaction_id))
        settled = await self.engine.dismiss(
            who.app_id, interaction_id, reason=body.reason, by=who.person
        )
        return settled_json(settled)

    async def extend(self, who: Principal, interaction_id: str, body: ExtendBody) -> JsonObject:
        self.act(who)
        who.may_answer(await self.interaction(who, interaction_id))
        settled = await self.engine.extend(
            who.app_id, interaction_id, seconds=body.seconds, seen=body.seen, by=who.person
        )
        return settled.interaction.as_json()

    async def cancel(self, who: Principal, chat_id: str, body: CancelBody) -> JsonObject:
        self.act(who)
        done = await self.engine.cancel(
            who.app_id, chat_id=chat_id, reason=body.reason or "user_cancelled", by=who.person
        )
        if done.run is None:
            return {"run_id": None, "status": None}
        return {"run_id": done.run.id, "status": done.run.state.value}

    async def put_draft(self, who: Principal, chat_id: str, body: DraftFrame) -> Draft:
        """Keep what this person has typed into a card of this chat, for their other devices."""
        self.act(who)
        interaction = await self.engine.store.interaction(who.app_id, body.interaction_id)
        if interaction is None or interaction.chat_id != chat_id:
            raise no_interaction(body.interaction_id)
        draft = Draft(body.interaction_id, who.person, body.content)
        await self.engine.put_draft(who.app_id, draft)
        return draft

    async def retry(self, who: Principal, tool_call_id: str, body: RetryBody) -> Posted:
        self.act(who)
        return await self.engine.retry_tool_call(
            who.app_id, tool_call_id, arguments=body.arguments, by=who.person
        )

    def act(self, who: Principal) -> None:
        """Before anything is changed. Raises Forbidden, RateLimited."""
        who.require(Role.RESPONDER)
        self._limits.act(who)

    async def interaction(self, who: Principal, interaction_id: str) -> Interaction:
        found = await self.engine.store.interaction(who.app_id, interaction_id)
        if found is None:
            raise no_interaction(interaction_id)
        return found


def posted_json(posted: Posted) -> JsonObject:
    return {"run_id": posted.run_id, "message_id": posted.message_id, "status": posted.status}


def settled_json(settled: Settled) -> JsonObject:
    return {**settled.interaction.outcome(), "repeated": settled.repeated}


def no_interaction(interaction_id: str) -> NotFound:
    return NotFound(f"There is no interaction '{interaction_id}'.")
