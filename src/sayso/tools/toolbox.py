"""The toolbox: the one seam through which every tool call of every framework passes.

For each call it knows in this order: how it ended before, whether it is a tool and its arguments
fit, what the policy says, what a person said. Only then does a body run, and what was approved is
what runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from sayso.core.cards import Change
from sayso.core.detect import Asks, detect
from sayso.core.digest import JsonObject
from sayso.core.effects import Effect, EffectState
from sayso.core.errors import NotSupportedError, ToolMissing
from sayso.core.events import ToolCalled, ToolCallStatus, ToolReturned
from sayso.core.interactions import CardRequest, Interaction, Proposal
from sayso.core.policy import Decision, Verdict
from sayso.tools.call import Call, NeedsPerson, Returned
from sayso.tools.effects import AskWhatHappened, Ended, RunAgain, settle, stored_result
from sayso.tools.masking import Mask
from sayso.tools.outcomes import (
    approval_notes,
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
    revision_key,
)
from sayso.tools.results import cards_in
from sayso.tools.running import Approved, Ran, run_body
from sayso.tools.signature import ArgumentsInvalid, refuse_masked
from sayso.tools.tool import Prepared, Runnable, as_tool
from sayso.tools.world import World


class Toolbox:
    """The tools of one segment, with their policy and their world."""

    def __init__(self, tools: Iterable[object], policy: Policy, world: World) -> None:
        self._policy = policy
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
        try:
            return await self._go(call)
        except Pause as pause:
            return NeedsPerson(pause.requests)

    # ── the order of things ──

    async def _go(self, call: Call) -> Returned | NeedsPerson:
        asked = self._world.answer(_result_key(call.key))
        if asked is not None:
            return await self._answered_result(call, asked)
        effect = self._world.effects.get(call.key)
        if effect is not None:
            call = call.with_arguments(dict(effect.arguments))
            paused = self._world.journal.paused.get(call.key) == effect.attempt
            if not paused:
                return await self._go_on_after(call, effect)
            if effect.state is EffectState.STARTED:
                return await self._run(call, self._approval_of(call, effect), effect.attempt + 1)
        answered = self._newest_answer(call.key)
        if answered is not None and answered.proposal is not None:
            call = call.with_arguments(answered.proposal.arguments)
            return await self._decided(call, answered, answered.proposal)
        if call.key in self._world.journal.stale:
            return await self._ask(call, "", revision=1)
        return await self._begin(call)

    async def _begin(self, call: Call) -> Returned | NeedsPerson:
        try:
            refuse_masked(call.tool.traits.secrets, call.arguments)
            call = call.with_arguments(call.tool.check(call.arguments))
        except ArgumentsInvalid as exc:
            said = f"The arguments of '{call.tool.name}' do not fit."
            result = error_result(said, errors=exc.errors)
            return await self._end(call, ToolCallStatus.FAILED, result, error=f"{said} {exc}")
        decision = self._decide(call)
        match decision.verdict:
            case Verdict.DENY:
                return await self._deny(call, decision.reason)
            case Verdict.ASK:
                return await self._ask(call, decision.reason, revision=1)
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
                return await self._run(call, self._approval_of(call, effect), attempt)
            case Ended(ended):
                result = stored_result(ended)
                if ended.state is EffectState.DONE:
                    asks = self._asks(call, result)
                    if asks is not None:
                        return asks
                return Returned(result, self._notes(call.key), ended.error)

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
            said = f"The changed arguments of '{call.tool.name}' do not fit."
            result = error_result(said, errors=exc.errors)
            return await self._end(call, ToolCallStatus.FAILED, result, error=f"{said} {exc}")
        decision = self._decide(call)
        if decision.verdict is Verdict.DENY:
            return await self._deny(call, decision.reason)
        if self._world.journal.stale.get(call.key) == shown.revision:
            return await self._ask(call, "", revision=shown.revision + 1, old=shown)
        executed = shown
        if edits:
            found = await self._prepare(call)
            if isinstance(found, Returned):
                return found
            executed = make_proposal(call.tool, call.arguments, found, revision=shown.revision)
            beyond = changes_beyond(shown, executed, edits)
            if beyond:
                changes = [*edited_changes(shown, edits), *beyond]
                return await self._open(call, found, "", shown.revision + 1, changes)
        ran = arguments_to_run(executed, it.response, call.tool.traits.rows)
        part = approved_part(executed, it.response).model_copy(update={"arguments": ran})
        approval = Approved(proposal=part, shown_digest=shown.digest, executed_digest=part.digest)
        effect = self._world.effects.get(call.key)
        attempt = effect.attempt + 1 if effect is not None else 1
        return await self._run(call.with_arguments(ran), approval, attempt)

    async def _run(self, call: Call, approval: Approved, attempt: int) -> Returned | NeedsPerson:
        await self._tell_call(call)
        try:
            ran = await run_body(self, self._world, call, approval, attempt)
        except ProposalStale:
            effect = self._world.effects.get(call.key)
            self._world.journal.paused[call.key] = effect.attempt if effect is not None else attempt
            shown = approval.proposal
            self._world.journal.stale[call.key] = shown.revision if shown is not None else 0
            revision = shown.revision + 1 if shown is not None else 1
            return await self._ask(call, "", revision=revision, old=shown)
        except Pause as pause:
            await self._world.show(self._waits(call))
            return NeedsPerson(pause.requests)
        return await self._came_out(call, ran)

    async def _came_out(self, call: Call, ran: Ran) -> Returned | NeedsPerson:
        asks = self._asks(call, ran.result) if ran.error is None else None
        if asks is not None:
            return asks
        if not call.tool.traits.read_only:
            return Returned(ran.result, self._notes(call.key), ran.error, ran.exception)
        self._keep(call.key, ran.result, ran.error)
        return Returned(ran.result, self._notes(call.key), ran.error, ran.exception)

    # ── asking ──

    async def _ask(
        self, call: Call, why: str, *, revision: int, old: Proposal | None = None
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
        return await self._open(call, found, why, revision, changes)

    async def _open(
        self,
        call: Call,
        found: Prepared | None,
        why: str,
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
            why=why,
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
            return await call.tool.propose(call.arguments, ctx)
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

    def _asks(self, call: Call, result: JsonValue) -> NeedsPerson | None:
        """The card of a foreign result that asks a person: the model does not see it before the
        answer."""
        if call.tool.is_ours:
            return None
        found = detect(call.tool.name, result)
        if not isinstance(found, Asks):
            return None
        traits = call.tool.traits
        request = CardRequest(
            call_key=_result_key(call.key),
            card=found.card,
            ui_tool_id=found.card.card.value,
            agent_name=call.agent_name,
            tool_call_id=call.id,
            expires_in=traits.expires_in,
            on_expiry=traits.on_expiry,
            assignees=traits.assignees,
            workflow_stage=_stage(found.card.model_dump(mode="json")),
        )
        return NeedsPerson((request,))

    async def _answered_result(self, call: Call, it: Interaction) -> Returned:
        return await self._end(call, ToolCallStatus.DONE, tool_response(it, call.tool.name))

    # ── ending without a body ──

    async def _deny(self, call: Call, reason: str) -> Returned:
        why = reason or "The policy does not allow this call."
        result: JsonObject = {"status": "denied", "reason": why}
        return await self._end(call, ToolCallStatus.DENIED, result)

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
        shown = ToolReturned(
            tool_call_id=call.id,
            status=status,
            result=call.mask.value(result),
            error=call.mask.text(error) if error is not None else None,
            arguments=call.mask.object(arguments) if arguments is not None else None,
        )
        cards = cards_in(
            call.tool.name,
            result,
            run_id=self._world.run.id,
            call_id=call.id,
            agent_name=call.agent_name,
            arguments=call.arguments,
            schema=call.tool.schema,
            mask=call.mask,
        )
        await self._world.show(shown, *cards)
        self._keep(call.key, result, error_raised)
        return Returned(result, error=error_raised)

    async def _unknown(
        self, call_key: str, name: str, arguments: JsonObject, agent_name: str
    ) -> Returned:
        if call_key in self._world.effects or self._world.answer(call_key) is not None:
            raise ToolMissing(f"This run goes on with the tool '{name}', which is not there.")
        result = unknown_tool(name, sorted(self._tools))
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
        start = self._world.start
        return self._policy.decide(
            call.tool, call.arguments, person=start.run.person, preferences=start.preferences
        )

    async def _tell_call(self, call: Call, *, waits: bool = False) -> None:
        """Show the call's row once; later segments of the run do not show it again."""
        events: list[ToolCalled | ToolReturned] = []
        if call.key not in self._world.journal.called and call.key not in self._world.effects:
            self._world.journal.called.add(call.key)
            events.append(
                ToolCalled(
                    tool_call_id=call.id,
                    name=call.tool.name,
                    arguments=call.mask.object(call.arguments),
                    run_id=self._world.run.id,
                    agent_name=call.agent_name,
                )
            )
        if waits:
            events.append(self._waits(call))
        if events:
            await self._world.show(*events)

    def _waits(self, call: Call) -> ToolReturned:
        return ToolReturned(tool_call_id=call.id, status=ToolCallStatus.WAITING)

    def _keep(self, call_key: str, result: JsonValue, error: str | None) -> None:
        self._world.journal.results[call_key] = {"result": result, "error": error}

    def _returned_before(self, call_key: str, kept: JsonObject) -> Returned:
        error = kept["error"]
        return Returned(
            kept["result"], self._notes(call_key), str(error) if error is not None else None
        )

    def _answers(self, call_key: str) -> list[Interaction]:
        found: list[Interaction] = []
        while (it := self._world.answer(revision_key(call_key, len(found) + 1))) is not None:
            found.append(it)
        return found

    def _newest_answer(self, call_key: str) -> Interaction | None:
        answers = self._answers(call_key)
        return answers[-1] if answers else None

    def _notes(self, call_key: str) -> tuple[str, ...]:
        approvals = [it for it in self._answers(call_key) if outcome_of(it).approved]
        return tuple(note for it in approvals for note in approval_notes(it))

    def _approval_of(self, call: Call, effect: Effect) -> Approved:
        """The approval under which an attempt was started, for the attempt after it."""
        it = self._newest_answer(call.key)
        proposal = it.proposal if it is not None else None
        if proposal is not None and it is not None:
            proposal = approved_part(proposal, it.response).model_copy(
                update={"arguments": dict(effect.arguments)}
            )
        return Approved(
            proposal=proposal,
            shown_digest=effect.shown_digest,
            executed_digest=effect.executed_digest,
        )


def _result_key(call_key: str) -> str:
    """The call key of the card that a foreign tool's result is."""
    return f"{call_key}!result"


def _stage(card: JsonObject) -> str | None:
    context = card.get("context")
    stage = context.get("workflow_stage") if isinstance(context, dict) else None
    return stage if isinstance(stage, str) else None
