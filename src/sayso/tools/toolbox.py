"""The toolbox: every tool call of every framework passes through it.

It looks, in this order, at how the call ended before, whether there is such a tool and its
arguments fit, what the policy says, and what a person said. Only then does a body run, and what was
approved is what runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from pydantic import JsonValue

from sayso.core.digest import JsonObject
from sayso.core.effects import Effect, EffectState, KeyHeld
from sayso.core.errors import GrantVoid, InvalidInput, NotSupportedError, RuleOver, ToolMissing
from sayso.core.events import ToolCallStatus
from sayso.core.json_limits import CUT, is_too_deep
from sayso.core.messages import message
from sayso.core.policy_rules import Decision, Verdict
from sayso.core.record import Allowed
from sayso.core.tasks import tool_name as name_of
from sayso.tools.answer_messages import error_of, tool_response, unknown_tool
from sayso.tools.approval_flow import MayRun, answering_rule, ask_approval, asked_again, read_answer
from sayso.tools.approvals import Approved, approval_of, newest_answer, notes_of
from sayso.tools.body_results import Ran
from sayso.tools.call_events import (
    call_waits,
    deny_call,
    end_call,
    end_too_deep,
    end_unreadable,
    end_without_tool,
    reject_arguments,
    remember_end,
    remembered_end,
    show_call,
)
from sayso.tools.calls import Call, CallSuspended, Returned
from sayso.tools.effects import (
    AskWhatHappened,
    Ended,
    RunAgain,
    settle,
    stored_result,
    was_asked_about,
)
from sayso.tools.execution import look_up, run_body
from sayso.tools.gatekeeper import Blocked, Gatekeeper, Granted, NoGate, allowed_under, grant_for
from sayso.tools.masking import Mask
from sayso.tools.policies import Policy, default_verdict
from sayso.tools.prior_calls import (
    answered_before,
    ask_about_unclear,
    end_as_holder,
)
from sayso.tools.result_cards import card_in, result_key, status_of_request
from sayso.tools.segment_env import SegmentEnv
from sayso.tools.signature import ArgumentsInvalid, refuse_masked
from sayso.tools.suspension import ProposalStale, Suspend
from sayso.tools.tool import Runnable, Tool, as_tool
from sayso.tools.tool_ui import show_ui


class Toolbox:
    """The tools of one segment, with the policy and the environment in which they run."""

    def __init__(
        self,
        tools: Iterable[object],
        policy: Policy,
        env: SegmentEnv,
        gatekeeper: Gatekeeper | None = None,
    ) -> None:
        self._policy = policy
        self._gatekeeper = gatekeeper or NoGate()
        self.env = env
        self._tools: dict[str, Runnable] = {}
        for thing in tools:
            found = as_tool(thing)
            if self._tools.setdefault(found.name, found) is not found:
                raise NotSupportedError(
                    f"Two tools are named '{found.name}'.", fix="Give one of them another name."
                )
        policy.check_names(list(self._tools.values()))

    @property
    def tools(self) -> Sequence[Runnable]:
        return list(self._tools.values())

    def has(self, tool: object) -> bool:
        name = name_of(tool)
        mine = self._tools.get(name)
        if mine is None or isinstance(tool, str):
            return isinstance(tool, str)
        if isinstance(mine, Tool) and not mine.is_made_of(tool):
            raise NotSupportedError(
                f"Another tool is named '{name}', and that one would run.",
                fix="Give one of them another name.",
            )
        return True

    async def call(
        self,
        call_key: str,
        tool_name: str,
        arguments: Mapping[str, JsonValue],
        *,
        agent_name: str = "",
        tool: Runnable | None = None,
    ) -> Returned | CallSuspended:
        """Make a call, or go on with it. The same key is the same call, in whatever segment it
        comes again.

        Adapters give `tool` for a framework's own tool; else the toolbox looks `tool_name` up.
        """
        found = tool or self._tools.get(tool_name)
        came = await self._come(call_key, tool_name, arguments, agent_name, found)
        longest = found.traits.longest_for_model if found is not None else None
        return replace(came, longest=longest) if longest and isinstance(came, Returned) else came

    async def _come(
        self,
        call_key: str,
        tool_name: str,
        arguments: Mapping[str, JsonValue],
        agent_name: str,
        found: Runnable | None,
    ) -> Returned | CallSuspended:
        known = remembered_end(self.env, call_key)
        if known is not None:
            return known
        if arguments == CUT or is_too_deep(arguments):
            return await end_too_deep(self.env, call_key, tool_name, agent_name)
        if found is None:
            return await self._unknown(call_key, tool_name, dict(arguments), agent_name)
        call = Call(
            key=call_key,
            id=self.env.call_id(call_key),
            tool=found,
            arguments=dict(arguments),
            agent_name=agent_name or self.env.agent_name,
            mask=Mask(found.traits.secrets, dict(arguments)),
        )
        self.env.secrets.add(call.mask)
        try:
            return await self._continue(call)
        except Suspend as suspend:
            return CallSuspended(suspend.requests)
        except InvalidInput as exc:  # what its card would show or run has no digest
            result = error_of(exc)
            return await end_call(self.env, call, ToolCallStatus.FAILED, result, error=exc.detail)

    async def refuse_unreadable(
        self, call_key: str, tool_name: str, *, agent_name: str = ""
    ) -> Returned:
        """End a call whose arguments are no JSON object: nobody is asked about it, and nothing
        runs."""
        known = remembered_end(self.env, call_key)
        return known or await end_unreadable(self.env, call_key, tool_name, agent_name)

    def verdict(self, tool: Runnable, arguments: Mapping[str, JsonValue]) -> Decision:
        """Judge a call by the policy, for adapters that see a call and cannot suspend it, but may
        refuse it."""
        return self._judge(tool, arguments, self.env.start.preferences)

    # ── from the newest fact about a call to the next step ──

    async def _continue(self, call: Call) -> Returned | CallSuspended:
        asked = self.env.answer(result_key(call.key))
        if asked is not None:
            answer = tool_response(asked, call.tool.name)
            return await end_call(self.env, call, status_of_request(asked), answer)
        effect = self.env.effects.get(call.key)
        if effect is not None:
            call = replace(call.with_arguments(dict(effect.arguments)), allowed=effect.allowed)
            waits_inside = self.env.journal.paused.get(call.key) == effect.attempt
            if not waits_inside:
                return await self._after_effect(call, effect)
            if effect.state is EffectState.STARTED:
                return await self._run(call, approval_of(self.env, effect), effect.attempt + 1)
        answered = newest_answer(self.env, call.key)
        if answered is not None and answered.proposal is not None:
            shown = answered.proposal
            call = call.with_arguments(shown.arguments)
            found = await read_answer(self, self.env, call, answered, shown, decide=self._decide)
            if isinstance(found, MayRun):
                return await self._run(found.call, found.approval, found.attempt)
            return found
        if call.key in self.env.journal.stale:
            decision = asked_again(self._decide(call))
            return await ask_approval(self, self.env, call, decision, revision=1)
        return await self._begin(call)

    async def _begin(self, call: Call) -> Returned | CallSuspended:
        try:
            refuse_masked(call.tool.traits.secrets, call.arguments)
            call = call.with_checked(call.arguments)
        except ArgumentsInvalid as exc:
            return await reject_arguments(self.env, call, exc, what="arguments")
        granted = grant_for(self._gatekeeper, call, self.env.requirements)
        if isinstance(granted, Blocked):
            return await end_call(self.env, call, ToolCallStatus.DENIED, granted.result)
        if isinstance(granted, Granted):
            # Before anyone judges the call: what a rule and a person see is what would run.
            call = call.with_arguments(granted.arguments)
        decision = self._decide(call)
        if decision.verdict is Verdict.DENY:
            return await deny_call(self.env, call, decision.reason)
        before = await answered_before(self.env, call)
        if before is not None:
            return before
        if decision.verdict is Verdict.ASK:
            rule = await answering_rule(self, self.env, call, decision)
            if rule is None:
                return await ask_approval(self, self.env, call, decision, revision=1)
            call = replace(call, allowed=Allowed(rule=rule.words, standing=rule.used))
            if rule.rule.then is Verdict.DENY:
                return await deny_call(self.env, call, message("call.denied_by", rule=rule.words))
        else:
            call = replace(call, allowed=Allowed(rule=decision.rule))
        asked = await ask_about_unclear(self.env, call)
        return asked or await self._run(call, Approved(), attempt=1)

    async def _after_effect(self, call: Call, effect: Effect) -> Returned | CallSuspended:
        """Continue a call that an earlier segment, or an earlier owner of this one, started."""
        settled = await settle(
            self.env,
            effect,
            idempotent=call.tool.traits.idempotent,
            mask=call.mask,
            agent_name=call.agent_name,
            call_id=call.id,
            look_up=partial(look_up, self, self.env, call),
        )
        match settled:
            case AskWhatHappened(request):
                return CallSuspended((request,))
            case RunAgain(attempt):
                self.env.forget_within(f"{call.key}>")
                return await self._run(call, approval_of(self.env, effect), attempt)
            case Ended(ended):
                result = stored_result(ended)
                card = card_in(call, result) if ended.state is EffectState.DONE else None
                if card is not None:
                    await self.env.show(call_waits(call))
                    return CallSuspended((card,))
                notes = notes_of(self.env, call.key)
                if ended.state is EffectState.DONE:
                    return Returned(result, notes, ended.error)
                error = call.mask.text(ended.error) if ended.error is not None else None
                asked = was_asked_about(self.env, call.key)
                return Returned(call.mask.value(result), notes, error, was_asked_about=asked)

    async def _run(self, call: Call, approval: Approved, attempt: int) -> Returned | CallSuspended:
        # Checked here, before every body, so that no code path can bypass the requirements gate.
        # A call that was started before has used its grant; its effect decides on another attempt.
        if call.key not in self.env.effects:
            granted = grant_for(self._gatekeeper, call, self.env.requirements)
            if isinstance(granted, Blocked):
                return await end_call(self.env, call, ToolCallStatus.DENIED, granted.result)
            if isinstance(granted, Granted):
                if granted.arguments != call.arguments:
                    why = "There is no grant for what was approved."
                    return await deny_call(self.env, call, why)
                approval = replace(approval, grant=granted.grant)
                call = replace(call, allowed=allowed_under(granted.grant, call.allowed))
        self.env.secrets.add(call.mask)
        await show_call(self.env, call)
        try:
            ran = await run_body(self, self.env, call, approval, attempt)
        except GrantVoid as exc:
            return await deny_call(self.env, call, exc.detail)
        except RuleOver:
            call = replace(call, allowed=Allowed())
            decision = self._decide(call)
            return await ask_approval(self, self.env, call, decision, revision=1)
        except KeyHeld as exc:
            return await end_as_holder(self.env, call, exc.holder)
        except ProposalStale as exc:
            if exc.arguments is not None:
                call = call.with_arguments(exc.arguments)
            return await self._ask_about_stale(call, approval, attempt)
        except Suspend as suspend:
            await self.env.show(call_waits(call))
            return CallSuspended(suspend.requests)
        return await self._after_body(call, ran)

    async def _ask_about_stale(
        self, call: Call, approval: Approved, attempt: int
    ) -> Returned | CallSuspended:
        """Open the next revision: the body found that what was approved no longer holds."""
        effect = self.env.effects.get(call.key)
        if effect is not None:
            call = replace(call, allowed=Allowed())  # the end of its effect has told its card
            attempt = effect.attempt
        shown = approval.proposal
        revision = shown.revision if shown is not None else 0
        self.env.journal.paused[call.key] = attempt
        self.env.journal.stale[call.key] = revision
        decision = asked_again(self._decide(call))
        return await ask_approval(self, self.env, call, decision, revision=revision + 1, old=shown)

    async def _after_body(self, call: Call, ran: Ran) -> Returned | CallSuspended:
        if ran.is_open:
            came = await self._after_effect(call, self.env.effects[call.key])
            if isinstance(came, Returned) and came.error is not None:
                return replace(came, exception=ran.exception)
            return came
        await show_ui(self.env, call)
        if ran.state is not EffectState.DONE:
            # Models pass errors on, and runs end with them.
            error = call.mask.text(ran.error) if ran.error is not None else None
            ran = replace(ran, result=call.mask.value(ran.result), error=error)
        card = card_in(call, ran.result) if ran.error is None else None
        if card is not None:
            # Its row is not done: what it asks for has not been answered.
            await self.env.show(call_waits(call))
            return CallSuspended((card,))
        # A call that acts is remembered by its effect; but what is unclear may still become clear.
        if call.tool.traits.read_only or ran.state is EffectState.UNCERTAIN:
            remember_end(self.env, call.key, ran.result, ran.error)
        return Returned(ran.result, notes_of(self.env, call.key), ran.error, ran.exception)

    async def _unknown(
        self, call_key: str, name: str, arguments: JsonObject, agent_name: str
    ) -> Returned:
        if call_key in self.env.effects or self.env.answer(call_key) is not None:
            raise ToolMissing(f"This run goes on with the tool '{name}', which is not there.")
        result = unknown_tool(name, sorted(self._tools))
        return await end_without_tool(
            self.env, call_key, name, arguments, result=result, agent_name=agent_name
        )

    def _decide(self, call: Call) -> Decision:
        # "Always allow" is a word for later calls, and none for what another card asks about.
        was_asked = call.key in self.env.journal.asked
        remembered: Mapping[str, JsonValue] = {} if was_asked else self.env.start.preferences
        return self._judge(call.tool, call.arguments, remembered)

    def _judge(
        self,
        tool: Runnable,
        arguments: Mapping[str, JsonValue],
        preferences: Mapping[str, JsonValue],
    ) -> Decision:
        run = self.env.start.run
        return self._policy.decide(
            tool,
            arguments,
            person=run.person,
            preferences=preferences,
            unless_said=default_verdict(run.task, tool.name),
        )
