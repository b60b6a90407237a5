"""The toolbox: the one seam through which every tool call of every framework passes.

For each call it knows in this order: how it ended before, whether it is a tool and its arguments
fit, what the policy says, what a person said. Only then does a body run, and what was approved is
what runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pydantic import JsonValue

from sayso.core.cards import Change
from sayso.core.depth import CUT, DEEPEST, check_depth, is_too_deep
from sayso.core.digest import JsonObject
from sayso.core.effects import Effect, EffectState
from sayso.core.errors import GrantVoid, NotSupportedError, TooDeep, ToolMissing
from sayso.core.events import ToolCalled, ToolCallStatus, ToolReturned
from sayso.core.interactions import Interaction, Proposal
from sayso.core.policy import Decision, Verdict
from sayso.tools import telling
from sayso.tools.call import Call, NeedsPerson, Returned
from sayso.tools.effects import AskWhatHappened, Ended, RunAgain, settle, stored_result
from sayso.tools.foreign import card_in, result_key
from sayso.tools.gatekeeper import Gatekeeper, Leave, NotMet, OpenGate
from sayso.tools.masking import Mask
from sayso.tools.outcomes import (
    error_of,
    error_result,
    outcome_of,
    refusal_result,
    tool_response,
    unknown_tool,
)
from sayso.tools.pause import Pause, ProposalStale, ToolMistake
from sayso.tools.policies import Policy
from sayso.tools.proposals import (
    approval_request,
    approved_part,
    arguments_to_run,
    changes_beyond,
    edited_changes,
    make_proposal,
)
from sayso.tools.revisions import approval_of, newest_answer, notes_of, revision_key
from sayso.tools.running import Approved, Ran, run_body
from sayso.tools.signature import ArgumentsInvalid, refuse_masked
from sayso.tools.tool import Prepared, Runnable, as_tool
from sayso.tools.world import World


class Toolbox:
    """The tools of one segment, with their policy and their world."""

    def __init__(
        self,
        tools: Iterable[object],
        policy: Policy,
        world: World,
        gatekeeper: Gatekeeper | None = None,
    ) -> None:
        self._policy = policy
        self._gatekeeper = gatekeeper or OpenGate()
        self._world = world
        self._tools: dict[str, Runnable] = {}
        for thing in tools:
            found = as_tool(thing)
            if self._tools.setdefault(found.name, found) is not found:
                raise NotSupportedError(
                    f"Two tools are named '{found.name}'.", fix="Give one of them another name."
                )
        policy.check_names(list(self._tools.values()))

    @property
    def world(self) -> World:
        return self._world

    @property
    def tools(self) -> Sequence[Runnable]:
        return list(self._tools.values())

    def knows(self, tool_name: str) -> bool:
        return tool_name in self._tools

    async def call(
        self,
        call_key: str,
        tool_name: str,
        arguments: Mapping[str, JsonValue],
        *,
        agent_name: str = "",
        tool: Runnable | None = None,
    ) -> Returned | NeedsPerson:
        """Make a call, or go on with it. The same key is the same call, in whatever segment it
        comes again.

        `tool` is given by adapters for a framework's own tool; else the toolbox looks `tool_name`
        up.
        """
        known = self._world.journal.results.get(call_key)
        if known is not None:
            return self._returned_before(call_key, known)
        if arguments == CUT or is_too_deep(arguments):
            return await self._too_deep(call_key, tool_name, agent_name)
        found = tool or self._tools.get(tool_name)
        if found is None:
            return await self._unknown(call_key, tool_name, dict(arguments), agent_name)
        call = Call(
            key=call_key,
            id=self._world.call_id(call_key),
            tool=found,
            arguments=dict(arguments),
            agent_name=agent_name or self._world.agent_name,
            mask=Mask(found.traits.secrets, dict(arguments)),
        )
        self._world.secrets.add(call.mask)
        try:
            return await self._go(call)
        except Pause as pause:
            return NeedsPerson(pause.requests)

    def verdict(self, tool: Runnable, arguments: Mapping[str, JsonValue]) -> Decision:
        """What the policy says of a call that an adapter sees and cannot hold, so that it may
        refuse it."""
        start = self._world.start
        return self._policy.decide(
            tool, arguments, person=start.run.person, preferences=start.preferences
        )

    # ── the order of things ──

    async def _go(self, call: Call) -> Returned | NeedsPerson:
        asked = self._world.answer(result_key(call.key))
        if asked is not None:
            answer = tool_response(asked, call.tool.name)
            return await self._end(call, ToolCallStatus.DONE, answer)
        effect = self._world.effects.get(call.key)
        if effect is not None:
            call = call.with_arguments(dict(effect.arguments))
            paused = self._world.journal.paused.get(call.key) == effect.attempt
            if not paused:
                return await self._go_on_after(call, effect)
            if effect.state is EffectState.STARTED:
                return await self._run(call, approval_of(self._world, effect), effect.attempt + 1)
        answered = newest_answer(self._world, call.key)
        if answered is not None and answered.proposal is not None:
            call = call.with_arguments(answered.proposal.arguments)
            return await self._decided(call, answered, answered.proposal)
        if call.key in self._world.journal.stale:
            return await self._ask(call, _again(self._decide(call)), revision=1)
        return await self._begin(call)

    async def _begin(self, call: Call) -> Returned | NeedsPerson:
        try:
            refuse_masked(call.tool.traits.secrets, call.arguments)
            call = call.with_arguments(call.tool.check(call.arguments))
        except ArgumentsInvalid as exc:
            return await self._do_not_fit(call, "arguments", exc)
        leave = self._leave(call)
        if isinstance(leave, NotMet):
            return await self._end(call, ToolCallStatus.DENIED, leave.result)
        if isinstance(leave, Leave):
            # Before anyone judges the call: what a rule and a person see is what would run.
            call = call.with_arguments(leave.arguments)
        decision = self._decide(call)
        match decision.verdict:
            case Verdict.DENY:
                return await self._deny(call, decision.reason)
            case Verdict.ASK:
                return await self._ask(call, decision, revision=1)
            case Verdict.ALLOW:
                return await self._run(call, Approved(), attempt=1)

    async def _go_on_after(self, call: Call, effect: Effect) -> Returned | NeedsPerson:
        """An earlier segment, or an earlier owner of this one, has started this call."""
        settled = await settle(
            self._world,
            effect,
            idempotent=call.tool.traits.idempotent,
            mask=call.mask,
            agent_name=call.agent_name,
            call_id=call.id,
        )
        match settled:
            case AskWhatHappened(request):
                return NeedsPerson((request,))
            case RunAgain(attempt):
                return await self._run(call, approval_of(self._world, effect), attempt)
            case Ended(ended):
                result = stored_result(ended)
                card = card_in(call, result) if ended.state is EffectState.DONE else None
                if card is not None:
                    return NeedsPerson((card,))
                notes = notes_of(self._world, call.key)
                if ended.state is EffectState.DONE:
                    return Returned(result, notes, ended.error)
                said = call.mask.text(ended.error) if ended.error is not None else None
                return Returned(call.mask.value(result), notes, said)

    async def _decided(
        self, call: Call, it: Interaction, shown: Proposal
    ) -> Returned | NeedsPerson:
        """A person has decided on a proposal: nothing but that proposal, edits included, may
        run."""
        outcome = outcome_of(it)
        if not outcome.approved:
            return await self._end(
                call, ToolCallStatus.REJECTED, refusal_result(outcome), arguments=call.arguments
            )
        edits = it.response.response_data.edits if it.response is not None else {}
        try:
            call = call.with_arguments(call.tool.check({**shown.arguments, **edits}))
        except ArgumentsInvalid as exc:
            return await self._do_not_fit(call, "changed arguments", exc)
        decision = self._decide(call)
        if decision.verdict is Verdict.DENY:
            return await self._deny(call, decision.reason)
        if self._world.journal.stale.get(call.key) == shown.revision:
            return await self._ask(call, _again(decision), revision=shown.revision + 1, old=shown)
        executed = shown
        if edits:
            found = await self._prepare(call)
            if isinstance(found, Returned):
                return found
            executed = make_proposal(call.tool, call.arguments, found, revision=shown.revision)
            beyond = changes_beyond(shown, executed, edits, call.tool.traits.rows)
            if beyond:
                changes = [*edited_changes(shown, edits), *beyond]
                return await self._open(call, found, _again(decision), shown.revision + 1, changes)
        ran = arguments_to_run(executed, it.response, call.tool.traits.rows)
        part = approved_part(executed, it.response).model_copy(update={"arguments": ran})
        approval = Approved(proposal=part, shown_digest=shown.digest, executed_digest=part.digest)
        effect = self._world.effects.get(call.key)
        attempt = effect.attempt + 1 if effect is not None else 1
        return await self._run(call.with_arguments(ran), approval, attempt)

    async def _run(self, call: Call, approval: Approved, attempt: int) -> Returned | NeedsPerson:
        # Here and nowhere else, so that no way to a body leads around a gate. What was started once
        # has used its leave; whether it is tried again is its effect's to say.
        if call.key not in self._world.effects:
            leave = self._leave(call)
            if isinstance(leave, NotMet):
                return await self._end(call, ToolCallStatus.DENIED, leave.result)
            if isinstance(leave, Leave):
                if leave.arguments != call.arguments:
                    return await self._deny(call, "There is no leave for what was approved.")
                approval = replace(approval, grant=leave.grant)
        self._world.secrets.add(call.mask)
        await self._tell_call(call)
        try:
            ran = await run_body(self, self._world, call, approval, attempt)
        except GrantVoid as exc:
            return await self._deny(call, exc.detail)
        except ProposalStale:
            effect = self._world.effects.get(call.key)
            self._world.journal.paused[call.key] = effect.attempt if effect is not None else attempt
            shown = approval.proposal
            self._world.journal.stale[call.key] = shown.revision if shown is not None else 0
            revision = shown.revision + 1 if shown is not None else 1
            return await self._ask(call, _again(self._decide(call)), revision=revision, old=shown)
        except Pause as pause:
            await self._world.show(telling.waits(call))
            return NeedsPerson(pause.requests)
        return await self._came_out(call, ran)

    async def _came_out(self, call: Call, ran: Ran) -> Returned | NeedsPerson:
        if ran.state is not EffectState.DONE:
            # What went wrong is told on, by models and in the errors of runs.
            error = call.mask.text(ran.error) if ran.error is not None else None
            ran = replace(ran, result=call.mask.value(ran.result), error=error)
        card = card_in(call, ran.result) if ran.error is None else None
        if card is not None:
            return NeedsPerson((card,))
        if call.tool.traits.read_only:  # what acts is remembered by its effect
            self._keep(call.key, ran.result, ran.error)
        return Returned(ran.result, notes_of(self._world, call.key), ran.error, ran.exception)

    def _leave(self, call: Call) -> Leave | NotMet | None:
        """What the gate says of a call, with the arguments that would run."""
        leave = self._gatekeeper.leave(call.tool.name, call.arguments, self._world.kept)
        if not isinstance(leave, Leave):
            return leave
        try:
            return replace(leave, arguments=call.tool.check(leave.arguments))
        except ArgumentsInvalid as exc:
            said = f"What a person agreed to does not fit '{call.tool.name}'."
            return NotMet(result=error_result(said, errors=exc.errors))

    # ── asking ──

    async def _ask(
        self, call: Call, decision: Decision, *, revision: int, old: Proposal | None = None
    ) -> Returned | NeedsPerson:
        # Before anything is awaited for it: parallel calls stand in the order they were made in.
        await self._tell_call(call)
        found = await self._prepare(call)
        if isinstance(found, Returned):
            return found
        changes = []
        if old is not None:
            new = make_proposal(call.tool, call.arguments, found, revision=revision)
            changes = changes_beyond(old, new, {})
        return await self._open(call, found, decision, revision, changes)

    async def _open(
        self,
        call: Call,
        found: Prepared | None,
        decision: Decision,
        revision: int,
        changes: list[Change],
    ) -> NeedsPerson:
        await self._tell_call(call, waits=True)
        proposal = make_proposal(call.tool, call.arguments, found, revision=revision)
        request = approval_request(
            call.tool,
            proposal,
            found,
            call_key=revision_key(call.key, revision),
            tool_call_id=call.id,
            agent_name=call.agent_name,
            decision=decision,
            changes=changes,
        )
        return NeedsPerson((request,))

    async def _prepare(self, call: Call) -> Prepared | Returned | None:
        """What the card shows; Returned where `prepare` refuses or fails, which the model is
        told."""
        from sayso.tools.context import ToolContext  # the context calls tools through this toolbox

        ctx = ToolContext(
            self._world, self, scope=f"{call.key}?>", call_key=call.key, may_ask=False
        )
        try:
            found = await call.tool.propose(call.arguments, ctx)
            check_depth(found, f"What {call.tool.name} shows before it acts")
            return found
        except TooDeep as exc:
            result, error = error_of(exc), exc.detail
        except ToolMistake as exc:
            # A refusal before anything ran is a value for the agent, as a rejection is.
            result = error_result(exc.message, suggestion=exc.suggestion)
            return await self._end(
                call, ToolCallStatus.FAILED, result, error=exc.message, raises=False
            )
        except Exception as exc:
            result = error_result(f"{call.tool.name} could not be prepared: {exc}")
            error = f"{type(exc).__name__}: {exc}"
        return await self._end(call, ToolCallStatus.FAILED, result, error=error)

    # ── ending without a body ──

    async def _deny(self, call: Call, reason: str) -> Returned:
        why = reason or "The policy does not allow this call."
        result: JsonObject = {"status": "denied", "reason": why}
        return await self._end(call, ToolCallStatus.DENIED, result)

    async def _do_not_fit(self, call: Call, what: str, exc: ArgumentsInvalid) -> Returned:
        said = f"The {what} of '{call.tool.name}' do not fit."
        result = error_result(said, errors=exc.errors)
        return await self._end(call, ToolCallStatus.FAILED, result, error=f"{said} {exc}")

    async def _end(
        self,
        call: Call,
        status: ToolCallStatus,
        result: JsonObject,
        *,
        error: str | None = None,
        raises: bool = True,
        arguments: JsonObject | None = None,
    ) -> Returned:
        error_raised = error if raises else None
        await self._tell_call(call)
        out = telling.came_out(
            call, self._world.run.id, status, result, error=error, arguments=arguments
        )
        await self._world.show(*out)
        self._keep(call.key, result, error_raised)
        return Returned(result, error=error_raised)

    async def _unknown(
        self, call_key: str, name: str, arguments: JsonObject, agent_name: str
    ) -> Returned:
        if call_key in self._world.effects or self._world.answer(call_key) is not None:
            raise ToolMissing(f"This run goes on with the tool '{name}', which is not there.")
        result = unknown_tool(name, sorted(self._tools))
        return await self._refuse(call_key, name, arguments, result, agent_name)

    async def _too_deep(self, call_key: str, name: str, agent_name: str) -> Returned:
        said = TooDeep(f"The arguments of '{name}' nest {DEEPEST} levels deep or more.")
        return await self._refuse(call_key, name, dict(CUT), error_of(said), agent_name)

    async def _refuse(
        self,
        call_key: str,
        name: str,
        arguments: JsonObject,
        result: JsonObject,
        agent_name: str,
    ) -> Returned:
        """End a call that comes to no tool."""
        call_id = self._world.call_id(call_key)
        await self._world.show(
            ToolCalled(
                tool_call_id=call_id,
                name=name,
                arguments=arguments,
                run_id=self._world.run.id,
                agent_name=agent_name or self._world.agent_name,
            ),
            ToolReturned(
                tool_call_id=call_id,
                status=ToolCallStatus.FAILED,
                result=result,
                error=str(result["message"]),
            ),
        )
        self._keep(call_key, result, str(result["message"]))
        return Returned(result, error=str(result["message"]))

    # ── small parts ──

    def _decide(self, call: Call) -> Decision:
        return self.verdict(call.tool, call.arguments)

    async def _tell_call(self, call: Call, *, waits: bool = False) -> None:
        """Show the call's row once; later segments of the run do not show it again."""
        events: list[ToolCalled | ToolReturned] = []
        if call.key not in self._world.journal.called and call.key not in self._world.effects:
            self._world.journal.called.add(call.key)
            events.append(telling.made(call, self._world.run.id))
        if waits:
            events.append(telling.waits(call))
        if events:
            await self._world.show(*events)

    def _keep(self, call_key: str, result: JsonValue, error: str | None) -> None:
        self._world.journal.results[call_key] = {"result": result, "error": error}

    def _returned_before(self, call_key: str, kept: JsonObject) -> Returned:
        error = kept["error"]
        return Returned(
            kept["result"],
            notes_of(self._world, call_key),
            str(error) if error is not None else None,
        )


def _again(decision: Decision) -> Decision:
    """For a proposal that is asked about anew: the rule's words were said, and it is looked at
    alone."""
    return replace(decision, reason="", bulk=False)
