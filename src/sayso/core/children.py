"""A child run: a task that one agent hands to another, and what comes back to the call that handed
it over.

Its id is derived from the parent run and the call's key, so the same call is the same child
however often it is made. The parent waits on the child's row as it waits on a card; the child's end
and the parent's going on are one transaction.
"""

from __future__ import annotations

from dataclasses import dataclass

from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput
from sayso.core.ids import derived_id
from sayso.core.interactions import CardRequest
from sayso.core.sessions import RunState
from sayso.core.tasks import TaskRequest

_CHILD = "child:"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildRequest:
    """What a segment asks for when another agent is to do something and it waits for the result."""

    call_key: str
    agent: str
    task: TaskRequest


#: What a segment may wait for: people, and other agents.
Request = CardRequest | ChildRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildEnd:
    """How a child run ended: `output` is what it said last, or why it was cancelled."""

    state: RunState
    output: str = ""
    error: JsonObject | None = None


def child_run_id(parent_run_id: str, call_key: str) -> str:
    """It is also the id of the call's row in the chat: who sees the call knows the child."""
    return derived_id(parent_run_id, call_key)


def child_task_id(run_id: str) -> str:
    """Return the id of a child's task: none that a message may bring, so that the two never
    meet."""
    return f"{_CHILD}{run_id}"


def reject_child_task_id(task_id: str) -> None:
    """Raise InvalidInput where a task from outside uses an id reserved for child tasks."""
    if task_id.startswith(_CHILD):
        raise InvalidInput(
            f"An id may not begin with '{_CHILD}': tasks that agents hand on are called so.",
            fix="Use another client_message_id, or task_id.",
        )
