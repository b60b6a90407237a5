"""What a person can change: one method each, the same behind REST and behind a WebSocket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from datetime import timedelta

from sayso.core.answer_parsing import read_answer
from sayso.core.attention import check_waits, new_claim
from sayso.core.chat_view import ArtifactItem, ChatView
from sayso.core.decisions import check_together, is_approval
from sayso.core.digest import JsonObject
from sayso.core.errors import (
    AnswerInvalid,
    Forbidden,
    InvalidInput,
    NotFound,
    NotSupportedError,
)
from sayso.core.events import Draft
from sayso.core.inbox import InteractionFilter
from sayso.core.interactions import Interaction, InteractionResponse, InteractionState
from sayso.core.messages import LANGUAGES, SOURCE
from sayso.core.ports import Store
from sayso.core.pushes import MAILTO, PushSubscription, id_of
from sayso.core.sessions import Run
from sayso.core.store_results import Posted, Settled
from sayso.core.ui_calls import UiCallRecord
from sayso.engine.engine import Engine
from sayso.server.auth import Principal, Role
from sayso.server.mail import address as mail_address
from sayso.server.outgoing import check_url
from sayso.server.problems import problem_of
from sayso.server.rate_limits import RateLimits
from sayso.server.requests import (
    AnswerItem,
    ArtifactBody,
    CancelBody,
    ChatPreferenceBody,
    ClaimBody,
    DismissBody,
    DraftFrame,
    ExtendBody,
    MessageBody,
    NewChatBody,
    NoticePlaceBody,
    PushSubscriptionBody,
    RenameBody,
    RequirementBody,
    RetryBody,
    SnoozeBody,
    UiRequestBody,
    UiResourceRead,
    UiToolCall,
    invalid_field,
    read_as,
)
from sayso.server.web_push import check_browser_keys


class PersonActions:
    """Each checks the person's role and rate, asks the engine, and returns what the wire says."""

    def __init__(self, engine: Engine, rate_limits: RateLimits) -> None:
        self._engine, self._rate_limits = engine, rate_limits

    async def post_message(self, who: Principal, chat_id: str, body: MessageBody) -> Posted:
        self._check_may_act(who)
        if body.mode == "supersede":
            await self._check_may_end_run(who, chat_id)
        return await self._engine.post_message(
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
        approved: Set[str] = frozenset(),
    ) -> JsonObject:
        """Settle a card. `approved` are the interactions that are approved in the same step."""
        self._check_may_act(who)

        asked_by = await self._asked_by(who, interaction_id)

        def check(it: Interaction, response: InteractionResponse) -> None:
            if who.signed_in and asked_by == who.person:
                raise Forbidden(
                    "Who asks cannot answer.", fix="Ask with a token of the role asker."
                )
            if approved - {it.id} and is_approval(it, response):
                check_together(it, response)

        settled = await self._engine.answer(
            who.app_id,
            interaction_id,
            body,
            key=key,
            by=who.person,
            signed_in=who.signed_in,
            allowed=who.may_answer,
            check=check,
        )
        return settled_json(settled)

    async def _asked_by(self, who: Principal, interaction_id: str) -> str | None:
        """Return who has asked this from outside; None for what an agent here asks."""
        it = await self._engine.store.interaction(who.app_id, interaction_id)
        if it is None or it.asker is None or not who.signed_in:
            return None
        run = await self._engine.store.run(who.app_id, it.run_id)
        return run.person if run is not None else None

    async def answer_many(self, who: Principal, items: Sequence[AnswerItem]) -> list[JsonObject]:
        """Settle or refuse each by itself, in this order."""
        approved = await self._approved_by(who, items)
        return [await self._one_of_many(who, item, approved) for item in items]

    async def _one_of_many(
        self, who: Principal, item: AnswerItem, approved: Set[str]
    ) -> JsonObject:
        result: JsonObject = {"interaction_id": item.interaction_id}
        try:
            result["ok"] = await self.answer(
                who, item.interaction_id, item.body, key=item.key, approved=approved
            )
        except Exception as exc:
            result["problem"] = problem_of(exc).document
        return result

    async def _approved_by(self, who: Principal, items: Sequence[AnswerItem]) -> set[str]:
        """Return the interactions in which one of these answers lets something happen."""
        approved: set[str] = set()
        for item in items:
            it = await self._engine.store.interaction(who.app_id, item.interaction_id)
            if it is None or it.state.is_final:
                continue
            try:
                response = read_answer(it, item.body, reason_required=False)
            except AnswerInvalid:
                continue
            if is_approval(it, response):
                approved.add(it.id)
        return approved

    async def dismiss(self, who: Principal, interaction_id: str, body: DismissBody) -> JsonObject:
        self._check_may_act(who)
        await self._one_to_answer(who, interaction_id)
        settled = await self._engine.dismiss(
            who.app_id, interaction_id, reason=body.reason, by=who.person
        )
        return settled_json(settled)

    async def extend(self, who: Principal, interaction_id: str, body: ExtendBody) -> JsonObject:
        self._check_may_act(who)
        await self._one_to_answer(who, interaction_id)
        settled = await self._engine.extend(
            who.app_id, interaction_id, seconds=body.seconds, seen=body.seen, by=who.person
        )
        return settled.interaction.as_json()

    async def claim(self, who: Principal, interaction_id: str, body: ClaimBody) -> None:
        self._check_may_act(who)
        it = await self._one_to_answer(who, interaction_id)
        new = new_claim(
            it,
            person=body.person or who.person,
            by=who.person,
            until=self._engine.clock.now() + timedelta(seconds=body.seconds),
            note=body.note,
        )
        await self._engine.put_claim(who.app_id, new, take_over=body.take_over)

    async def release(self, who: Principal, interaction_id: str) -> None:
        self._check_may_act(who)
        await find_interaction(self._engine.store, who, interaction_id)
        await self._engine.drop_claim(who.app_id, interaction_id, who.person)

    async def snooze(self, who: Principal, interaction_id: str, body: SnoozeBody) -> None:
        """Put a card off, for this person alone, who may be a viewer."""
        self._rate_limits.count_action(who)
        it = await self._one_to_answer(who, interaction_id)
        check_waits(it)
        if body.until <= self._engine.clock.now():
            raise invalid_field("until", "needs to be later than now")
        await self._engine.put_snooze(who.app_id, it.id, who.person, body.until)

    async def unsnooze(self, who: Principal, interaction_id: str) -> None:
        self._rate_limits.count_action(who)
        await find_interaction(self._engine.store, who, interaction_id)
        await self._engine.drop_snooze(who.app_id, interaction_id, who.person)

    async def _one_to_answer(self, who: Principal, interaction_id: str) -> Interaction:
        """Return what this person may settle. Raises NotFound, Forbidden."""
        it = await find_interaction(self._engine.store, who, interaction_id)
        who.may_answer(it)
        return it

    async def cancel(self, who: Principal, chat_id: str, body: CancelBody) -> JsonObject:
        self._check_may_act(who)
        await self._check_may_end_run(who, chat_id)
        done = await self._engine.cancel(
            who.app_id, chat_id=chat_id, reason=body.reason or "user_cancelled", by=who.person
        )
        return run_json(done.run) if done.run is not None else {"run_id": None, "status": None}

    async def withdraw(self, who: Principal, chat_id: str, message_id: str) -> JsonObject:
        self._check_may_act(who)
        done = await self._engine.withdraw(who.app_id, chat_id, message_id, by=who.person)
        assert done.run is not None
        return run_json(done.run)

    async def put_draft(self, who: Principal, chat_id: str, body: DraftFrame) -> Draft:
        """Keep what this person has typed into a card of this chat, for their other devices."""
        self._check_may_act(who)
        it = await find_interaction(self._engine.store, who, body.interaction_id)
        if it.chat_id != chat_id:
            raise _no_interaction(body.interaction_id)
        draft = Draft(body.interaction_id, who.person, body.content)
        await self._engine.put_draft(who.app_id, draft)
        return draft

    async def retry(self, who: Principal, tool_call_id: str, body: RetryBody) -> Posted:
        self._check_may_act(who)
        return await self._engine.retry_tool_call(
            who.app_id, tool_call_id, arguments=body.arguments, by=who.person
        )

    async def ask_for_ui(
        self, who: Principal, tool_call_id: str, body: UiRequestBody
    ) -> JsonObject | UiCallRecord:
        """Do what a tool's own UI asks for, in this person's name."""
        self._check_may_act(who)
        self._rate_limits.count_ui(who, tool_call_id)
        uis = self._engine.uis
        match body.method:
            case "tools/call":
                call = read_as(UiToolCall, body.params)
                return await uis.call(
                    who.app_id, tool_call_id, call.name, call.arguments, by=who.person
                )
            case "resources/read":
                uri = read_as(UiResourceRead, body.params).uri
                return await uis.read(who.app_id, tool_call_id, uri, by=who.person)
            case _:
                raise NotSupportedError(f"This host does not do '{body.method}'.", fix="")

    async def retry_run(self, who: Principal, run_id: str) -> JsonObject:
        self._check_may_act(who)
        return run_json(await self._engine.retry_run(who.app_id, run_id, by=who.person))

    async def create_chat(self, who: Principal, body: NewChatBody) -> ChatView:
        self._check_may_act(who)
        return await self._engine.create_chat(
            who.app_id, agent=body.agent, title=body.title, by=who.person
        )

    async def rename_chat(self, who: Principal, chat_id: str, body: RenameBody) -> None:
        self._check_may_act(who)
        await self._engine.rename_chat(who.app_id, chat_id, body.title, by=who.person)

    async def set_chat_preference(
        self, who: Principal, chat_id: str, body: ChatPreferenceBody
    ) -> None:
        self._check_may_act(who)
        await self._engine.set_chat_preference(
            who.app_id, chat_id, body.key, body.value, by=who.person
        )

    async def change_requirement(self, who: Principal, chat_id: str, body: RequirementBody) -> None:
        self._check_may_act(who)
        await self._engine.change_requirement(
            who.app_id, chat_id, body.field, body.value, by=who.person
        )

    async def start_over(self, who: Principal, chat_id: str) -> None:
        self._check_may_act(who)
        await self._check_may_end_run(who, chat_id)
        await self._engine.start_over(who.app_id, chat_id, by=who.person)

    async def put_artifact(
        self, who: Principal, artifact_id: str, body: ArtifactBody, *, if_match: str
    ) -> ArtifactItem:
        """Write the next version. `if_match` is the ETag of the version it was made from."""
        self._check_may_act(who)
        version = if_match.removeprefix("W/").strip('"')
        if not (version.isascii() and version.isdigit()):
            raise InvalidInput(
                "If-Match does not name the version that was changed.",
                fix='Send the ETag of the version you changed: If-Match: "3".',
                context={
                    "errors": [{"path": "header/if-match", "message": "needs to be a version"}]
                },
            )
        return await self._engine.put_artifact(
            who.app_id,
            artifact_id,
            content=body.content,
            title=body.title,
            if_version=int(version),
            by=who.person,
        )

    async def put_preferences(self, who: Principal, values: JsonObject) -> JsonObject:
        """Set these choices of this person, who may be a viewer."""
        self._rate_limits.count_action(who)
        return await self._engine.store.put_preferences(who.app_id, who.person, values)

    async def put_push_subscription(
        self, who: Principal, body: PushSubscriptionBody, *, can_push: bool
    ) -> JsonObject:
        self._check_may_act(who)
        if not can_push:
            raise NotSupportedError(
                "This server sends no push notices.", fix="Install sayso[push] on it."
            )
        check_url(body.endpoint, field="endpoint")
        check_browser_keys(body.keys.p256dh, body.keys.auth)
        place = self._new_place(who, id_of(body.endpoint), body.endpoint, body.language)
        new = replace(place, p256dh=body.keys.p256dh, auth=body.keys.auth)
        await self._engine.store.put_push_subscription(new)
        return {"id": new.id}

    async def put_notice_place(
        self, who: Principal, body: NoticePlaceBody, *, page: str, can_mail: bool
    ) -> PushSubscription:
        self._check_may_act(who)
        endpoint = _endpoint_of(body.address.strip(), can_mail=can_mail)
        place_id = id_of(endpoint, who.person)
        new = replace(self._new_place(who, place_id, endpoint, body.language), page=page)
        await self._engine.store.put_push_subscription(new)
        return new

    def _new_place(
        self, who: Principal, place_id: str, endpoint: str, language: str
    ) -> PushSubscription:
        now = self._engine.clock.now()
        return PushSubscription(
            app_id=who.app_id,
            id=place_id,
            person=who.person,
            endpoint=endpoint,
            language=language if language in LANGUAGES else SOURCE,
            created_at=now,
            told_until=now,
            due_at=now,
        )

    async def forget_push_subscription(self, who: Principal, subscription_id: str) -> None:
        self._check_may_act(who)
        await self._engine.store.forget_push_subscription(who.app_id, subscription_id, who.person)

    async def _check_may_end_run(self, who: Principal, chat_id: str) -> None:
        """Raise Forbidden unless this person may settle every open card of the chat: they end with
        the run."""
        if who.role >= Role.ADMIN:
            return
        wanted = InteractionFilter(status=InteractionState.PENDING, chat_id=chat_id)
        for it in await self._engine.store.interactions(who.app_id, wanted, limit=1000):
            try:
                who.may_answer(it)
            except Forbidden as exc:
                raise Forbidden(
                    f"This would end what waits for somebody else: {exc.detail}",
                    fix="Ask them to settle it, or an admin to cancel.",
                ) from exc

    def _check_may_act(self, who: Principal) -> None:
        """Check role and rate before anything is changed. Raises Forbidden, RateLimited."""
        who.require(Role.RESPONDER)
        self._rate_limits.count_action(who)


def _endpoint_of(given: str, *, can_mail: bool) -> str:
    """Raises InvalidInput, and NotSupportedError where no mails are sent."""
    if "://" in given:
        check_url(given, field="address")
        return given
    try:
        mail_address(given)
    except ValueError as exc:
        needed = "is neither a mail address nor an http or https URL"
        raise invalid_field("address", needed) from exc
    if not can_mail:
        raise NotSupportedError("This server sends no mails.", fix="Set SAYSO_MAIL_SERVER on it.")
    return f"{MAILTO}{given}"


async def find_interaction(store: Store, who: Principal, interaction_id: str) -> Interaction:
    """Return the interaction. Raises NotFound."""
    found = await store.interaction(who.app_id, interaction_id)
    if found is None:
        raise _no_interaction(interaction_id)
    return found


async def find_chat(
    store: Store, who: Principal, chat_id: str, *, before: int | None = None, limit: int = 50
) -> ChatView:
    """Return a page of the chat. Raises NotFound."""
    view = await store.load_view(who.app_id, chat_id, before=before, limit=limit)
    if view is None:
        raise NotFound(f"There is no chat '{chat_id}'.")
    return view


def run_json(run: Run) -> JsonObject:
    return {"run_id": run.id, "status": run.state.value}


def posted_json(posted: Posted) -> JsonObject:
    return {"run_id": posted.run_id, "message_id": posted.message_id, "status": posted.status}


def settled_json(settled: Settled) -> JsonObject:
    return {**settled.interaction.settlement(), "repeated": settled.repeated}


def _no_interaction(interaction_id: str) -> NotFound:
    return NotFound(f"There is no interaction '{interaction_id}'.")
