"""The agents that an engine runs: those of its process, and for some tasks the same agents with the
tools that came with the task."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping

from sayso.core.segments import Program
from sayso.core.sessions import Run

#: AgentRegistry by the names of their agents.
ByName = Mapping[str, Program]

# More tasks than end in the few seconds for which a stopping worker waits for threads.
MOST_ENDED = 64


class AgentRegistry:
    """Finds the program of a run. What came with one task is never used for another."""

    def __init__(self, own: ByName) -> None:
        self._own = own
        #: By chat, then by task, in the order in which the tasks came.
        self._of_tasks: dict[tuple[str, str], dict[str, ByName]] = {}
        #: The last to be unregistered: one of their threads may still have a result to record.
        self._ended: deque[ByName] = deque(maxlen=MOST_ENDED)

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._own)

    def __iter__(self) -> Iterator[Program]:
        """Iterate over every program there is."""
        of_tasks = [each for chat in list(self._of_tasks.values()) for each in chat.values()]
        for programs in (self._own, *of_tasks, *self._ended):
            yield from programs.values()

    def register_for_task(self, app_id: str, chat_id: str, task_id: str, programs: ByName) -> bool:
        """Run this task with these. Returns False where it has its own already, which it keeps."""
        of_chat = self._of_tasks.setdefault((app_id, chat_id), {})
        return of_chat.setdefault(task_id, programs) is programs

    def unregister(self, app_id: str, chat_id: str, task_id: str) -> None:
        """Forget the programs of a task that has ended."""
        of_chat = self._of_tasks.get((app_id, chat_id), {})
        if task_id in of_chat:
            self._ended.append(of_chat.pop(task_id))
        if not of_chat:
            self._of_tasks.pop((app_id, chat_id), None)

    def find(self, run: Run) -> Program | None:
        """Return the program that runs this; None where no agent of that name is here."""
        of_chat = self._of_tasks.get((run.app_id, run.chat_id), {})
        programs = of_chat.get(run.task.task_id)
        if programs is None and run.parent_run_id is not None:
            # A child works for the one open task of its chat, which came first of those there.
            programs = next(iter(of_chat.values()), None)
        return (self._own if programs is None else programs).get(run.agent)
