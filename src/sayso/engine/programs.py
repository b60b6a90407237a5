"""The agents that an engine runs: those of its process, and for some tasks the same agents with the
tools that came with the task."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping

from sayso.core.segments import Program
from sayso.core.sessions import Run

#: Programs by the names of their agents.
ByName = Mapping[str, Program]

# More tasks than end in the few seconds for which a stopping worker waits for threads.
MOST_ENDED = 64


class Programs:
    """Finds the program of a run. What came with one task is never another's."""

    def __init__(self, own: ByName) -> None:
        self._own = own
        #: By chat, then by task, in the order in which the tasks came.
        self._lent: dict[tuple[str, str], dict[str, ByName]] = {}
        #: The last to be taken back: a thread of theirs may still have its result to record.
        self._ended: deque[ByName] = deque(maxlen=MOST_ENDED)

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._own)

    def __iter__(self) -> Iterator[Program]:
        """Every one there is."""
        lent = [programs for of_chat in list(self._lent.values()) for programs in of_chat.values()]
        for programs in (self._own, *lent, *self._ended):
            yield from programs.values()

    def lend(self, app_id: str, chat_id: str, task_id: str, programs: ByName) -> bool:
        """This task is run by these; False where it has its own already, which it keeps."""
        of_chat = self._lent.setdefault((app_id, chat_id), {})
        return of_chat.setdefault(task_id, programs) is programs

    def take_back(self, app_id: str, chat_id: str, task_id: str) -> None:
        """The task has ended."""
        of_chat = self._lent.get((app_id, chat_id), {})
        if task_id in of_chat:
            self._ended.append(of_chat.pop(task_id))
        if not of_chat:
            self._lent.pop((app_id, chat_id), None)

    def of(self, run: Run) -> Program | None:
        """The program that runs this; None where no agent of that name is here."""
        lent = self._lent.get((run.app_id, run.chat_id), {})
        programs = lent.get(run.task.task_id)
        if programs is None and run.parent_run_id is not None:
            # A child works for the one open task of its chat, which came first of those there.
            programs = next(iter(lent.values()), None)
        return (self._own if programs is None else programs).get(run.agent)
