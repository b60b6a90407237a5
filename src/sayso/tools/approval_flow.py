"""The approval of a call: ask a person on a card, or a rule of theirs instead, and turn the answer
into what may run.

Only the proposal that was shown may run, with the person's edits. Whatever would do something else
opens the card again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sayso.core.cards import Change
from sayso.core.digest import JsonObject
from sayso.core.events import ToolCallStatus
from sayso.core.interactions import Interaction, Proposal
from sayso.core.messages import message
from sayso.core.policy_rules import Decision, ToolFacts, Verdict
from sayso.core.record import Allowed
from sayso.core.standing_rules import StandingRule, rule_for
from sayso.tools.answer_messages import approval_answer, refusal_result
from sayso.tools.approval_cards import (
    approval_request,
    card_again,
    hold_key,
    hold_request,
    refusal_of_edits,
    refusal_of_rows,
)
from sayso.tools.approvals import (
    Approved,
    allowed_as,
    approved_part,
    arguments_to_run,
    changes_beyond,
    edited_changes,
    make_proposal,
    next_card_key,
)
from sayso.tools.call_events import (
    call_did_not_run,
    deny_call,
    end_call,
    reject_arguments,
    show_call,
)
from sayso.tools.calls import Call, CallSuspended, Returned, ToolCaller
from sayso.tools.execution import NotPrepared, prepare
from sayso.tools.journal import Refusal
from sayso.tools.segment_env import SegmentEnv
from sayso.tools.signature import ArgumentsInvalid
from sayso.tools.tool import Prepared

#: Why what was approved is asked about anew.
_CHANGED = "What it would do has changed since; nothing was done, and it is asked again."


@dataclass(frozen=True, slots=True, kw_only=True)
class MayRun:
    """A call that a person let run, and as which attempt."""

    call: Call
    approval: Approved
    attempt: int


async def ask_approval(
    caller: ToolCaller,
    env: SegmentEnv,
    call: Call,
    decision: Decision,
    *,
    revision: int,
    old: Proposal | None = None,
) -> Returned | CallSuspended:
    """Open the card of a call, or end the call where `prepare` refuses it. The card of a new
    revision shows what has changed since the `old` one."""
    # Before anything is awaited for it: parallel calls stand in the order they were made in.
    await show_call(env, call)
    found = await prepare(caller, env, call)
    if isinstance(found, NotPrepared):
        result, error, raises = found.result, found.error, found.raises
        return await end_call(env, call, ToolCallStatus.FAILED, result, error=error, raises=raises)
    changes = []
    if old is not None:
        new = make_proposal(call.tool, call.arguments, found, revision=revision)
        changes = changes_beyond(old, new, {})
    return await _open_card(env, call, found, decision=decision, revision=revision, changes=changes)


async def read_answer(
    caller: ToolCaller,
    env: SegmentEnv,
    call: Call,
    it: Interaction,
    shown: Proposal,
    *,
    decide: Callable[[Call], Decision],
) -> MayRun | Returned | CallSuspended:
    """Return what may run after a person's answer to a card, or how the call ends or waits without
    running. `decide` judges the edited arguments by the policy."""
    answer = approval_answer(it)
    if not answer:
        refusal = refusal_result(answer)
        return await end_call(env, call, ToolCallStatus.REJECTED, refusal, arguments=call.arguments)
    edits: JsonObject = dict(answer.edits)
    call = replace(call, allowed=Allowed(interaction_id=it.id))
    refused = env.journal.refused.get(call.key)
    if refused is not None and refused.revision == shown.revision:
        return await _open_again(env, call, it, shown, refused)
    try:
        call = call.with_checked({**shown.arguments, **edits})
    except ArgumentsInvalid as exc:
        if not edits:
            return await reject_arguments(env, call, exc, what="approved arguments")
        wrong = refusal_of_edits(shown, edits, exc.errors)
        return await _open_again(env, call, it, shown, wrong)
    decision = decide(call)
    if decision.verdict is Verdict.DENY:
        return await deny_call(env, call, decision.reason)
    revision = shown.revision + 1
    if env.journal.stale.get(call.key) == shown.revision:
        return await ask_approval(
            caller, env, call, asked_again(decision), revision=revision, old=shown
        )
    executed = shown
    if edits:
        found = await prepare(caller, env, call)
        if isinstance(found, NotPrepared):
            why: JsonObject = {"path": "", "message": call.mask.text(found.words)}
            return await _open_again(env, call, it, shown, refusal_of_edits(shown, edits, [why]))
        executed = make_proposal(call.tool, call.arguments, found, revision=shown.revision)
        beyond = changes_beyond(shown, executed, edits, call.tool.traits.rows)
        if beyond:
            changes = [*edited_changes(shown, edits), *beyond]
            return await _open_card(
                env, call, found, decision=asked_again(decision), revision=revision, changes=changes
            )
    ran = arguments_to_run(executed, it.response, call.tool.traits.rows)
    if ran is None:
        return await _open_again(env, call, it, shown, refusal_of_rows(shown))
    part = approved_part(executed, it.response).model_copy(update={"arguments": ran})
    effect = env.effects.get(call.key)
    call = call.with_arguments(ran)
    call = replace(call, allowed=allowed_as(it, shown, executed, part, call.mask))
    if call.tool.traits.hold is not None:
        word = env.answer(hold_key(it))
        if word is None:
            await show_call(env, call, waits=True)
            return CallSuspended((hold_request(call, it, call.tool.traits.hold),))
        if not approval_answer(word):
            return await _open_again(env, call, it, shown, Refusal(shown.revision))
    return MayRun(
        call=call,
        approval=Approved(proposal=part, shown_digest=it.digest),
        attempt=effect.attempt + 1 if effect is not None else 1,
    )


def asked_again(decision: Decision) -> Decision:
    """Return the decision for a card that opens again: its reason was shown already, and it cannot
    be approved in bulk."""
    return replace(decision, reason="", bulk=False)


async def _open_card(
    env: SegmentEnv,
    call: Call,
    found: Prepared | None,
    *,
    decision: Decision,
    revision: int,
    changes: list[Change],
) -> CallSuspended:
    if call.allowed.interaction_id is not None:
        await env.show(call_did_not_run(call, _CHANGED))
    proposal = make_proposal(call.tool, call.arguments, found, revision=revision)
    env.journal.asked.add(call.key)
    await show_call(env, call, waits=True)
    request = approval_request(
        call.tool,
        proposal,
        found,
        call_key=next_card_key(env, call.key),
        tool_call_id=call.id,
        agent_name=call.agent_name,
        decision=decision,
        changes=changes,
    )
    return CallSuspended((request,))


async def _open_again(
    env: SegmentEnv, call: Call, it: Interaction, shown: Proposal, refusal: Refusal
) -> CallSuspended:
    """Open the card once more, with why its answer cannot be carried out; one without errors was
    taken back."""
    if env.journal.refused.get(call.key) != refusal:
        why = " ".join(error.message for error in refusal.errors)
        await env.show(call_did_not_run(call, why or message("call.taken_back")))
    env.journal.refused[call.key] = refusal
    await show_call(env, call, waits=True)
    key = next_card_key(env, call.key)
    return CallSuspended((card_again(call, it, shown, refusal, key=key),))


async def answering_rule(
    caller: ToolCaller, env: SegmentEnv, call: Call, decision: Decision
) -> StandingRule | None:
    """Return the rule that a person wrote and that answers this call for them; None where a person
    is asked. A call that was asked about once stays asked: a rule written while its card waits is
    for the next."""
    may_answer = decision.asking is not None and decision.asking.may_be_ruled
    if not may_answer or call.key in env.journal.asked:
        return None
    facts = ToolFacts(tool_name=call.tool.name, arguments=call.arguments)
    rule = rule_for(await env.recorder.standing_rules(), facts, call.agent_name)
    if rule is None or rule.rule.then is Verdict.DENY:
        return rule
    return rule if await _is_plain(caller, env, call) else None


async def _is_plain(caller: ToolCaller, env: SegmentEnv, call: Call) -> bool:
    """Return whether its card would say nothing that a person has to see: no warning, no rows."""
    found = await prepare(caller, env, call)
    if isinstance(found, NotPrepared):
        return False
    return found is None or not (found.warnings or found.rows)
