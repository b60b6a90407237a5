"""A story told to a store: the verbs of people and segments, and what must hold after each test."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from pydantic import JsonValue

from sayso.core.cards import (
    ApprovalCard,
    Card,
    FormCard,
    HoldCard,
    OptionsCard,
    RequirementsCard,
)
from sayso.core.chat_view import ChatView
from sayso.core.children import ChildRequest, Request
from sayso.core.digest import JsonObject
from sayso.core.events import ChatEvent, EventData, MessageWritten, ToolCalled
from sayso.core.feed import Frame
from sayso.core.interactions import (
    CardRequest,
    Interaction,
    InteractionResponse,
    OnExpiry,
    Proposal,
    ResponseData,
)
from sayso.core.ports import Store
from sayso.core.sessions import RunState, SavedState
from sayso.core.store_results import (
    Checked,
    Claimed,
    Fence,
    Lease,
    NewMessage,
    Posted,
    Settled,
    Waited,
)
from sayso.core.tasks import TaskRequest, UniversalMessage
from sayso.engine.settle_answer import settle_answer
from sayso.testing.clock import FakeClock
from sayso.testing.fold import fold

APP = "acme"
LEASE = Lease("lock:one", 30.0, frozenset({"desk"}))
OTHER_LEASE = Lease("lock:two", 30.0, frozenset({"desk"}))
#: Of a process that may run the agent that tasks are handed to as well.
BOTH = Lease("lock:one", 30.0, frozenset({"desk", "clerk"}))
SAVED = SavedState(adapter="scripted", version="1", blob=b"state\x00\xff", journal=b"journal")


def question(key: str = "q", *, options: tuple[str, ...] = (), **more: object) -> CardRequest:
    """A question; without options it is a free one, which plain words answer."""
    card = OptionsCard.model_validate({"title": "Which?", "question": "Which?", "options": options})
    return request(key, card, ui_tool_id="request_user_input", **more)


def handed(key: str = "part", words: str = "count them", agent: str = "clerk") -> ChildRequest:
    """A task for another agent."""
    task = TaskRequest(
        task_id=f"task-of-{key}-{words}", messages=[UniversalMessage(role="user", content=words)]
    )
    return ChildRequest(call_key=key, agent=agent, task=task)


def gate_card() -> CardRequest:
    values: JsonObject = {"destination": "Rome"}
    card = RequirementsCard(title="Go?", tool_name="create", tool_params=values, known=[])
    return request("card", card, ui_tool_id="requirements")


def approval(
    key: str = "k", *, amount: int = 10, revision: int = 1, offers: bool = False, **more: object
) -> CardRequest:
    """`offers`: the answer may say "always allow in this chat"."""
    arguments: JsonObject = {"order": 1001, "amount": amount}
    card = ApprovalCard(
        title="Refund", tool_name="refund", tool_params=arguments, may_be_remembered=offers
    )
    proposal = Proposal(tool_name="refund", arguments=arguments, revision=revision)
    more.setdefault("tool_call_id", f"call-{key}")
    return request(key, card, ui_tool_id="request_user_approval", proposal=proposal, **more)


def form(key: str = "f", **more: object) -> CardRequest:
    schema: JsonObject = {"type": "object", "properties": {"street": {"type": "string"}}}
    card = FormCard(title="Delivery", response_schema=schema)
    return request(key, card, ui_tool_id="delivery", **more)


def request(key: str, card: Card, *, ui_tool_id: str, **more: object) -> CardRequest:
    return CardRequest(call_key=key, card=card, ui_tool_id=ui_tool_id, agent_name="desk", **more)  # type: ignore[arg-type]


def held(key: str = "h") -> CardRequest:
    """What was approved, and can still be taken back."""
    return request(key, HoldCard(title="Refund", tool_name="refund"), ui_tool_id="hold")


def in_time(
    seconds: float, action: str = "reject", answer: JsonObject | None = None
) -> dict[str, Any]:
    """The parts of a request that give it a time."""
    return {
        "expires_in": timedelta(seconds=seconds),
        "on_expiry": OnExpiry.model_validate({"action": action, "answer": answer}),
    }


def says(words: str, client_id: str, **more: object) -> NewMessage:
    task = TaskRequest(
        task_id=f"task-{client_id}", messages=[UniversalMessage(role="user", content=words)]
    )
    fields: dict[str, object] = {"task": task, "by": "ada", **more}
    return NewMessage(content=words, client_message_id=client_id, **fields)  # type: ignore[arg-type]


def yes(it: Interaction, **data: JsonValue) -> InteractionResponse:
    return InteractionResponse(
        interaction_id=it.id,
        approved=True,
        response_data=ResponseData.model_validate(data),
        metadata={"digest": it.digest},
    )


def no(it: Interaction, reason: str = "Too much") -> InteractionResponse:
    return InteractionResponse(interaction_id=it.id, approved=False, user_message=reason)


def types(frames: object) -> list[str]:
    """What the frames tell, one word each: `run:waiting`, `message:queued`, `ui_tool`."""
    said = []
    for frame in frames:  # type: ignore[attr-defined]
        data = frame.body.data
        status = getattr(data, "status", None)
        word = data.type.removeprefix("chat.")
        said.append(f"{word}:{status}" if status is not None else word)
    return said


class Story:
    def __init__(self, store: Store, clock: FakeClock) -> None:
        self.store, self.clock = store, clock
        self._messages = 0
        self._bases: dict[tuple[str, str], ChatView] = {}

    async def chat(self, *, app: str = APP, title: str = "", agent: str = "desk") -> str:
        view = await self.store.create_chat(app, agent=agent, title=title, by="ada")
        self._bases[app, view.id] = ChatView(
            id=view.id,
            app_id=app,
            log_id=view.log_id,
            agent=view.agent,
            created_at=view.created_at,
        )
        return view.id

    async def say(
        self, chat_id: str, words: str = "do it", *, lease: Lease | None = LEASE, **more: object
    ) -> Posted:
        self._messages += 1
        message = says(words, f"m{self._messages}", **more)
        return await self.store.post_message(APP, chat_id, message, lease)

    async def begin(self, words: str = "do it", *, lease: Lease | None = LEASE) -> Claimed:
        """A new chat whose first message is being worked on."""
        posted = await self.say(await self.chat(), words, lease=lease)
        assert posted.claimed is not None
        return posted.claimed

    async def ask(
        self, fence: Fence, *requests: Request, each: bool = False, lease: Lease | None = None
    ) -> Waited:
        return await self.store.wait(fence, SAVED, requests, resume_each=each, lease=lease)

    async def waiting(self, *requests: Request, each: bool = False) -> tuple[Fence, Waited]:
        """A new chat whose run waits for these."""
        fence = (await self.begin()).fence
        return fence, await self.ask(fence, *requests, each=each)

    async def answer(
        self,
        it: Interaction,
        response: InteractionResponse | None = None,
        *,
        key: str | None = None,
        lease: Lease | None = LEASE,
        by: str | None = "ada",
    ) -> Settled:
        said = response if response is not None else yes(it, additional_notes="the red one")
        checked = Checked(response=said, seen=it)
        settled = await self.store.answer(it.app_id, checked, key=key, by=by, lease=lease)
        if isinstance(settled, Settled):
            return settled
        return await settle_answer(
            self.store, it.app_id, it.id, lambda _: said, key=key, by=by, lease=lambda: lease
        )

    async def finish(
        self, fence: Fence, *events: EventData, lease: Lease | None = None
    ) -> list[Frame]:
        ended = await self.store.finish(fence, RunState.COMPLETED, events=events, lease=lease)
        return list(ended.frames)

    async def state(self, run_id: str) -> RunState:
        run = await self.store.run(APP, run_id)
        assert run is not None
        return run.state

    async def view(self, chat_id: str, *, app: str = APP) -> ChatView:
        view = await self.store.load_view(app, chat_id, limit=10_000)
        assert view is not None
        return view

    async def events(self, chat_id: str, *, app: str = APP) -> list[ChatEvent]:
        frames = await self.store.events_after(app, chat_id, 0, limit=10_000)
        return [frame.body for frame in frames if isinstance(frame.body, ChatEvent)]

    async def whole(self, chat_id: str, *, app: str = APP) -> ChatView:
        """The fold of the whole log, from the empty chat."""
        return fold(self._bases[app, chat_id], await self.events(chat_id, app=app))

    async def check(self) -> None:
        """What holds after every story: each stored view is the fold of its log, the newest run is
        where its row says and held only while it runs, and every audit chain is whole."""
        for app, chat_id in self._bases:
            events = await self.events(chat_id, app=app)
            assert [event.seq for event in events] == list(range(1, len(events) + 1))
            view, whole = await self.view(chat_id, app=app), await self.whole(chat_id, app=app)
            assert view.model_copy(update={"live": []}) == whole
            if view.run is not None:
                run = await self.store.run(app, view.run.run_id)
                assert run is not None
                # A run that waits for its children alone is told as running.
                asks = any(m.is_open and m.role == "assistant" for m in view.messages)
                idle = run.state is RunState.WAITING and not asks
                assert view.run.status == ("running" if idle else run.state.value)
                held = [run.owner is not None, run.lease_until is not None]
                assert held == [run.state is RunState.RUNNING] * 2
            assert (await self.store.verify_audit(app)).broken == []


def text(message_id: str, content: str, run_id: str) -> MessageWritten:
    return MessageWritten(
        message_id=message_id, role="assistant", content=content, agent_name="desk", run_id=run_id
    )


def called(call_id: str, fence: Fence) -> ToolCalled:
    return ToolCalled(
        tool_call_id=call_id, name="refund", arguments={"amount": 10}, run_id=fence.run_id
    )
