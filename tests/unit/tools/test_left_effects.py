"""What becomes of an effect that somebody left: its stored end, a person's word, a look-up, or a
question. Never a guess."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NoReturn, cast

import pytest
from pydantic import JsonValue

from sayso.core.cards import OptionsCard, UncertainEffectCard
from sayso.core.effects import (
    NEVER_BEGAN,
    SKIPPED,
    Effect,
    EffectEnd,
    EffectStart,
    EffectState,
    EndSource,
    uncertain_key,
)
from sayso.core.errors import NotExecuted
from sayso.core.events import EventData, ToolCallStatus, ToolReturned
from sayso.core.interactions import CardRequest, Interaction, InteractionResponse, ResponseData
from sayso.tools.calls import Call
from sayso.tools.effects import (
    AskWhatHappened,
    Ended,
    RunAgain,
    end_said_by,
    is_asked_about,
    run_once,
    settle,
    stored_result,
    uncertain_card,
    was_asked_about,
)
from sayso.tools.idempotency import Done, Found, NotDone
from sayso.tools.journal import Step
from sayso.tools.masking import Mask
from sayso.tools.segment_env import SegmentEnv
from sayso.tools.suspension import StepFailed, Suspend
from sayso.tools.tool import Tool, tool

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ARGUMENTS: dict[str, JsonValue] = {"pin": "12345678", "order": 7}
MASK = Mask({"pin"}, dict(ARGUMENTS))
LEFT = Effect(
    key="pay", attempt=3, state=EffectState.STARTED, tool_name="pay", arguments=ARGUMENTS,
    started_at=NOW, error=None,
)  # fmt: skip


def left(state: EffectState, error: str | None = None, result: JsonValue = None) -> Effect:
    return replace(LEFT, state=state, error=error, result=result)


class Env:
    """The part of a segment's environment that effects know."""

    agent_name = "desk"

    def __init__(self, *effects: Effect, said: InteractionResponse | None = None) -> None:
        self.effects = {effect.key: effect for effect in effects}
        self.said = said
        self.told: list[EventData] = []
        self.started: list[EffectStart] = []

    def answer(self, call_key: str) -> Interaction | None:
        keys = [uncertain_key(it.key, it.attempt) for it in self.effects.values()]
        return answered(self.said) if self.said and call_key in keys else None

    async def start_effect(self, start: EffectStart) -> None:
        self.started.append(start)
        self.effects[start.key] = Effect.started(start, at=NOW)

    async def end_effect(self, effect: Effect, end: EffectEnd, *events: EventData) -> None:
        self.told.extend(events)
        self.effects[effect.key] = effect.ended(end, at=NOW)


def segment(env: Env) -> SegmentEnv:
    return cast("SegmentEnv", env)


def answered(said: InteractionResponse | None) -> Interaction:
    card = OptionsCard(title="Did it?", question="Did it?")
    opened = CardRequest(call_key="k", card=card, ui_tool_id="card").opened(
        interaction_id="i1", app_id="app", chat_id="c1", run_id="r1", task_id="t1", batch_id="b1",
        now=NOW, steady=NOW, salt="salt",
    )  # fmt: skip
    return replace(opened, response=said)


def word(option: str | None, **values: JsonValue) -> InteractionResponse:
    data = ResponseData(selected_option=option, values=values)
    return InteractionResponse(interaction_id="i1", approved=True, response_data=data)


async def settled(
    env: Env,
    *,
    idempotent: bool = False,
    call_id: str | None = "c",
    look_up: Callable[[], Awaitable[Found]] | None = None,
) -> Ended | RunAgain | AskWhatHappened:
    return await settle(
        segment(env), env.effects["pay"], idempotent=idempotent, mask=MASK, agent_name="desk",
        call_id=call_id, look_up=look_up,
    )  # fmt: skip


def found(what: Found) -> Callable[[], Awaitable[Found]]:
    async def look_up() -> Found:
        return what

    return look_up


def told(env: Env) -> ToolReturned:
    (event,) = env.told
    assert isinstance(event, ToolReturned)
    assert event.arguments == {"pin": "•••", "order": 7}
    assert event.tool_call_id == "c"
    return event


@pytest.mark.parametrize(
    "effect",
    [
        left(EffectState.DONE, result=1),
        left(EffectState.FAILED, "no"),
        left(EffectState.NOT_EXECUTED, "no"),
        left(EffectState.UNCERTAIN, "hm", result={"status": "error"}),
    ],
)
async def test_an_end_that_was_told_stands(effect: Effect) -> None:
    env = Env(effect)
    assert await settled(env, look_up=found(Done(5))) == Ended(effect)
    assert env.told == []


async def test_what_never_began_begins_and_what_can_be_made_again_is() -> None:
    never = Env(left(EffectState.NOT_EXECUTED, NEVER_BEGAN))
    assert await settled(never) == RunAgain(4)
    for state in (EffectState.STARTED, EffectState.UNCERTAIN):
        assert await settled(Env(left(state)), idempotent=True) == RunAgain(4)


async def test_only_a_person_knows_and_is_asked_once_it_is_recorded_as_unclear() -> None:
    env = Env(LEFT)
    asked = await settled(env)
    assert isinstance(asked, AskWhatHappened)
    assert asked.request.call_key == uncertain_key("pay", 3)
    assert (asked.request.agent_name, asked.request.tool_call_id) == ("desk", "c")
    assert env.effects["pay"].state is EffectState.UNCERTAIN
    assert told(env).status is ToolCallStatus.UNCERTAIN
    again = Env(left(EffectState.UNCERTAIN, "reset"))
    assert isinstance(await settled(again, look_up=found(None)), AskWhatHappened)
    assert again.told == [], "it was told when it was left"
    silent = Env(LEFT)
    await settled(silent, call_id=None)
    assert silent.told == [], "what is no call has no row in the chat"


async def test_a_look_up_that_knows_ends_it() -> None:
    env = Env(LEFT)
    ended = await settled(env, look_up=found(Done({"id": "12345678"})))
    assert ended == Ended(env.effects["pay"])
    assert (env.effects["pay"].state, env.effects["pay"].result) == (
        EffectState.DONE,
        {"id": "12345678"},
    )
    assert (told(env).status, told(env).result) == (ToolCallStatus.DONE, {"id": "•••"})


@pytest.mark.parametrize("error", [None, "reset 12345678"])
async def test_a_look_up_that_knows_that_it_did_not_run_says_why(error: str | None) -> None:
    env = Env(left(EffectState.UNCERTAIN, error))
    await settled(env, look_up=found(NotDone()))
    end = env.effects["pay"]
    assert end.state is EffectState.NOT_EXECUTED
    assert end.error == (error or "It was looked up: this did not run.")
    assert end.result == {"status": "error", "message": end.error}
    assert told(env).status is ToolCallStatus.NOT_EXECUTED
    assert told(env).error == end.error.replace("12345678", "•••")


async def test_a_persons_word_goes_before_a_look_up() -> None:
    env = Env(left(EffectState.UNCERTAIN), said=word("mark_done", result="12345678"))
    assert was_asked_about(segment(env), "pay")
    assert isinstance(await settled(env, look_up=found(NotDone())), Ended)
    assert (env.effects["pay"].state, env.effects["pay"].result) == (EffectState.DONE, "12345678")
    assert (told(env).status, told(env).result) == (ToolCallStatus.DONE, "•••")
    again = Env(left(EffectState.UNCERTAIN), said=word("run_again"))
    assert await settled(again, look_up=found(Done(1))) == RunAgain(4)


async def test_a_person_who_skips_it_does_not_know_either() -> None:
    env = Env(left(EffectState.UNCERTAIN), said=word("skip", result=5))
    await settled(env)
    assert env.effects["pay"].was_skipped
    assert (told(env).status, told(env).result) == (ToolCallStatus.UNCERTAIN, None)
    assert told(env).error == SKIPPED


@pytest.mark.parametrize("said", [None, word(None), word("maybe")])
def test_no_word_lets_nothing_run(said: InteractionResponse | None) -> None:
    end = end_said_by(answered(said))
    assert end == EffectEnd(
        state=EffectState.NOT_EXECUTED, error=SKIPPED, told_by=EndSource.PERSON,
        result={"status": "error", "message": SKIPPED},
    )  # fmt: skip


def test_a_word_is_a_persons() -> None:
    assert end_said_by(answered(word("run_again"))) == RunAgain(1)
    done = EffectEnd(state=EffectState.DONE, result=5, told_by=EndSource.PERSON)
    assert end_said_by(answered(word("mark_done", result=5))) == done


def test_nobody_was_asked_about_what_is_not_there_or_has_no_answer() -> None:
    assert not was_asked_about(segment(Env()), "pay")
    assert not was_asked_about(segment(Env(LEFT)), "pay")


@pytest.mark.parametrize(
    ("digest", "error", "words"),
    [
        (None, None, "pay was started and may already have run when it was interrupted."),
        (
            "sha256:seen",
            "reset 12345678",
            "pay was approved and may already have run when it was interrupted. It said: reset •••",
        ),
    ],
)
def test_the_question_says_how_it_began_and_what_it_said(
    digest: str | None, error: str | None, words: str
) -> None:
    effect = replace(LEFT, shown_digest=digest, error=error)
    asked = uncertain_card(effect, MASK, agent_name="desk", call_id="c")
    card = asked.card
    assert isinstance(card, UncertainEffectCard)
    assert (card.title, card.agent_message) == ("Did pay run?", words)
    assert (card.tool_name, card.attempt, card.started_at) == ("pay", 3, NOW)
    assert card.tool_params == {"pin": "•••", "order": 7}
    assert card.says is not None
    assert asked.call_key == uncertain_key(effect.key, effect.attempt)
    assert asked.ui_tool_id == "uncertain_effect"


def test_the_model_is_told_the_result_or_what_went_wrong() -> None:
    assert stored_result(left(EffectState.DONE)) is None
    assert stored_result(left(EffectState.FAILED, "no", result=5)) == 5
    for error in ("no", None):
        said = stored_result(left(EffectState.FAILED, error))
        assert said == {"status": "error", "message": error or "It failed."}


def paying(**traits: Any) -> Tool[..., Any]:
    @tool(**traits)
    def pay(order: int = 0) -> None:
        """Pay."""

    return pay


def call(of: Tool[..., Any], key: str = "pay") -> Call:
    return Call(key=key, id="c", tool=of, arguments={}, agent_name="desk", mask=MASK)


@pytest.mark.parametrize(
    ("traits", "by_a_person", "asked"),
    [
        ({}, False, False),
        ({}, True, True),
        ({"destructive": True}, False, True),
        ({"key": "pay:{order}"}, False, True),
        ({"idempotent": True}, True, False),
    ],
)
def test_a_person_is_asked_about_what_acts(
    traits: dict[str, Any], by_a_person: bool, asked: bool
) -> None:
    assert is_asked_about(segment(Env()), call(paying(**traits)), by_a_person=by_a_person) is asked


@pytest.mark.parametrize(
    ("outer", "asked"),
    [
        (replace(LEFT, shown_digest="sha256:seen"), True),
        (replace(LEFT, business_key="pay:7"), True),
        (LEFT, False),
        (replace(left(EffectState.DONE), shown_digest="sha256:seen"), False),
        (replace(LEFT, key="other", shown_digest="sha256:seen"), False),
    ],
)
def test_a_call_within_one_that_acts_acts(outer: Effect, asked: bool) -> None:
    inner = call(paying(), key="pay>look")
    assert is_asked_about(segment(Env(outer)), inner, by_a_person=False) is asked


# ── work done once ──


def step() -> Step:
    return Step(key="once", kind="once", name="fetch", digest="d")


async def once(env: Env, one: Step, function: Callable[[], object]) -> JsonValue:
    async def wait(requests: Sequence[CardRequest]) -> NoReturn:
        raise Suspend(requests)

    return await run_once(segment(env), one, function, wait)


async def later() -> str:
    return "later"


@pytest.mark.parametrize(("function", "value"), [(lambda: "now", "now"), (later, "later")])
async def test_work_is_done_and_kept(function: Callable[[], object], value: str) -> None:
    env, one = Env(), step()
    assert await once(env, one, function) == value
    (start,) = env.started
    assert (start.attempt, start.tool_name, start.arguments) == (1, "fetch", {})
    assert start.executed_digest is not None
    assert (env.effects["once"].state, env.effects["once"].result) == (EffectState.DONE, value)
    assert one.done
    again = step()
    assert await once(env, again, lambda: "twice") == value
    assert again.done
    assert len(env.started) == 1


async def test_work_that_is_known_to_have_failed_fails_again() -> None:
    def refused() -> None:
        raise NotExecuted("It is away.")

    env, one = Env(), step()
    with pytest.raises(StepFailed, match="It is away"):
        await once(env, one, refused)
    assert one.done
    with pytest.raises(StepFailed, match="It is away") as failed:
        await once(env, step(), refused)
    assert not failed.value.was_asked_about
    assert len(env.started) == 1
    kept = env.effects["once"].result
    assert isinstance(kept, dict)
    assert kept["message"] == "It is away."
    silent = Env(replace(left(EffectState.FAILED), key="once"))
    with pytest.raises(StepFailed, match="it failed"):
        await once(silent, step(), refused)


async def test_of_work_that_may_be_done_a_person_is_asked() -> None:
    def raises() -> None:
        raise OSError("reset")

    env = Env()
    with pytest.raises(Suspend) as waits:
        await once(env, step(), raises)
    (request,) = waits.value.requests
    assert isinstance(request, CardRequest)
    assert request.tool_call_id is None
    env.said = word("skip")
    with pytest.raises(StepFailed) as failed:
        await once(env, step(), raises)
    assert failed.value.was_asked_about
    assert len(env.started) == 1


async def test_work_that_is_interrupted_stays_begun() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    env = Env()
    with pytest.raises(KeyboardInterrupt):
        await once(env, step(), interrupted)
    assert env.effects["once"].state is EffectState.STARTED


async def test_a_person_may_have_it_done_again() -> None:
    env = Env(replace(left(EffectState.UNCERTAIN), key="once"), said=word("run_again"))
    assert await once(env, step(), lambda: "again") == "again"
    assert [start.attempt for start in env.started] == [4]
