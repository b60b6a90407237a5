"""What a tool body or a function agent works with: questions to people, tools, time, and what it
leaves behind.

Every operation is a step of the journal: on replay it returns what it returned before, and does
nothing a second time.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from pydantic import JsonValue
from pydantic_core import to_jsonable_python

from sayso.core.digest import JsonObject
from sayso.core.effects import EffectState
from sayso.core.events import ArtifactChanged, ProgressMade, Stage, StageState
from sayso.core.held_calls import CallOfRun
from sayso.core.ids import derived_id
from sayso.core.json_limits import CUT, check_depth, is_too_deep
from sayso.core.raised import as_text
from sayso.core.tasks import TaskRequest, UniversalMessage, tool_name
from sayso.tools.asking import Questions
from sayso.tools.calls import CallSuspended
from sayso.tools.effects import run_once
from sayso.tools.journal import Step
from sayso.tools.replay import all_of
from sayso.tools.suspension import StepFailed
from sayso.tools.tool import as_tool


class ToolContext(Questions):
    """The context of one tool call, or of one function agent (then it is called AgentContext)."""

    # ── what it is about ──

    @property
    def task(self) -> TaskRequest:
        return self._env.run.task

    @property
    def message(self) -> str:
        """What the person said last."""
        return self.task.words

    @property
    def person(self) -> str | None:
        """Who asked, as the server knows them; never what a message claims."""
        return self._env.run.person

    @property
    def tool_call_id(self) -> str:
        """The id under which the chat shows this call."""
        return self._env.call_id(self._call_key or self._scope)

    @property
    def call_of_run(self) -> CallOfRun:
        """Which call this is, for a side that keeps something open for it."""
        return CallOfRun(self._env.run.app_id, self._env.run.id, self.tool_call_id)

    @property
    def history(self) -> list[UniversalMessage]:
        """The chat before this task."""
        return list(self._env.history)

    @property
    def preferences(self) -> Mapping[str, JsonValue]:
        """The chat's preferences as they are now: they may have changed while the run waited."""
        return self._env.start.preferences

    @property
    def idempotency_key(self) -> str:
        """The same key however often this call is taken over or run again: pass it to the other
        side."""
        return derived_id(self._env.run.id, "idempotency", self._call_key or self._scope)

    # ── what is known of the requirements of actions ──

    @property
    def turn_id(self) -> str:
        """The id of the person's message in the requirements, or the run's where there is none."""
        return self._env.start.message_id or self._env.run.id

    @property
    def requirements(self) -> JsonObject | None:
        """The requirements in the chat's row, as far as this segment knows."""
        return self._env.requirements

    async def change_requirements(self, changed: JsonObject) -> None:
        """Write the next version of the requirements. Raises VersionConflict; `requirements` is
        then what is there now."""
        await self._env.change_requirements(changed)

    # ── tools and other work ──

    async def call(self, tool: object, /, **arguments: object) -> JsonValue:
        """Call a tool through the toolbox: policy, approval and effect record as for any model.

        A rejection, a denial, a dismissal, and what `prepare` refuses are values
        (`{"status": …}`); an error of the tool raises StepFailed.
        """
        name = tool_name(tool)
        sent: JsonObject = CUT if is_too_deep(arguments) else to_jsonable_python(arguments)
        # A tool that agents are not shown also passes through the toolbox.
        unlisted = None if self._toolbox.has(tool) else as_tool(tool)
        with self._working():
            step = await self._reach("call", name, sent)
            if step.was_cut:
                self._stop_working()
                await asyncio.get_running_loop().create_future()  # until it is given up again
            try:
                returned = await self._toolbox.call(step.key, name, sent, tool=unlisted)
            except asyncio.CancelledError:
                if not await self._goes_on(step):
                    raise
                returned = await self._toolbox.call(step.key, name, sent, tool=unlisted)
            if isinstance(returned, CallSuspended):
                await self._wait(returned.requests)
        step.finish()
        if returned.error is not None:
            raise StepFailed.from_error(
                step.title, returned.error, was_asked_about=returned.was_asked_about
            ) from returned.exception
        return returned.result

    async def _goes_on(self, step: Step) -> bool:
        """Return whether a call that its caller gave up (a timeout, a faster sibling) is not over
        for all that: a thread cannot be stopped, and if nobody knows what was done under a person's
        yes, a person is asked."""
        env = self._env
        if env.is_stopping():
            return False
        await env.detached_threads.until_ended(env.call_id(step.key))
        effect = env.effects.get(step.key)
        if effect is not None and effect.state in (EffectState.DONE, EffectState.FAILED):
            return True
        if effect is not None and (effect.shown_digest or effect.business_key):
            return True
        step.cut()
        return False

    async def once(self, key: str, function: Callable[[], object]) -> JsonValue:
        """Run `function` at most once, with a record of its own that says `key`. Its value is
        returned as JSON. The same key a second time is another piece of work. `function` must not
        ask: nobody would know what it had done before."""

        async def work() -> object:
            with self._acting():
                found = function()
                return await found if inspect.isawaitable(found) else found

        return await run_once(self._env, await self._reach("once", key, key), work, self._wait)

    async def keep(self, key: str, make: Callable[[], Awaitable[JsonValue]]) -> JsonValue:
        """Return what `make` returned. It is not made again when this body goes on after a pause:
        it is kept with the state that the pause saves."""
        step = await self._reach("keep", key, key)
        if not step.done:
            step.finish(await make())
        return step.value

    async def gather(self, *awaitables: Awaitable[object]) -> list[object]:
        """Run all of them in parallel; every question among them is registered before the run
        suspends.

        It waits for all, then returns their values, or raises the first error by position.
        """
        step = await self._reach("gather", "", len(awaitables))
        tasks = [asyncio.create_task(_await(awaitable)) for awaitable in awaitables]
        for number, task in enumerate(tasks):
            self._paths[task] = f"{step.key}.{number}/"
        self._gathers += 1
        try:
            values = await all_of(tasks)
        finally:
            self._gathers -= 1
        step.finish()
        return values

    # ── what is left behind ──

    async def say(self, text: str) -> None:
        """Write text into the answer. Text that was said before the pause is not said again."""
        if not isinstance(text, str):
            raise TypeError(f"`ctx.say` takes a text, not a {type(text).__name__}: {text!r:.80}")
        text = as_text(text)
        path = self._path("say", "")
        self._check_goes_on(path)
        fresh = self._env.journal.say(path, text)
        self._said.append(text)
        if fresh:
            await self._env.say(fresh)

    def describe(self, metadata: JsonObject) -> None:
        """Add to what this run's messages carry beside their text."""
        self._env.recorder.describe(metadata)

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
        """Show how far the work has come. A stage that is given by its name alone is done before
        the `current` one, and to do after it."""
        given = _stages(list(stages), current)
        made = ProgressMade(stages=given, current=current, fraction=fraction, note=note)
        step = await self._reach("progress", note or current or "", made.model_dump(mode="json"))
        if not step.done:
            await self._env.show(made)
            step.finish()

    async def tell_progress(self, *, fraction: float | None = None, note: str) -> None:
        """Show how far the other side of a call has come. Unlike `progress` it is no step: when it
        is told depends on the time, so it is not told again on replay."""
        await self._env.show(ProgressMade(fraction=fraction, note=note))

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
            made = artifact_id or derived_id(self._env.run.id, step.key)
            await self._env.show(
                ArtifactChanged(
                    id=made, ui_tool_id=ui_tool_id, title=title, content=body, version=0
                )
            )
            step.finish(made)
        return str(step.value)


#: A function agent gets the same context: it is like a tool that a person calls.
AgentContext = ToolContext


def _stages(given: Sequence[Stage | str | JsonObject], current: str | None) -> list[Stage]:
    made: list[Stage] = []
    state = StageState.DONE if current in given else StageState.TODO
    for stage in given:
        if not isinstance(stage, str):
            made.append(Stage.model_validate(stage))
            continue
        if stage == current:
            made.append(Stage(id=stage, label=stage, state=StageState.CURRENT))
            state = StageState.TODO
        else:
            made.append(Stage(id=stage, label=stage, state=state))
    return made


async def _await(awaitable: Awaitable[object]) -> object:
    return await awaitable
