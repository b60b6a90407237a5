"""An audit line as people read it in a ledger: who, what, which decision, which outcome."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, JsonValue

from sayso.core.digest import JsonObject, object_in
from sayso.core.effects import is_skip

_DECISIONS = {"approve": "approved", "partial": "approved in part", "reject": "rejected"}
#: What a person said of a call of which nobody knew whether it had run.
_WORDS = {"run_again": "run it again", "mark_done": "it was done", "skip": "skip it"}
_OUTCOMES = {
    "done": "ran",
    "failed": "failed",
    "not_executed": "did not run",
    "uncertain": "unclear",
}
_MOST_CHARS = 80


class LedgerLine(BaseModel):
    """One line, so that nobody has to join ids by hand."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    who: str | None
    what: str
    decision: str | None = None
    outcome: str | None = None


def ledger_line(action: str, actor: str | None, body: JsonObject) -> LedgerLine:
    """`body` is the line's own; what an older version wrote into it is read as well."""
    kind, _, event = action.partition(".")
    match kind:
        case "interaction":
            return LedgerLine(who=actor, what=_title(body), decision=_decision(event, body))
        case "effect":
            return LedgerLine(
                who=actor,
                what=_effect(body),
                decision=_allowed_by(body),
                outcome=_outcome(event, body),
            )
        case "rule":
            return LedgerLine(who=actor, what=_title(body), decision=event)
        case _:
            words = f"{kind} {event}".replace("_", " ").strip()
            return LedgerLine(who=actor, what=_with(words, body.get("reason")))


def _title(body: JsonObject) -> str:
    return _text(body.get("title")) or _text(body.get("tool_name")) or "a question"


def _decision(event: str, body: JsonObject) -> str:
    said = object_in(body.get("response"))
    words = _text(said.get("user_message"))
    metadata = object_in(said.get("metadata"))
    unknown = ", without sign-in" if metadata.get("signed_in") is False else ""
    if event == "completed":
        word = _answer(body, said) + unknown
        return f"{word} in words: {_short(words)}" if "message_id" in metadata else word
    word = "replaced" if event == "superseded" else event + unknown
    return _with(word, body.get("reason") if event != "completed" else None)


def _answer(body: JsonObject, said: JsonObject) -> str:
    data = object_in(said.get("response_data"))
    if body.get("card") == "uncertain_effect":
        return _WORDS.get(_text(data.get("selected_option")), "answered")
    if body.get("card") not in ("approval", "exchanges", "requirements", "confirmation"):
        return "answered"
    word = _DECISIONS["partial" if data.get("rejected_rows") else "approve"]
    if edits := object_in(data.get("edits")):
        # By name: what a person typed stands in the body, which only the whole line shows.
        return f"{word}, with {', '.join(sorted(edits))} changed"
    return word


def _effect(body: JsonObject) -> str:
    what = _text(body.get("title")) or _call(body)
    changed = body.get("changed")
    was = [
        f"{change.get('path')} was {_value(change.get('before'))}"
        for change in (changed if isinstance(changed, list) else [])
        if isinstance(change, dict)
    ]
    return f"{what} ({', '.join(was)})" if was else what


def _call(body: JsonObject) -> str:
    """Return the tool and what it was given, where no summary names it."""
    given = object_in(body.get("arguments"))
    parts = ", ".join(f"{name}={_value(value)}" for name, value in given.items())
    return _short(f"{_text(body.get('tool_name'))}({parts})")


def _allowed_by(body: JsonObject) -> str | None:
    if body.get("interaction_id") is not None:
        return "approved"
    if body.get("message_id") is not None:
        return "asked for in words"
    rule = _text(body.get("rule"))
    return f"not asked ({rule})" if rule else None


def _outcome(event: str, body: JsonObject) -> str:
    word = "uncertain" if is_skip(event, body.get("error")) else event
    return _with(_OUTCOMES.get(word, word), body.get("error"))


def _with(words: str, why: JsonValue) -> str:
    return f"{words}: {_short(why)}" if isinstance(why, str) and why else words


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


def _value(value: JsonValue) -> str:
    return _short("nothing" if value is None else str(value))


def _short(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= _MOST_CHARS else f"{line[: _MOST_CHARS - 1]}…"
