"""What a tool's own UI asks for: a call of its server, which may have to wait for a person.

Such a call is a run in the chat of its UI, beside the chat's own: it neither holds that up nor ends
with it. Its parent is the UI, which is no run, so nothing is waiting for its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

from sayso.core.children import child_task_id
from sayso.core.digest import JsonObject
from sayso.core.errors import StateUnreadable
from sayso.core.ids import derived_id
from sayso.core.sessions import Run, RunState
from sayso.core.store_results import Committed
from sayso.core.tasks import TaskRequest, UniversalMessage

#: The type of the task of such a run.
UI_TASK = "tool_ui_call"
#: The one call of such a run.
UI_CALL_KEY = "ui"
#: How many calls of one UI may be open at once. More is a mistake, or a flood of cards.
MOST_OPEN = 5
#: How many a UI may begin in a minute: each is a row of the chat.
MOST_A_MINUTE = 20
#: What a UI gets of one result.
LARGEST_RESULT_BYTES = 10 * 1024 * 1024


class UiCallState(StrEnum):
    RUNNING = "running"
    #: A person is asked.
    WAITING = "waiting"
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class UiCall:
    """A call that a UI makes. `tool` is the name that its server gives it."""

    #: The call whose UI this is, its chat, and the agent that made it.
    of: str
    chat_id: str
    agent: str
    #: What people call the UI: "pods_list UI".
    ui_name: str
    server: str
    tool: str
    arguments: JsonObject
    by: str | None

    def task(self, run_id: str) -> TaskRequest:
        return TaskRequest(
            task_id=child_task_id(f"ui:{run_id}"),
            task_type=UI_TASK,
            messages=[UniversalMessage(role="user", content=f"{self.ui_name}: {self.tool}")],
            context={
                "of": self.of,
                "ui_name": self.ui_name,
                "server": self.server,
                "tool": self.tool,
                "arguments": self.arguments,
            },
        )

    def is_of(self, run: Run) -> bool:
        """Tell whether this run is of the same call, by the same person."""
        return run.task.context == self.task(run.id).context and run.person == self.by


@dataclass(frozen=True, slots=True, kw_only=True)
class UiCallRecord:
    """Where such a call stands. Once it has ended, `result` is the digest of what the UI is told;
    without one the run has failed or was cancelled."""

    run: Run
    #: The cards that it waits for.
    cards: Sequence[str] = ()
    result: str = ""

    @property
    def state(self) -> UiCallState:
        if self.run.state.is_final:
            return UiCallState.ENDED
        return UiCallState.WAITING if self.cards else UiCallState.RUNNING

    @property
    def tool(self) -> str:
        return str(self.run.task.context["tool"])


@dataclass(frozen=True, slots=True, kw_only=True)
class UiCallOpened(Committed):
    record: UiCallRecord


@runtime_checkable
class ServesUis(Protocol):
    """A program whose tools have UIs of their own: what these may ask for beside a run."""

    async def call_for_ui(self, call: UiCall, preferences: JsonObject) -> JsonObject | None:
        """Make a call that nobody has to be asked about and that changes nothing, and return its
        whole result; None where it needs a run. Raises Forbidden, NotFound, InvalidInput."""

    async def read_for_ui(self, server: str, uri: str, person: str | None) -> JsonObject:
        """Return what `resources/read` of this server gives. Raises Forbidden, InvalidInput,
        ToolUnavailable."""


def ui_id(tool_call_id: str) -> str:
    """Return what stands as the parent of the calls of this call's UI."""
    return derived_id(tool_call_id, "ui")


def is_of_ui(task_id: str) -> bool:
    """Tell whether a task is a call of a UI, which is no business of the chat's own run."""
    return task_id.startswith(child_task_id("ui:"))


def failed_result(words: str) -> JsonObject:
    """Return a result that says in words why there is none."""
    return {"content": [{"type": "text", "text": words}], "isError": True}


def called_in(task: TaskRequest) -> tuple[str, str, JsonObject, str]:
    """Return server, tool, arguments and the name of the UI. Raises StateUnreadable."""
    match task.context:
        case {"server": str(server), "tool": str(tool), "arguments": dict(arguments), **rest}:
            return server, tool, arguments, str(rest.get("ui_name", ""))
        case _:
            raise StateUnreadable("The call of a tool's UI cannot be read.")


#: How much of what a UI has noted goes with a message.
LONGEST_NOTE = 16_000


def with_notes(task: TaskRequest) -> TaskRequest:
    """Return the task as its agent reads it: with what open UIs have noted for it
    (`ui/update-model-context`), which the person has seen and sent along. It is not the person's
    word, so whoever asks what the person said reads the task without it."""
    given = task.context.get("tool_ui")
    notes = [
        _NOTE.format(name=str(note["name"])[:200], text=str(note["text"])[:LONGEST_NOTE])
        for note in (given if isinstance(given, list) else [])
        if isinstance(note, dict) and "name" in note and "text" in note
    ]
    if not notes or not task.messages:
        return task
    *before, last = task.messages
    words = "\n\n".join([last.content, *notes])
    return task.model_copy(
        update={"messages": [*before, last.model_copy(update={"content": words})]}
    )


_NOTE = "[The {name} has noted this; these are not the person's words:\n{text}]"

_ENDED_BADLY = {
    RunState.FAILED: "The call could not be made.",
    RunState.CANCELLED: "The call was cancelled.",
}


def why_no_result(run: Run) -> JsonObject:
    """Return what a UI is told of a run that ended without a result."""
    detail = (run.error or {}).get("detail")
    return failed_result(str(detail or _ENDED_BADLY.get(run.state, "There is no result.")))
