"""What goes into a transaction of the store and what comes out of it: claims, messages, outcomes.

An outcome names everything that a commit set going: frames to publish, runs to take in hand, runs
to stop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sayso.core.digest import JsonObject
from sayso.core.errors import AlreadySettled
from sayso.core.feed import Frame
from sayso.core.interactions import Interaction, InteractionResponse
from sayso.core.segments import SegmentStart
from sayso.core.sessions import Run, RunState
from sayso.core.tasks import TaskRequest


@dataclass(frozen=True, slots=True)
class Lease:
    """Who claims, for how many seconds by the database's clock, and which agents it can run.

    A run of another agent is never claimed: it stays ready for a process that knows that agent. The
    name of an owner that works under the file lock begins with `lock:`.
    """

    owner: str
    seconds: float
    agents: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """A claim on a running run: writes of its segment hold only while the row still has this
    number."""

    app_id: str
    chat_id: str
    run_id: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """A run that is now ours to run, with all its segment needs."""

    fence: Fence
    start: SegmentStart
    #: What `claim` and `claim_due` wrote; empty inside an outcome, which has its own frames.
    frames: Sequence[Frame] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """What a commit set going: frames to publish, a run to take in hand, and child runs that were
    taken out of their workers' hands."""

    frames: Sequence[Frame] = ()
    claimed: Claimed | None = None
    stopped: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A person's message. `task` is the work it asks for; the same client_message_id again is the
    same message."""

    content: str
    client_message_id: str
    task: TaskRequest
    by: str | None = None
    supersede: bool = False
    metadata: JsonObject = field(default_factory=dict)
    #: The tool call that this tries again: its error cards are done with.
    retry_of: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted(Committed):
    """`status`: started | queued | answered | superseded | repeated."""

    status: str
    message_id: str
    run_id: str | None
    #: A waiting or running run that this message cancelled (mode supersede).
    cancelled: Fence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Waited:
    """`state` is WAITING, or READY when answers had already come for all that was asked."""

    state: RunState
    interactions: Sequence[Interaction]
    frames: Sequence[Frame]
    claimed: Claimed | None = None
    #: The child runs that were born and claimed here.
    children: Sequence[Claimed] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Postponed(Committed):
    """A run that is ready, and will be tried again when it is due. It waits for nobody, so that
    nothing else starts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retried(Committed):
    """A failed run that goes on: at once, where a lease was given, or as soon as it is claimed."""

    run: Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished(Committed):
    #: The run that starts or goes on now (the queued message's, or a child's parent), claimed if a
    #: lease was given.
    next_run_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """An answer that was read and checked against an interaction as it stood then."""

    response: InteractionResponse
    seen: Interaction


@dataclass(frozen=True, slots=True)
class Moved:
    """Nothing was written: the interaction is not as the answer was checked against. It stands
    here as it is now."""

    interaction: Interaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled(Committed):
    """What an answer, dismissal or expiry did. `repeated` means nothing was written: it had been
    done before."""

    interaction: Interaction
    repeated: bool = False
    run_state: RunState | None = None
    #: The run that this ended (on_expiry cancel), and the queued one that starts in its place.
    cancelled: Fence | None = None
    next_run_id: str | None = None


class AnsweredTooLate(AlreadySettled):
    """An answer that came past `expires_at` performed the expiry instead. That is committed:
    publish the frames of `settled` as for any other expiry. It claims nothing."""

    def __init__(self, settled: Settled) -> None:
        it = settled.interaction
        super().__init__(
            f"Interaction '{it.id}' had expired before this answer came.",
            context={"outcome": it.settlement()},
        )
        self.settled = settled


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelledRun(Committed):
    """`run` is None when there was nothing open to cancel; `fence` is the one whose owner must be
    told."""

    run: Run | None
    fence: Fence | None = None
    next_run_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPiece:
    """Text still being written, appended to what is stored, for the case of a crash."""

    fence: Fence
    message_id: str
    offset: int
    text: str
    agent_name: str | None = None
