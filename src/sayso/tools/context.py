"""What a tool body or a function agent holds in its hand: questions to people, tools, time, and
what it leaves behind.

Every operation is a step of the journal: on replay it gives what it gave before, and does nothing a
second time.
"""

from __future__ import annotations

import asyncio
import inspect
import random
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar, Unpack

from pydantic import BaseModel, JsonValue, TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from sayso.core.cards import Option
from sayso.core.digest import JsonObject
from sayso.core.effects import EffectEnd, EffectState
from sayso.core.events import ArtifactChanged, ProgressMade, Stage
from sayso.core.ids import derived_id
from sayso.core.interactions import InteractionType
from sayso.core.segments import EffectStart
from sayso.core.tasks import TaskRequest, UniversalMessage, tool_name
from sayso.tools import questions
from sayso.tools.call import NeedsPerson
from sayso.tools.effects import AskWhatHappened, Ended, RunAgain, settle
from sayso.tools.masking import Mask
from sayso.tools.outcomes import outcome_of
from sayso.tools.pause import Pause, StepFailed, Stopped
from sayso.tools.questions import AskOptions
from sayso.tools.results import as_result
from sayso.tools.steps import Steps

T = TypeVar("T")
FormT = TypeVar("FormT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen: the option's id, and what the person added."""

    id: str
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decided, in their own words. True in an `if` when it was a yes."""

    approved: bool
    status: str
    reason: str = ""
    suggestions: tuple[str, ...] = ()
    edits: Mapping[str, JsonValue] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.approved


class ToolContext(Steps):
    """The context of one tool call, or of one function agent (then it is called AgentContext)."""

    # ── what it is about ──

    @property
    def task(self) -> TaskRequest:
        return self._world.run.task

    @property
    def message(self) -> str:
        """What the person said last."""
        return self.task.words

    @property
    def person(self) -> str | None:
        """Who asked, as the server knows them; never what a message claims."""
        return self._world.run.person

    @property
    def history(self) -> list[UniversalMessage]:
        """The chat before this task."""
        kept = self._world.journal.history or []
        return [UniversalMessage.model_validate(message) for message in kept]

    @property
    def preferences(self) -> Mapping[str, JsonValue]:
        """The chat's preferences as they are now: they may have changed while the run waited."""
        return self._world.start.preferences

    @property
    def idempotency_key(self) -> str:
        """The same for this call however often it is taken over or run again: give it to the other
        side."""
        return derived_id(self._world.run.id, "idempotency", self._call_key or self._scope)

    # ── questions ──

    async def ask(self, question: str, **options: Unpack[AskOptions]) -> str:
        """A free question; the person's words. Raises Unanswered if it is dismissed or expires."""
        card = questions.question(question, [], True, questions.context_of(options))
        it = await self._answer("ask", question, card.question, card, options)
        data = self._data(it, question)
        return data.additional_notes or data.selected_option or ""

    async def choose(
        self,
        question: str,
        choices: Sequence[Option | str | JsonObject],
        *,
        notes: bool = True,
        context: JsonObject | None = None,
        **options: Unpack[AskOptions],
    ) -> Choice:
        """One of several; with `notes` the person may add words."""
        card = questions.question(question, choices, notes, questions.context_of(options, context))
        fingerprint: JsonValue = [question, [option.id for option in card.options]]
        it = await self._answer("choose", question, fingerprint, card, options)
        data = self._data(it, question)
        return Choice(data.selected_option or "", data.additional_notes or "")

    async def form(
        self,
        model: type[FormT],
        *,
        title: str | None = None,
        message: str | None = None,
        values: Mapping[str, object] | None = None,
        submit_label: str | None = None,
        **options: Unpack[AskOptions],
    ) -> FormT:
        """Values to fill in, described and checked by one model; asked again while the model
        refuses them."""
        name = title or model.__name__
        schema: JsonObject = model.model_json_schema()
        while True:
            card = questions.form(
                schema,
                title=name,
                message=message,
                values=values or {},
                context=questions.context_of(options),
                submit_label=submit_label,
            )
            fingerprint = to_jsonable_python([name, message, dict(values or {})])
            it = await self._answer("form", name, fingerprint, card, options)
            data = self._data(it, name)
            try:
                return model.model_validate(data.values)
            except ValidationError as exc:
                first = exc.errors()[0]
                place = "/".join(str(part) for part in first["loc"])
                message, values = f"{place}: {first['msg']}".removeprefix(": "), data.values

    async def confirm(
        self,
        title: str,
        *,
        message: str | None = None,
        details: Mapping[str, object] | None = None,
        impact: str | None = None,
        **options: Unpack[AskOptions],
    ) -> bool:
        """Yes or no, with everything it depends on. No answer is a no."""
        card = questions.confirmation(
            title,
            message=message,
            details=details,
            impact=impact,
            context=questions.context_of(options),
            options=["approve", "reject"],
        )
        it = await self._answer("confirm", title, [title, message, impact], card, options)
        return outcome_of(it).approved

    async def approve(
        self,
        entity_type: str,
        summary: str,
        details: Mapping[str, object] | None = None,
        impact: str | None = None,
        *,
        action: str = "create",
        message: str | None = None,
        edit_schema: JsonObject | None = None,
        final_confirmation: bool = False,
        **options: Unpack[AskOptions],
    ) -> Decision:
        """Seed 1's approval of something about to be created or changed."""
        shown: JsonObject = to_jsonable_python(dict(details or {}))
        card, proposal = questions.approval(
            entity_type,
            summary,
            details=shown,
            impact=impact,
            action=action,
            message=message,
            context=questions.context_of(options),
            edit_schema=edit_schema,
            final_confirmation=final_confirmation,
        )
        fingerprint: JsonValue = [entity_type, summary, shown, impact]
        it = await self._answer("approve", summary, fingerprint, card, options, proposal=proposal)
        said = outcome_of(it)
        edits = it.response.response_data.edits if it.response is not None else {}
        return Decision(said.approved, said.status, said.reason, said.suggestions, dict(edits))

    async def ui_tool(
        self,
        ui_tool_id: str,
        payload: Mapping[str, object],
        *,
        response_schema: JsonObject | None = None,
        **options: Unpack[AskOptions],
    ) -> JsonObject:
        """The application's own card (seed 2); what the person entered there."""
        card = questions.ui_tool(payload, response_schema)
        fingerprint: JsonValue = [ui_tool_id, card.payload]
        it = await self._answer(
            "ui_tool", ui_tool_id, fingerprint, card, options, ui_tool_id=ui_tool_id
        )
        data = self._data(it, ui_tool_id)
        rest = data.model_dump(mode="json", exclude={"values"}, exclude_defaults=True)
        return {**rest, **data.values}

    async def offer_to_stop(self, question: str, **options: Unpack[AskOptions]) -> None:
        """Ask whether to stop. A yes ends the run as cancelled; anything else goes on."""
        card = questions.confirmation(
            question,
            message=None,
            details=None,
            impact=None,
            context=questions.context_of(options),
            options=["stop", "go on"],
        )
        it = await self._answer(
            "offer_to_stop", question, question, card, options, type_=InteractionType.CANCELLATION
        )
        if outcome_of(it).approved:
            raise Stopped(outcome_of(it).reason or question)

    # ── tools and other work ──

    async def call(self, tool: object, /, **arguments: object) -> JsonValue:
        """Call a tool through the toolbox: policy, approval and effect record as for any model.

        A rejection, a denial, a dismissal, and what `prepare` refuses are values
        (`{"status": …}`); an error of the tool raises StepFailed.
        """
        name = tool_name(tool)
        sent: JsonObject = to_jsonable_python(arguments)
        step = await self._reach("call", name, sent)
        returned = await self._toolbox.call(step.key, name, sent)
        if isinstance(returned, NeedsPerson):
            raise Pause(returned.requests)
        step.finish()
        if returned.error is not None:
            raise StepFailed.told(step.title, returned.error) from returned.exception
        return returned.result

    async def once(self, key: str, function: Callable[[], Awaitable[T] | T]) -> JsonValue:
        """Run `function` at most once for this key, with a record of its own. Its value is given as
        JSON."""
        step = await self._reach("once", key, key)
        effect = self._world.effects.get(step.key)
        attempt = 1
        if effect is not None:
            settled = await settle(
                self._world,
                effect,
                idempotent=False,
                mask=Mask((), {}),
                agent_name=self._world.agent_name,
                call_id=None,
            )
            match settled:
                case AskWhatHappened(request):
                    raise self._pause([request])
                case RunAgain(again):
                    attempt = again
                case Ended(ended):
                    if ended.state is not EffectState.DONE:
                        raise StepFailed.told(step.title, ended.error or "it failed")
                    step.finish()
                    return ended.result
        await self._world.start_effect(
            EffectStart(key=step.key, attempt=attempt, tool_name=key, arguments={})
        )
        effect = self._world.effects[step.key]
        try:
            found = function()
            result = as_result(await found if inspect.isawaitable(found) else found)
        except Exception as exc:
            error = f"{type(exc).__name__}: {exc}"
            await self._world.end_effect(effect, EffectEnd(state=EffectState.FAILED, error=error))
            raise step.fail(exc) from exc
        await self._world.end_effect(effect, EffectEnd(state=EffectState.DONE, result=result))
        step.finish()
        return result

    async def gather(self, *awaitables: Awaitable[object]) -> list[object]:
        """All of them in parallel; every question among them is registered before the run suspends.

        It waits for all, then gives their values, or raises the first error by position.
        """
        step = await self._reach("gather", "", len(awaitables))
        tasks: list[asyncio.Task[object]] = []
        for number, awaitable in enumerate(awaitables):
            task = asyncio.get_running_loop().create_task(_await(awaitable))
            self._paths[task] = f"{step.key}.{number}/"
            tasks.append(task)
        try:
            if tasks:
                await asyncio.wait(tasks)
        except asyncio.CancelledError:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise
        raised = [task.exception() for task in tasks]
        for exc in raised:
            if exc is not None and not isinstance(exc, Exception | Pause):
                raise exc
        pauses = [exc for exc in raised if isinstance(exc, Pause)]
        if pauses:
            raise Pause([request for pause in pauses for request in pause.requests])
        for exc in raised:
            if exc is not None:
                raise exc
        step.finish()
        return [task.result() for task in tasks]

    # ── what is left behind ──

    async def say(self, text: str) -> None:
        """Write text into the answer. Text that was said before the pause is not said again."""
        fresh = self._world.journal.say(self._path("say", ""), text)
        self._said.append(text)
        if fresh:
            await self._world.say(fresh)

    @property
    def said(self) -> str:
        """All text of this run so far, that of earlier segments included."""
        return "".join(self._said)

    async def progress(
        self,
        stages: Iterable[Stage | str | JsonObject] = (),
        *,
        current: str | None = None,
        fraction: float | None = None,
        note: str | None = None,
    ) -> None:
        """Show how far the work has come."""
        given = [
            Stage(id=stage, label=stage) if isinstance(stage, str) else Stage.model_validate(stage)
            for stage in stages
        ]
        made = ProgressMade(stages=given, current=current, fraction=fraction, note=note)
        step = await self._reach("progress", note or current or "", made.model_dump(mode="json"))
        if not step.done:
            await self._world.show(made)
            step.finish()

    async def show(
        self,
        *,
        title: str,
        content: object,
        artifact_id: str | None = None,
        ui_tool_id: str = "artifact",
    ) -> str:
        """Put a result beside the chat; the same `artifact_id` again is its next version. Returns
        the id.

        Version 0 in the event asks the store for the next number: people may have changed it
        meanwhile.
        """
        body: JsonValue = to_jsonable_python(content)
        step = await self._reach("show", title, [title, body, artifact_id])
        if not step.done:
            made = artifact_id or derived_id(self._world.run.id, step.key)
            await self._world.show(
                ArtifactChanged(
                    id=made, ui_tool_id=ui_tool_id, title=title, content=body, version=0
                )
            )
            step.finish(made)
        return str(step.value)

    # ── time, ids, chance ──

    def now(self) -> datetime:
        """The time; on replay the time it was."""
        said = self._once_journalled("now", lambda: self._world.clock.now().isoformat())
        return TypeAdapter(datetime).validate_python(said)

    def uuid(self) -> str:
        return str(self._once_journalled("uuid", self._world.clock.new_id))

    def random(self) -> float:
        value = self._once_journalled("random", random.random)
        assert isinstance(value, float)
        return value


#: The same hand for a function agent: it is a tool that a person calls.
AgentContext = ToolContext


async def _await(awaitable: Awaitable[object]) -> object:
    return await awaitable
