"""The replay journal: the steps that a function agent or a tool body has reached, so that it can be
run again from its start.

A step is known by its task's path, its kind, the digest of its name and arguments, and an ordinal
among equal ones, never by a global order: parallel branches may go on in any order. On replay each
path must reach its steps again in the same order; if it does not, the code has changed while it
waited, and ReplayDiverged names the step before anything runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import orjson
from pydantic import JsonValue, TypeAdapter

from sayso.core.cards import FieldMistake
from sayso.core.digest import JsonObject, digest
from sayso.core.errors import CallNeverRan, ReplayDiverged, StateUnreadable
from sayso.core.raised import words_of
from sayso.tools.suspension import StepFailed

JOURNAL_VERSION = 1


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the answer to this revision of a card cannot be carried out. It is stored with the run:
    the same answer is never tried again, whatever the tool would say to it later."""

    revision: int
    #: None where the yes was taken back.
    errors: tuple[FieldMistake, ...] = ()


_REFUSAL: TypeAdapter[Refusal] = TypeAdapter(Refusal)


_CUT = ("Cut", "")


@dataclass(slots=True)
class Step:
    """One step of a path. It is open until it has a value or an error."""

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
        """Store the error and return the exception to raise, now and on every replay."""
        self.done, self.error = True, (type(exc).__name__, words_of(exc))
        return StepFailed(self.title, *self.error)

    @property
    def was_cut(self) -> bool:
        """Whether its own caller gave it up, by a timeout or as the slower of two."""
        return self.error == _CUT

    def cut(self) -> None:
        self.done, self.error = True, _CUT

    def outcome(self) -> JsonValue:
        """Return the value of a finished step; raises StepFailed if it ended with an error."""
        if self.error is not None:
            raise StepFailed(self.title, *self.error)
        return self.value


@dataclass(slots=True)
class _Path:
    """The steps of one task, how many of them this replay has passed, and the text already said."""

    steps: list[Step] = field(default_factory=list)
    passed: int = 0
    said_before: int = 0
    said_hash: str = ""
    said: int = 0
    hasher: hashlib._Hash = field(default_factory=hashlib.sha256)
    #: The text up to the last place that is reached again as it was: what follows a model's words
    #: half said are words of their own.
    whole: tuple[int, str] | None = None

    @property
    def owes_text(self) -> bool:
        return self.said < self.said_before

    def said_now(self) -> tuple[int, str]:
        if self.owes_text:
            return self.said_before, self.said_hash
        return self.said, self.hasher.hexdigest()

    def mark_whole(self) -> None:
        self.whole = self.said_now()

    def break_off(self) -> None:
        """Forget the text after the last whole one."""
        self.said_before, self.said_hash = self.whole or (self.said_before, self.said_hash)
        self.said, self.hasher = 0, hashlib.sha256()


@dataclass(slots=True)
class Journal:
    """All paths of a run, and what the toolbox remembers of calls that have no effect row."""

    _paths: dict[str, _Path] = field(default_factory=dict)
    #: Calls whose row is in the chat already.
    called: set[str] = field(default_factory=set)
    #: How calls without an effect ended (read-only, refused, denied, rejected): {"value",
    #: "failed"}.
    results: dict[str, JsonObject] = field(default_factory=dict)
    #: Calls whose body is suspended inside, with the attempt that is.
    paused: dict[str, int] = field(default_factory=dict)
    #: Calls whose body found its proposal stale, with the revision it was (0: there was none).
    stale: dict[str, int] = field(default_factory=dict)
    #: Calls whose last answer could not be carried out, and why.
    refused: dict[str, Refusal] = field(default_factory=dict)
    #: Calls that a person is asked about: no rule that is written meanwhile answers them.
    asked: set[str] = field(default_factory=set)
    #: Where in the chat's log the chat before this task ends; 0 where there was none, None before
    #: the first segment.
    history_at: int | None = None
    #: That chat itself, in the journals of versions that copied it.
    history: list[JsonObject] | None = None
    #: How tasks that an agent starts by itself are named. 1, in the journals of older versions: by
    #: the name of their first step alone, and the first of all to reach one was the body itself.
    naming: int = 2
    #: Once diverged it stays so: an agent that swallows the error gets nothing done after it.
    diverged: ReplayDiverged | None = None

    def reach(self, path: str, kind: str, name: str, arguments: JsonValue) -> Step:
        """Return the step that this path is at: the stored one if it was reached before, else a new
        one."""
        self.check_not_diverged()
        log = self._paths.setdefault(path, _Path())
        fingerprint = fingerprint_of(arguments)
        if log.passed < len(log.steps):
            step = log.steps[log.passed]
            if not step.is_like(kind, name, fingerprint):
                now = _title(kind, name)
                had = step.title if step.title != now else "the same with other arguments"
                raise self._diverge(path, f"now reaches {now} where it had {had}")
            log.passed += 1
            return step
        if log.owes_text:
            raise self._diverge(
                path, f"reaches {_title(kind, name)} before it has said what it had said"
            )
        ordinal = sum(step.is_like(kind, name, fingerprint) for step in log.steps)
        key = f"{path}{kind}:{fingerprint_of([name, arguments])}#{ordinal}"
        step = Step(key, kind, name, fingerprint)
        log.mark_whole()
        log.steps.append(step)
        log.passed = len(log.steps)
        return step

    def say(self, path: str, text: str) -> str:
        """Return the part of `text` that has not been said before; checks that the rest is the same
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

    def mark_whole(self, path: str) -> None:
        """Note that the text said so far will be said in the same words when it is said again."""
        self._paths.setdefault(path, _Path()).mark_whole()

    def break_off(self) -> None:
        """Forget what was said after the last step or whole text: it is not said in the same words
        again. The segment is over."""
        for log in self._paths.values():
            log.break_off()

    def check_all_passed(self, scope: str) -> None:
        """Raise ReplayDiverged when a path of this scope has not come back to where it was."""
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
        """Drop a tool body's steps once its result is stored."""
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
                "refused": {key: _REFUSAL.dump_python(r) for key, r in self.refused.items()},
                "asked": sorted(self.asked),
                "history": self.history,
                "history_at": self.history_at,
                "naming": self.naming,
            }
        )

    @classmethod
    def load(cls, raw: bytes | None) -> Journal:
        """Read the journal of a saved state. Raises StateUnreadable for bytes that this version
        cannot read, and CallNeverRan for a run in which one call was taken for another."""
        if not raw:
            return cls()
        try:
            body = orjson.loads(raw)
            version = body["version"]
            if version != JOURNAL_VERSION:
                raise StateUnreadable(
                    f"The journal has version {version}; this Sayso reads {JOURNAL_VERSION}."
                )
            paths = {path: _read_path(log) for path, log in body["paths"].items()}
            _refuse_shared_keys(step for log in paths.values() for step in log.steps)
            return cls(
                paths,
                set(body["called"]),
                dict(body["results"]),
                dict(body["paused"]),
                dict(body["stale"]),
                {k: _REFUSAL.validate_python(r) for k, r in body.get("refused", {}).items()},
                asked=set(body.get("asked", ())),
                history_at=body.get("history_at"),
                history=body["history"],
                naming=body.get("naming", 1),
            )
        except (ValueError, KeyError, TypeError) as exc:
            raise StateUnreadable(f"The journal cannot be read: {exc}") from exc


def _read_path(body: dict[str, Any]) -> _Path:
    steps = [
        Step(key, kind, name, fingerprint, done, value, tuple(error) if error else None)
        for key, kind, name, fingerprint, done, value, error in body["steps"]
    ]
    return _Path(steps, said_before=body["said"], said_hash=body["said_hash"])


def _refuse_shared_keys(steps: Iterable[Step]) -> None:
    """Raise CallNeverRan for a run of version 0.1 in which one call got the result of another: keys
    were made without the tool's name then."""
    first: dict[str, Step] = {}
    for step in steps:
        ran = first.setdefault(step.key, step)
        if ran.name != step.name:
            raise CallNeverRan(
                f"The {step.title} never ran: an older version of Sayso took it for the "
                f"{ran.title} with the same arguments, and gave it that result.",
                context={"never_ran": step.name, "ran": ran.name},
            )


def fingerprint_of(value: JsonValue) -> str:
    return digest(value).removeprefix("sha256:")[:16]


def _title(kind: str, name: str) -> str:
    return f"{kind} {name!r}" if name else kind
