"""The replay journal: what a function agent or a tool body has reached, so that it can be run again
from its start.

A step is known by its task's path and (kind, name, digest of its arguments) and an ordinal among
its likes, never by a global order: parallel branches may go on in any order. On replay each path
must reach its steps again in the same order; if it does not, the code has changed while it waited,
and ReplayDiverged names the step before anything runs.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import orjson
from pydantic import JsonValue

from sayso.core.digest import JsonObject, digest
from sayso.core.errors import ReplayDiverged, StateUnreadable
from sayso.tools.pause import StepFailed

JOURNAL_VERSION = 1


@dataclass(slots=True)
class Step:
    """One thing a path has reached. It is open until it has a value or an error."""

    key: str
    kind: str
    name: str
    digest: str
    done: bool = False
    value: JsonValue = None
    error: tuple[str, str] | None = None

    @property
    def title(self) -> str:
        return f"{self.kind} {self.name!r}" if self.name else self.kind

    def is_like(self, kind: str, name: str, digest_: str) -> bool:
        return (self.kind, self.name, self.digest) == (kind, name, digest_)

    def finish(self, value: JsonValue = None) -> None:
        self.done, self.value = True, value

    def fail(self, exc: BaseException) -> StepFailed:
        """Note the error; the exception to raise, now and on every replay."""
        self.done, self.error = True, (type(exc).__name__, str(exc))
        return StepFailed(self.title, *self.error)

    def outcome(self) -> JsonValue:
        """The value of a finished step; raises StepFailed if it had ended with an error."""
        if self.error is not None:
            raise StepFailed(self.title, *self.error)
        return self.value


@dataclass(slots=True)
class _Path:
    """The steps of one task, how many of them this replay has passed, and the text it had said."""

    steps: list[Step] = field(default_factory=list)
    passed: int = 0
    said_before: int = 0
    said_hash: str = ""
    said: int = 0
    hasher: hashlib._Hash = field(default_factory=hashlib.sha256)

    @property
    def owes_text(self) -> bool:
        return self.said < self.said_before

    def said_now(self) -> tuple[int, str]:
        if self.owes_text:
            return self.said_before, self.said_hash
        return self.said, self.hasher.hexdigest()


@dataclass(slots=True)
class Journal:
    """All paths of a run, with what the toolbox must remember of the calls that have no effect
    row."""

    _paths: dict[str, _Path] = field(default_factory=dict)
    #: Calls whose row is in the chat already.
    called: set[str] = field(default_factory=set)
    #: How calls without an effect ended (read-only, refused, denied, rejected): {"value",
    #: "failed"}.
    results: dict[str, JsonObject] = field(default_factory=dict)
    #: Calls whose body waits for a person in its middle, with the attempt that does.
    paused: dict[str, int] = field(default_factory=dict)
    #: Calls whose body found its proposal stale, with the revision it was (0: there was none).
    stale: dict[str, int] = field(default_factory=dict)
    #: The chat before this task, as the first segment was given it.
    history: list[JsonObject] | None = None
    #: Once diverged it stays so: an agent that swallows the error gets nothing done after it.
    diverged: ReplayDiverged | None = None

    def reach(self, path: str, kind: str, name: str, arguments: JsonValue) -> Step:
        """The step this path is at: the journalled one when it was reached before, else a new
        one."""
        self.check_not_diverged()
        log = self._paths.setdefault(path, _Path())
        fingerprint = digest(arguments).removeprefix("sha256:")[:16]
        if log.passed < len(log.steps):
            step = log.steps[log.passed]
            if not step.is_like(kind, name, fingerprint):
                raise self._diverge(
                    path, f"now reaches {_title(kind, name)} where it had {step.title}"
                )
            log.passed += 1
            return step
        if log.owes_text:
            raise self._diverge(
                path, f"reaches {_title(kind, name)} before it has said what it had said"
            )
        ordinal = sum(step.is_like(kind, name, fingerprint) for step in log.steps)
        step = Step(f"{path}{kind}:{fingerprint}#{ordinal}", kind, name, fingerprint)
        log.steps.append(step)
        log.passed += 1
        return step

    def say(self, path: str, text: str) -> str:
        """The part of `text` that has not been said before; checks that the rest is the same
        words."""
        self.check_not_diverged()
        log = self._paths.setdefault(path, _Path())
        known = text[: max(log.said_before - log.said, 0)]
        log.hasher.update(known.encode())
        log.said += len(known)
        if known and not log.owes_text and log.hasher.hexdigest() != log.said_hash:
            raise self._diverge(path, f"says other words than before (near {known[-40:]!r})")
        fresh = text[len(known) :]
        log.hasher.update(fresh.encode())
        log.said += len(fresh)
        return fresh

    def check_all_passed(self, scope: str) -> None:
        """Raises ReplayDiverged when a path of this scope has not come back to where it was."""
        self.check_not_diverged()
        for path, log in self._paths.items():
            if not path.startswith(scope) or ">" in path[len(scope) :] or "~" in path:
                continue
            if log.passed < len(log.steps):
                raise self._diverge(
                    path, f"ends or waits without reaching {log.steps[log.passed].title}"
                )
            if log.owes_text:
                raise self._diverge(path, "ends or waits without saying what it had said")

    def check_not_diverged(self) -> None:
        if self.diverged is not None:
            raise self.diverged

    def _diverge(self, path: str, what: str) -> ReplayDiverged:
        where = "The agent" if not path else f"The agent, at {path.rstrip('/>')!r},"
        self.diverged = ReplayDiverged(f"{where} {what}.", context={"path": path})
        return self.diverged

    def forget(self, scope: str) -> None:
        """Drop a tool body's steps once its result is kept."""
        self.paused.pop(scope.removesuffix(">"), None)
        for path in [path for path in self._paths if path.startswith(scope)]:
            del self._paths[path]

    def dump(self) -> bytes:
        paths: dict[str, object] = {}
        for path, log in self._paths.items():
            said, said_hash = log.said_now()
            steps = [[s.key, s.kind, s.name, s.digest, s.done, s.value, s.error] for s in log.steps]
            paths[path] = {"steps": steps, "said": said, "said_hash": said_hash}
        return orjson.dumps(
            {
                "version": JOURNAL_VERSION,
                "paths": paths,
                "called": sorted(self.called),
                "results": self.results,
                "paused": self.paused,
                "stale": self.stale,
                "history": self.history,
            }
        )

    @classmethod
    def load(cls, raw: bytes | None) -> Journal:
        """The journal of a saved state. Raises StateUnreadable for bytes that this version did not
        write."""
        if not raw:
            return cls()
        try:
            body = orjson.loads(raw)
            version = body["version"]
            if version != JOURNAL_VERSION:
                raise StateUnreadable(
                    f"The journal has version {version}; this Sayso reads {JOURNAL_VERSION}."
                )
            return cls(
                {path: _read_path(log) for path, log in body["paths"].items()},
                set(body["called"]),
                dict(body["results"]),
                dict(body["paused"]),
                dict(body["stale"]),
                body["history"],
            )
        except (ValueError, KeyError, TypeError) as exc:
            raise StateUnreadable(f"The journal cannot be read: {exc}") from exc


def _read_path(body: dict[str, Any]) -> _Path:
    steps = [
        Step(key, kind, name, fingerprint, done, value, tuple(error) if error else None)
        for key, kind, name, fingerprint, done, value, error in body["steps"]
    ]
    return _Path(steps, said_before=body["said"], said_hash=body["said_hash"])


def _title(kind: str, name: str) -> str:
    return f"{kind} {name!r}" if name else kind
