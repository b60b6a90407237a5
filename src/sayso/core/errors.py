"""Every error Sayso raises: a stable code, a plain sentence and a remedy.

SaysoError
├── UserMistake            the caller can fix it
│   ├── NotFound · InvalidInput · AnswerInvalid · AnswerAlone · StaleDigest · AlreadySettled
│   ├── NotApproved · AlreadyStarted
│   ├── IdempotencyKeyReused · MessageIdReused · TaskIdReused · Forbidden · TooLarge · TooDeep
│   ├── NotSupportedError · VersionConflict · PolicyInvalid · SchemaInvalid
│   └── AgentNotLoaded
├── Recoverable            trying again can help
│   ├── StoreBusy · LeaseLost · RateLimited · AlreadyUnderWay · ModelUnavailable
│   └── NotExecuted        nothing left this process: ToolUnavailable · SystemAway · ToolMistake
└── Critical               nobody can go on before something is mended
    ├── StoreReadOnly (StoreFull · StoreMoved · StoreDamaged) · DatabaseTooNew · DatabaseInUse
    ├── AgentFailed · ReplayDiverged · StateUnreadable · ToolMissing · AgentStuck · PersonNeeded
    └── PortTaken
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from sayso.core.raised import as_text


class SaysoError(Exception):
    """Base of the tree. `detail` says what happened; `fix` says what to do; `context` is
    machine-readable."""

    code: ClassVar[str] = "error"
    title: ClassVar[str] = "Something went wrong"
    remedy: ClassVar[str] = ""

    def __init__(
        self, detail: str, *, fix: str | None = None, context: Mapping[str, object] | None = None
    ) -> None:
        detail = as_text(detail)
        super().__init__(detail)
        self.detail = detail
        self.fix = fix if fix is not None else self.remedy
        self.context: dict[str, object] = dict(context or {})


class UserMistake(SaysoError):
    """The caller can fix it."""

    code = "mistake"


class NotFound(UserMistake):
    code = "not_found"
    title = "Not found"
    remedy = "Check the id; it may belong to another account, or was never created."


class InvalidInput(UserMistake):
    code = "invalid_input"
    title = "The request could not be read"
    remedy = "Correct the fields named in `errors` and send it again."


class AnswerInvalid(UserMistake):
    code = "answer_invalid"
    title = "The answer does not fit the card"
    remedy = "Correct the fields named in `errors`; the card stays open and keeps waiting."


class AnswerAlone(UserMistake):
    code = "answer_alone"
    title = "This needs an answer of its own"
    remedy = "Open it and answer it alone; a policy says what may be approved together with others."


class StaleDigest(UserMistake):
    code = "stale_digest"
    title = "The proposal has changed"
    remedy = "Load the card again, read what changed, and decide on the current proposal."


class AlreadySettled(UserMistake):
    code = "already_settled"
    title = "Already settled"
    remedy = "Reload to see the outcome; the first answer stands."


class AlreadyClaimed(UserMistake):
    """Two people want to look at one card."""

    code = "already_claimed"
    title = "Somebody else is looking at this"
    remedy = "Ask them, or take it over with `take_over`."


class NotApproved(UserMistake):
    """An asker takes an approval that nobody has given."""

    code = "not_approved"
    title = "There is no approval to use"
    remedy = "Wait for the answer: GET /api/asks/{id}?wait=300."


class AlreadyStarted(UserMistake):
    """An approval is used once."""

    code = "already_started"
    title = "The approval has been used"
    remedy = "Look at what became of it. Who may do it twice says so: `idempotent` true."


class IdempotencyKeyReused(UserMistake):
    code = "idempotency_key_reused"
    title = "This key was used for another answer"
    remedy = "Use a new Idempotency-Key for a new answer; repeat the same body to repeat an answer."


class MessageIdReused(UserMistake):
    code = "message_id_reused"
    title = "This message id was used for other words"
    remedy = "Use a new client_message_id for a new message."


class TaskIdReused(UserMistake):
    code = "task_id_reused"
    title = "This task id was used for another task"
    remedy = "Use a new task_id, or send the same task again to join it."


class VersionConflict(UserMistake):
    code = "version_conflict"
    title = "Someone changed it first"
    remedy = "Load the current version, apply your change to it, and send it with that version."


class GrantVoid(UserMistake):
    code = "grant_void"
    title = "The approval is no longer valid"
    remedy = "A value was changed, or it was used already. Ask for the action again."


class RuleOver(UserMistake):
    code = "rule_over"
    title = "The rule holds no longer"
    remedy = "It was revoked, or its time is over: a person is asked."


class Forbidden(UserMistake):
    code = "forbidden"
    title = "Not allowed"
    remedy = "Ask someone who may answer this, or ask an administrator for the role."


class TooLarge(UserMistake):
    code = "too_large"
    title = "Too large"
    remedy = "Send less; the limit stands in the detail."


class TooDeep(UserMistake):
    """JSON nests so deeply that it could not be read again."""

    code = "too_deep"
    title = "Nested too deeply"
    remedy = "Nest it less: give the parts one by one, or the inner ones as text."


class PolicyInvalid(UserMistake):
    code = "policy_invalid"
    title = "A policy rule could not be read"
    remedy = "Correct the rule named in the detail; nothing runs until it can be read."


class SchemaInvalid(UserMistake):
    """A card's JSON Schema cannot be compiled: the agent that asks with it is told."""

    code = "schema_invalid"
    title = "The schema of a card cannot be used"
    remedy = (
        "Correct the schema that the agent asks with: JSON Schema 2020-12, with references into "
        "itself only, none of which leads back to itself, and patterns without look-around."
    )


class AgentNotLoaded(UserMistake):
    code = "agent_not_loaded"
    title = "The agent could not be loaded"
    remedy = "Name it as module:attr, from the folder of the module."


class NotSupportedError(UserMistake):
    """This agent or mode cannot do what was asked."""

    code = "not_supported"
    title = "Not supported"


class Recoverable(SaysoError):
    """Trying again can help."""

    code = "recoverable"


class StoreBusy(Recoverable):
    code = "store_busy"
    title = "The database is busy"
    remedy = (
        "Try again in a moment. If it lasts, look for another program that holds the file open."
    )


class LeaseLost(Recoverable):
    """Another worker owns the run now; whatever this one still wanted to write is refused."""

    code = "lease_lost"
    title = "Another worker has taken the run over"


class RateLimited(Recoverable):
    code = "rate_limited"
    title = "Too many requests"
    remedy = "Wait for the seconds named in Retry-After, then go on."


class ModelUnavailable(Recoverable):
    """The model's provider is away, overloaded or limits requests, and the framework's own retries
    are spent. `retry_after`: the seconds after which the provider wants to be asked again."""

    code = "model_unavailable"
    title = "The model is not available"
    remedy = "Try again in a while: the run continues from where it was, and nothing is done twice."

    def __init__(self, detail: str, *, retry_after: float | None = None) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class AlreadyUnderWay(Recoverable):
    """Another call under the same business key has begun, and it is not known how it ended."""

    code = "already_under_way"
    title = "Already under way"
    remedy = (
        "Do not call it again. Wait until the first one has ended, or until a person has said what "
        "became of it."
    )


class NotExecuted(Recoverable):
    """A tool's body ended before anything left this process: nothing was done, and nobody needs to
    ask. Raise it where that is certain."""

    code = "not_executed"
    title = "Nothing was done"
    remedy = "Nothing was done. It can be tried again."


class ToolUnavailable(NotExecuted):
    """A tool could not start its work (a server away). Nothing happened; a retry is safe."""

    code = "tool_unavailable"
    title = "The tool could not be reached"
    remedy = "Nothing was done. Check that its server runs, then retry."


class SystemAway(NotExecuted):
    """A program that a tool works with is away, and a person has to do something: a critical
    failure, with the steps that mend it. Nothing was done."""

    code = "system_away"
    title = "A program that the tool needs is away"
    remedy = "Nothing was done. Do what the steps say, then retry."

    def __init__(self, message: str, *, details: str = "", steps: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.details, self.steps = details, tuple(steps)


class ToolMistake(NotExecuted):
    """A tool refuses its arguments: the model is told `message` and `suggestion`, and nothing
    was done."""

    code = "tool_mistake"
    title = "The tool refuses these arguments"

    def __init__(
        self, message: str, *, suggestion: str | None = None, details: str | None = None
    ) -> None:
        super().__init__(message, fix=suggestion)
        self.message = message
        self.suggestion = suggestion
        self.details = details


class Critical(SaysoError):
    """Nobody can go on before something is mended."""

    code = "critical"


class StoreReadOnly(Critical):
    code = "store_read_only"
    title = "The database cannot be written"
    remedy = "Check the permissions of the file and its folder, and that the disk is not full."


class StoreFull(StoreReadOnly):
    code = "store_full"
    title = "The disk is full"
    remedy = "Make room on the disk of the database; the server goes on by itself."


class StoreMoved(StoreReadOnly):
    code = "store_moved"
    title = "The database was moved or replaced"
    remedy = "Put the file back where it was, and the server goes on; or restart the server."


class StoreDamaged(StoreReadOnly):
    code = "store_damaged"
    title = "The database is damaged"
    remedy = "Restore a backup, or choose another folder with --data."


class DatabaseTooNew(Critical):
    code = "database_too_new"
    title = "The database is from a newer Sayso"
    remedy = "Install that newer version, or restore a backup made with this one."


class DatabaseInUse(Critical):
    code = "database_in_use"
    title = "Another server already works on this database"
    remedy = "Use the running one, stop it first, or choose another folder with --data."


class AgentFailed(Critical):
    code = "agent_failed"
    title = "The agent stopped with an error"
    remedy = "The agent needs a code fix. Read the error, then send the message again."


class ReplayDiverged(Critical):
    code = "replay_diverged"
    title = "The agent's code changed while it waited"
    remedy = "Restore the earlier code to finish this run, or cancel it and send the message again."


class CallNeverRan(Critical):
    code = "call_never_ran"
    title = "A call of this run never ran"
    remedy = "Send the message again: each call is then made, and asked about, by itself."


class StateUnreadable(Critical):
    code = "state_unreadable"
    title = "The saved state cannot be read by this version"
    remedy = "Start the turn again, or run the version named in the detail to finish it."


class ToolMissing(Critical):
    code = "tool_missing"
    title = "A tool that this run needs is not there"
    remedy = "Give the agent this tool again (tools=[...]) and restart; the run waits."


class AgentStuck(Critical):
    code = "agent_stuck"
    title = "The agent is stuck"
    remedy = (
        "Await inside long loops, or move blocking work into a plain `def` tool, and that of a "
        "reader of messages into a plain `def extract`: those run in threads."
    )


class PortTaken(Critical):
    code = "port_taken"
    title = "The port is taken"
    remedy = "Stop the program that listens there, or choose another port with --port."


class PersonNeeded(Critical):
    """A run in a mode that may not pause reached a question (ExecutionMode.ASYNC_STREAM)."""

    code = "person_needed"
    title = "A person is needed, and this mode cannot wait for one"
    remedy = "Use ExecutionMode.INTERACTIVE, or a policy that allows this call."


class NoServer(Recoverable):
    """No server answers: nothing is known of what was asked for."""

    code = "no_server"
    title = "No server"
    remedy = "Start `sayso serve`, or name a server: --on URL, or SAYSO_URL."


class ServerRefusal(UserMistake):
    """What a server refused for a reason that this version has no class for."""

    code = "refused"
    title = "The server refused"
