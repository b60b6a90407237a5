"""What a tool body or a function agent holds in its hand: questions to people, tools, time, and
what it leaves behind.

Every operation is a step of the journal: on replay it gives what it gave before, and does nothing a
second time.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar, Unpack

from pydantic import BaseModel, JsonValue, TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from sayso.core.cards import Card, Option
from sayso.core.depth import CUT, check_depth, is_too_deep
from sayso.core.digest import JsonObject
from sayso.core.events import ArtifactChanged, ProgressMade, Stage
from sayso.core.ids import derived_id
from sayso.core.interactions import Interaction, InteractionType, Proposal
from sayso.core.tasks import TaskRequest, UniversalMessage, tool_name
from sayso.tools import questions
from sayso.tools.call import NeedsPerson
from sayso.tools.gathering import all_of
from sayso.tools.once import run_once
from sayso.tools.outcomes import outcome_of
from sayso.tools.pause import Pause, StepFailed, Stopped
from sayso.tools.questions import AskOptions
from sayso.tools.steps import Steps
from sayso.tools.tool import as_tool

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
        shown = questions.as_shown(details)
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

    async def present(
        self,
        name: str,
        card: Card,
        *,
        proposal: Proposal | None = None,
        type_: InteractionType | None = None,
        before: Callable[[], Awaitable[None]] | None = None,
        **options: Unpack[AskOptions],
    ) -> Interaction:
        """Show a card of one's own making and wait; how it was settled. `name` tells it from the
        others of this body. `before` is awaited once the card is about to open."""
        step = await self._reach("present", name[:80], name)
        if self._world.answer(step.key) is None and before is not None:
            await before()
        return await self._settled(step, card, options, proposal=proposal, type_=type_)

    # ── what is known of the requirements of actions ──

    @property
    def turn_id(self) -> str:
        """What names the person's message in what is known: its id, or the run's."""
        return self._world.start.message_id or self._world.run.id

    @property
    def requirements(self) -> JsonObject | None:
        """What the chat's row says of them, as far as this segment knows."""
        return self._world.kept

    async def change_requirements(self, changed: JsonObject) -> None:
        """Write their next version. Raises VersionConflict; `requirements` is then what is there
        now."""
        await self._world.change_requirements(changed)

    # ── tools and other work ──

    async def call(self, tool: object, /, **arguments: object) -> JsonValue:
        """Call a tool through the toolbox: policy, approval and effect record as for any model.

        A rejection, a denial, a dismissal, and what `prepare` refuses are values
        (`{"status": …}`); an error of the tool raises StepFailed.
        """
        name = tool_name(tool)
        sent: JsonObject = CUT if is_too_deep(arguments) else to_jsonable_python(arguments)
        step = await self._reach("call", name, sent)
        # A tool that agents are not shown is called by itself, through the same seam.
        unlisted = None if isinstance(tool, str) or self._toolbox.knows(name) else as_tool(tool)
        returned = await self._toolbox.call(step.key, name, sent, tool=unlisted)
        if isinstance(returned, NeedsPerson):
            raise Pause(returned.requests)
        step.finish()
        if returned.error is not None:
            raise StepFailed.told(step.title, returned.error) from returned.exception
        return returned.result

    async def once(self, key: str, function: Callable[[], Awaitable[T] | T]) -> JsonValue:
        """Run `function` at most once for this key, with a record of its own. Its value is given as
        JSON."""
        return await run_once(
            self._world, await self._reach("once", key, key), function, self._pause
        )

    async def gather(self, *awaitables: Awaitable[object]) -> list[object]:
        """All of them in parallel; every question among them is registered before the run suspends.

        It waits for all, then gives their values, or raises the first error by position.
        """
        step = await self._reach("gather", "", len(awaitables))
        tasks = [asyncio.create_task(_await(awaitable)) for awaitable in awaitables]
        for number, task in enumerate(tasks):
            self._paths[task] = f"{step.key}.{number}/"
        values = await all_of(tasks)
        step.finish()
        return values

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
        check_depth(content, f"What is shown as '{title}'")
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
