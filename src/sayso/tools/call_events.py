"""A call's row in the chat: that it was made, that it waits, how it ended. Also every way a call
ends without running its body.

Secrets are masked in all of it.
"""

from __future__ import annotations

from pydantic import JsonValue

from sayso.core.digest import JsonObject
from sayso.core.effects import Effect
from sayso.core.errors import TooDeep
from sayso.core.events import EventData, ToolCalled, ToolCallStatus, ToolReturned
from sayso.core.json_limits import CUT, DEEPEST
from sayso.core.messages import message
from sayso.core.record import Outcome, OutcomeState
from sayso.tools.answer_messages import error_of, error_result, with_note
from sayso.tools.approvals import notes_of
from sayso.tools.calls import Call, Returned, is_cut
from sayso.tools.result_cards import card_shown
from sayso.tools.segment_env import SegmentEnv
from sayso.tools.signature import ArgumentsInvalid


def call_made(call: Call, env: SegmentEnv) -> ToolCalled:
    return ToolCalled(
        tool_call_id=call.id,
        name=call.tool.name,
        arguments=call.mask.object(call.arguments),
        run_id=env.run.id,
        agent_name=call.agent_name,
        round=env.round,
    )


def call_waits(call: Call) -> ToolReturned:
    return ToolReturned(tool_call_id=call.id, status=ToolCallStatus.WAITING)


def call_did_not_run(call: Call, why: str) -> ToolReturned:
    """Tell that what was allowed on a card has not run, and is asked about again."""
    return ToolReturned(
        tool_call_id=call.id,
        status=ToolCallStatus.NOT_EXECUTED,
        error=call.mask.text(why),
        outcome=call.allowed.outcome_of(OutcomeState.NOT_RUN),
    )


def call_ended(
    call: Call,
    run_id: str,
    status: ToolCallStatus,
    result: JsonValue,
    *,
    error: str | None,
    arguments: JsonObject | None,
    effect: Effect | None = None,
    ran_seconds: float | None = None,
    outcome: Outcome | None = None,
) -> list[EventData]:
    """Tell how a call ended. `arguments` are those that ran, where they may differ from those that
    were asked for."""
    returned = ToolReturned(
        tool_call_id=call.id,
        status=status,
        result=call.mask.value(result),
        error=call.mask.text(error) if error is not None else None,
        arguments=call.mask.object(arguments) if arguments is not None else None,
        truncated=is_cut(result, call.tool.traits.longest_for_model) or None,
        ran_seconds=ran_seconds,
        shown_digest=effect.shown_digest if effect is not None else None,
        executed_digest=effect.executed_digest if effect is not None else None,
        outcome=outcome,
        rule=call.allowed.standing,
    )
    shown = card_shown(call, run_id, result)
    return [returned] if shown is None else [returned, shown]


async def show_call(env: SegmentEnv, call: Call, *, waits: bool = False) -> None:
    """Show the call's row once; later segments of the run do not show it again."""
    events: list[ToolCalled | ToolReturned] = []
    if call.key not in env.journal.called and call.key not in env.effects:
        env.journal.called.add(call.key)
        events.append(call_made(call, env))
    if waits:
        events.append(call_waits(call))
    if events:
        await env.show(*events)


async def end_call(
    env: SegmentEnv,
    call: Call,
    status: ToolCallStatus,
    result: JsonValue,
    *,
    error: str | None = None,
    raises: bool = True,
    arguments: JsonObject | None = None,
    notes: tuple[str, ...] = (),
) -> Returned:
    """End a call with this result. Where it `raises`, an agent that is a function gets `error` as
    an exception."""
    await show_call(env, call)
    out = call_ended(
        call,
        env.run.id,
        status,
        with_note(result, list(notes)),
        error=error,
        arguments=arguments,
        outcome=call.allowed.outcome_of(OutcomeState.NOT_RUN),
    )
    await env.show(*out)
    return remember_end(env, call.key, result, error if raises else None, notes)


async def deny_call(env: SegmentEnv, call: Call, reason: str) -> Returned:
    why = reason or message("call.denied")
    return await end_call(env, call, ToolCallStatus.DENIED, {"status": "denied", "reason": why})


async def reject_arguments(
    env: SegmentEnv, call: Call, exc: ArgumentsInvalid, *, what: str
) -> Returned:
    said = f"The {what} of '{call.tool.name}' do not fit."
    result = error_result(said, errors=exc.errors)
    return await end_call(env, call, ToolCallStatus.FAILED, result, error=f"{said} {exc}")


async def end_too_deep(env: SegmentEnv, call_key: str, name: str, agent_name: str) -> Returned:
    exc = TooDeep(f"The arguments of '{name}' nest {DEEPEST} levels deep or more.")
    return await end_without_tool(
        env, call_key, name, dict(CUT), result=error_of(exc), agent_name=agent_name
    )


async def end_unreadable(env: SegmentEnv, call_key: str, name: str, agent_name: str) -> Returned:
    """End a call whose arguments are no JSON object. Its row does not repeat them: nobody can tell
    which of it is a secret."""
    result = error_result(f"The arguments of '{name}' are not one JSON object.")
    return await end_without_tool(env, call_key, name, {}, result=result, agent_name=agent_name)


async def end_without_tool(
    env: SegmentEnv,
    call_key: str,
    name: str,
    arguments: JsonObject,
    *,
    result: JsonObject,
    agent_name: str,
) -> Returned:
    """End a call that names no tool, or that no tool could take."""
    call_id, error = env.call_id(call_key), str(result["message"])
    await env.show(
        ToolCalled(
            tool_call_id=call_id,
            name=name,
            arguments=arguments,
            run_id=env.run.id,
            agent_name=agent_name or env.agent_name,
        ),
        ToolReturned(
            tool_call_id=call_id, status=ToolCallStatus.FAILED, result=result, error=error
        ),
    )
    return remember_end(env, call_key, result, error)


def remember_end(
    env: SegmentEnv,
    call_key: str,
    result: JsonValue,
    error: str | None,
    notes: tuple[str, ...] = (),
) -> Returned:
    """Remember how a call without an effect ended, for whoever makes it again."""
    kept: JsonObject = {"result": result, "error": error}
    env.journal.results[call_key] = {**kept, "notes": list(notes)} if notes else kept
    return Returned(result, notes, error)


def remembered_end(env: SegmentEnv, call_key: str) -> Returned | None:
    """Return how this call ended before; None where it has not, or where its effect records it."""
    known = env.journal.results.get(call_key)
    if known is None:
        return None
    error, notes = known["error"], known.get("notes")
    own = [str(note) for note in notes] if isinstance(notes, list) else []
    return Returned(
        known["result"],
        (*own, *notes_of(env, call_key)),
        str(error) if error is not None else None,
    )
