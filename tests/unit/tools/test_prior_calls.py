"""What an earlier call says of this one: a no that stands, a key that is held, an end that nobody
knows."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pydantic import JsonValue

from sayso.core.cards import ConfirmationCard, OptionsCard, UncertainEffectCard
from sayso.core.digest import JsonObject
from sayso.core.effects import SKIPPED, Effect, EffectEnd, EffectState, uncertain_key
from sayso.core.events import ToolCallStatus
from sayso.core.interactions import (
    CardRequest,
    Interaction,
    InteractionResponse,
    InteractionState,
    InteractionType,
    Proposal,
    ResponseData,
)
from sayso.tools import prior_calls
from sayso.tools.calls import Call, CallSuspended, Returned
from sayso.tools.masking import Mask
from sayso.tools.prior_calls import answered_before, ask_about_unclear, end_as_holder, is_equal
from sayso.tools.segment_env import SegmentEnv
from sayso.tools.tool import Tool, tool

NOW = datetime(2026, 1, 1, 9, 30, tzinfo=UTC)
LATER = NOW + timedelta(minutes=1)
PAID: JsonObject = {"order": 7}
UNCLEAR = Effect(
    key="first", attempt=2, state=EffectState.UNCERTAIN, tool_name="pay", arguments=PAID,
    started_at=NOW, result={"status": "error"}, error="reset",
)  # fmt: skip


def paying(**traits: Any) -> Tool[..., Any]:
    @tool(**traits)
    def pay(order: int = 0) -> None:
        """Pay."""

    return pay


def call(**traits: Any) -> Call:
    return Call(
        key="second", id="c2", tool=paying(**traits), arguments=PAID, agent_name="desk",
        mask=Mask((), {}),
    )  # fmt: skip


class Env:
    """The part of a segment's environment that looks back."""

    def __init__(self, *effects: Effect, answers: dict[str, Interaction] | None = None) -> None:
        self.effects = {effect.key: effect for effect in effects}
        self.answers = answers or {}
        self.start = SimpleNamespace(answers=self.answers)
        self.recorder = SimpleNamespace(effect_under=self._effect_under)
        self.asked_for: list[str] = []

    async def _effect_under(self, key: str) -> Effect | None:
        self.asked_for.append(key)
        return UNCLEAR

    def answer(self, call_key: str) -> Interaction | None:
        return self.answers.get(call_key)

    def call_id(self, call_key: str) -> str:
        return f"row of {call_key}"

    async def end_effect(self, effect: Effect, end: EffectEnd, *events: object) -> None:
        self.effects[effect.key] = effect.ended(end, at=LATER)
        self.told = events


def segment(env: Env) -> SegmentEnv:
    return cast("SegmentEnv", env)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What the chat is told: rows that are shown, and how calls end."""
    told: list[tuple[Any, ...]] = []

    async def show_call(_env: object, it: Call, *, waits: bool = False) -> None:
        told.append((it.id, waits))

    async def end_call(
        _env: object, it: Call, status: ToolCallStatus, result: JsonValue, **more: object
    ) -> Returned:
        told.append((it.id, status.value, result, more))
        return Returned(result)

    monkeypatch.setattr(prior_calls, "show_call", show_call)
    monkeypatch.setattr(prior_calls, "end_call", end_call)
    return told


def card(
    state: InteractionState = InteractionState.COMPLETED,
    *,
    type_: InteractionType = InteractionType.TOOL_APPROVAL,
    at: datetime | None = NOW,
    said: InteractionResponse | None = None,
    proposal: Proposal | None = None,
) -> Interaction:
    asks = type_ is not InteractionType.USER_INPUT
    shown_card = ConfirmationCard(title="Pay?") if asks else OptionsCard(title="?", question="?")
    opened = CardRequest(call_key="k", card=shown_card, ui_tool_id="card").opened(
        interaction_id="i1", app_id="app", chat_id="c1", run_id="r1", task_id="t1", batch_id="b1",
        now=NOW, steady=NOW, salt="salt",
    )  # fmt: skip
    return replace(opened, state=state, type=type_, settled_at=at, response=said, proposal=proposal)


def word(option: str | None, **values: JsonValue) -> InteractionResponse:
    data = ResponseData(selected_option=option, values=values)
    return InteractionResponse(interaction_id="i1", approved=True, response_data=data)


NO = InteractionResponse(interaction_id="i1", approved=False, user_message="not this week")


def refused(tool_name: str = "pay", arguments: JsonObject = PAID, **more: Any) -> Interaction:
    proposal = Proposal(tool_name=tool_name, arguments=arguments)
    return card(InteractionState.REJECTED, said=NO, proposal=proposal, **more)


# ── a no ──


@pytest.mark.parametrize(
    ("answers", "stands"),
    [
        ([refused()], True),
        ([refused("buy")], False),
        ([refused(arguments={"order": 8})], False),
        ([card(InteractionState.REJECTED, said=NO)], False),
        ([replace(refused(), state=InteractionState.DISMISSED)], False),
        ([refused(), card(type_=InteractionType.USER_INPUT, at=LATER)], False),
        ([refused(), card(type_=InteractionType.USER_INPUT, at=NOW - timedelta(1))], True),
        ([refused(), card(type_=InteractionType.TOOL_APPROVAL, at=LATER)], True),
        (
            [
                refused(),
                card(InteractionState.DISMISSED, type_=InteractionType.USER_INPUT, at=LATER),
            ],
            True,
        ),
        ([refused(at=LATER), card(type_=InteractionType.USER_INPUT), refused()], True),
    ],
)
async def test_a_no_stands_until_the_call_changes_or_a_person_writes(
    answers: list[Interaction], stands: bool, shown: list[tuple[Any, ...]]
) -> None:
    env = Env(answers={str(n): it for n, it in enumerate(answers)})
    ended = await answered_before(segment(env), call())
    assert (ended is not None) is stands
    result = {"status": "rejected", "reason": "not this week"}
    said = [("c2", "rejected", result, {"arguments": PAID})]
    assert shown == (said if stands else [])


# ── a key ──


async def test_a_key_that_is_held_ends_it_and_without_one_nobody_is_asked(
    shown: list[tuple[Any, ...]],
) -> None:
    env = Env()
    assert await answered_before(segment(env), call()) is None
    assert env.asked_for == []
    assert await answered_before(segment(env), call(key="pay:{order}")) is not None
    assert env.asked_for == ["pay:7"]
    ((_, status, result, more),) = shown
    assert status == "not_executed"
    assert result["code"] == "already_under_way"
    assert "on 2026-01-01 at 09:30 UTC" in result["message"]
    assert more == {"error": f"AlreadyUnderWay: {result['message']}"}


async def test_what_is_done_gives_its_result_and_says_when(shown: list[tuple[Any, ...]]) -> None:
    done = replace(UNCLEAR, state=EffectState.DONE, result=5, ended_at=LATER)
    await end_as_holder(segment(Env()), call(), done)
    ((_, status, result, more),) = shown
    assert (status, result) == ("done", 5)
    (note,) = more["notes"]
    assert "on 2026-01-01 at 09:31 UTC, and was not done again" in note


# ── an end that nobody knows ──


@pytest.mark.parametrize(
    ("effect", "traits"),
    [
        (UNCLEAR, {"idempotent": True}),
        (replace(UNCLEAR, key="second"), {}),
        (replace(UNCLEAR, tool_name="buy"), {}),
        (replace(UNCLEAR, arguments={"order": 8}), {}),
        (replace(UNCLEAR, result=None), {}),
        (replace(UNCLEAR, state=EffectState.DONE), {}),
    ],
)
async def test_another_call_is_not_asked_about(
    effect: Effect, traits: dict[str, Any], shown: list[tuple[Any, ...]]
) -> None:
    assert await ask_about_unclear(segment(Env(effect)), call(**traits)) is None
    assert shown == []


async def test_an_equal_call_asks_about_the_newest_that_is_unclear(
    shown: list[tuple[Any, ...]],
) -> None:
    newer = replace(UNCLEAR, key="newer", started_at=LATER)
    asked = await ask_about_unclear(segment(Env(newer, UNCLEAR)), call())
    assert isinstance(asked, CallSuspended)
    (request,) = asked.requests
    assert isinstance(request, CardRequest)
    assert isinstance(request.card, UncertainEffectCard)
    assert request.call_key == uncertain_key("newer", 2)
    assert (request.agent_name, request.tool_call_id) == ("desk", "c2")
    assert shown == [("c2", True)]


def said_of_it(option: str | None, **values: JsonValue) -> Env:
    answers = {uncertain_key("first", 2): card(said=word(option, **values))}
    return Env(UNCLEAR, answers=answers)


async def test_whoever_lets_it_run_again_lets_this_one_run(shown: list[tuple[Any, ...]]) -> None:
    assert await ask_about_unclear(segment(said_of_it("run_again")), call()) is None
    assert shown == []


async def test_what_was_let_run_again_leaves_another_that_is_unclear(
    shown: list[tuple[Any, ...]],
) -> None:
    env = said_of_it("skip")
    env.effects["newer"] = replace(UNCLEAR, key="newer", started_at=LATER)
    env.answers[uncertain_key("newer", 2)] = card(said=word("run_again"))
    ended = await ask_about_unclear(segment(env), call())
    assert isinstance(ended, Returned)
    assert ended.was_asked_about


async def test_what_a_person_knows_to_be_done_is_its_result(shown: list[tuple[Any, ...]]) -> None:
    env = said_of_it("mark_done", result=5)
    assert await ask_about_unclear(segment(env), call()) is not None
    assert shown == [("c2", "done", 5, {})]
    assert env.effects["first"].state is EffectState.DONE
    (told,) = cast("tuple[Any]", env.told)
    assert told.tool_call_id == "row of first"


async def test_a_skip_ends_this_one_and_nobody_is_asked_about_what_is_around_it(
    shown: list[tuple[Any, ...]],
) -> None:
    env = said_of_it("skip")
    ended = await ask_about_unclear(segment(env), call())
    assert isinstance(ended, Returned)
    assert ended.was_asked_about
    result = {"status": "error", "message": SKIPPED}
    assert shown == [("c2", "not_executed", result, {"error": SKIPPED})]
    assert env.effects["first"] == UNCLEAR


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ({"n": 1}, {"n": 1.0}, True),
        ({"n": 1}, {"n": True}, False),
        ({"n": 2**70}, {"n": 2**70}, True),
        ({"n": 2**70}, {"n": 2**70 + 1}, False),
    ],
)
def test_arguments_are_compared_as_json(one: JsonObject, other: JsonObject, equal: bool) -> None:
    assert is_equal(one, other) is equal
