"""Writes the vectors that hold the two folds equal: `python tests/vectors/make.py`.

A vector is {name, changes, view?, page?, events, frames, expected}: start from `view` (or an empty
chat), fold the wire events, lay `page` (read before them) under it, then draw the frames over it;
`expected` is the view, "sync" where a piece of text is missing, or "error" where an event of a
known type is malformed. `changes` says whether the view becomes another. The Python and the
TypeScript tests read the same files; nothing here looks at a clock or at chance.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sayso.core.chat_view import ChatView
from sayso.core.events import OpenText, TextDelta, read_event
from sayso.core.tool_ui import ToolUi
from sayso.testing.fold import fold, merge_page, overlay

HERE = Path(__file__).parent

Wire = dict[str, Any]
ASTRAL = "a🙂b𝒳c👩‍👩‍👧d"
CARD = {
    "ui_tool_id": "refund_order",
    "eventId": "i1",
    "workflow_name": "support",
    "display": "inline",
}


class Log:
    """Wire events with the numbers and times a chat would give them."""

    def __init__(self, start: int = 0) -> None:
        self.seq = start
        self.events: list[Wire] = []

    def add(self, type_: str, data: Wire, by: str | None = None) -> Log:
        self.seq += 1
        event: Wire = {"seq": self.seq, "type": type_, "at": _at(self.seq), "data": data}
        if by is not None:
            event["by"] = by
        self.events.append(event)
        return self

    def message(self, message_id: str, content: str, **more: Any) -> Log:
        return self.add(
            "chat.message",
            {"message_id": message_id, "role": "assistant", "content": content, **more},
        )

    def card(self, payload: Wire | None = None, **more: Any) -> Log:
        return self.add("chat.ui_tool", {**CARD, "payload": payload or _approval(), **more})

    def settle(self, status: str, summary: str, by: str | None = "ana") -> Log:
        kinds = {"dismissed": "chat.ui_tool_dismiss", "expired": "chat.ui_tool_expire"}
        body = {k: CARD[k] for k in ("eventId", "ui_tool_id", "display")}
        return self.add(
            kinds.get(status, "chat.ui_tool_complete"),
            {**body, "status": status, "summary": summary},
            by,
        )

    def call(self, call_id: str = "t1", **more: Any) -> Log:
        data = {"tool_call_id": call_id, "name": "refund_order", "run_id": "r1"}
        return self.add(
            "chat.tool_call", {**data, "arguments": {"order": "1001", "amount": 42}, **more}
        )

    def result(self, status: str, call_id: str = "t1", **more: Any) -> Log:
        return self.add("chat.tool_result", {"tool_call_id": call_id, "status": status, **more})


def _at(seq: int) -> str:
    return f"2026-11-21T10:{seq // 60:02}:{seq % 60:02}.250000+00:00"


def _approval(**more: Any) -> Wire:
    meta = {
        "card": "approval",
        "interaction_type": "tool_approval",
        "run_id": "r1",
        "tool_call_id": "t1",
        "digest": "sha256:aa",
        "revision": 1,
        "assignees": [],
    }
    return {
        "title": "Refund €42.00",
        "agent_message": "May I refund this?",
        "tool_name": "refund_order",
        "tool_params": {"order": "1001", "amount": 42},
        **more,
        "sayso": {**meta, **more.get("sayso", {})},
    }


def _wire(view: ChatView) -> Wire:
    dumped: Wire = view.model_dump(mode="json")
    return dumped


def _empty() -> ChatView:
    return ChatView(id="c1", app_id="default")


def read_view(wire: Wire | None) -> ChatView:
    return _empty() if wire is None else ChatView.model_validate(wire)


def run(vector: Wire) -> Any:
    """What the Python fold makes of a vector, in the form of its `expected`."""
    view = read_view(vector.get("view"))
    try:
        read = [read_event(wire) for wire in vector["events"]]
    except ValidationError:
        return "error"
    events = [event for event in read if event is not None]
    view = fold(view, events)
    if "page" in vector:
        view = merge_page(view, read_view(vector["page"]), events)
    for frame in vector["frames"]:
        drawn = overlay(view, read_frame(frame))
        if drawn is None:
            return "sync"
        view = drawn
    return _wire(view)


def read_frame(frame: Wire) -> TextDelta | OpenText:
    return (TextDelta if frame["type"] == "chat.delta" else OpenText)(**frame["data"])


def _vector(
    name: str,
    log: Log | None = None,
    *,
    view: Wire | None = None,
    frames: list[Wire] | None = None,
    changes: bool = True,
) -> Wire:
    vector: Wire = {
        "name": name,
        "changes": changes,
        "events": log.events if log else [],
        "frames": frames or [],
    }
    if view is not None:
        vector["view"] = view
    return {**vector, "expected": run(vector)}


def _delta(offset: int, text: str, message_id: str = "m1", **more: Any) -> Wire:
    data = {"message_id": message_id, "offset": offset, "text": text, **more}
    return {"type": "chat.delta", "data": data}


def _live(text: str, message_id: str = "m1", **more: Any) -> Wire:
    return {"type": "chat.live", "data": {"message_id": message_id, "text": text, **more}}


def _after(log: Log) -> Wire:
    return _wire(fold(_empty(), [e for e in map(read_event, log.events) if e is not None]))


def messages() -> Iterator[Wire]:
    yield _vector("a message", Log().message("m1", "Hello", agent_name="support", run_id="r1"))
    yield _vector(
        "a person's message",
        Log().add(
            "chat.message",
            {"message_id": "m1", "role": "user", "content": "Hi", "client_message_id": "c-1"},
            by="ana",
        ),
    )
    yield _vector(
        "a queued message is sent on, and keeps its place",
        Log()
        .message("m1", "later", status="queued")
        .message("m2", "sooner")
        .message("m1", "later", run_id="r2"),
    )
    yield _vector("interrupted text", Log().message("m1", "I was going to", status="interrupted"))
    yield _vector(
        "a message with metadata", Log().message("m1", "x", metadata={"a": {"b": [1, None]}})
    )
    yield _vector("astral text", Log().message("m1", ASTRAL))
    seen = _after(Log().message("m1", "one").message("m2", "two"))
    yield _vector(
        "the same events again change nothing",
        Log().message("m1", "one").message("m2", "two"),
        view=seen,
        changes=False,
    )
    yield _vector(
        "an older event about an item of another page changes nothing",
        Log(3).message("m0", "older"),
        view={**seen, "seq": 9, "before": 4},
        changes=False,
    )
    yield _vector(
        "an event below an item's as_of does not touch it, and the head moves on",
        Log(2).message("m2", "older words"),
        view={**seen, "messages": [{**seen["messages"][1], "as_of": 8}]},
    )


def cards() -> Iterator[Wire]:
    yield _vector("a card waits", Log().card())
    shown = {"title": "Report", "sayso": {"card": "validation", "revision": 1, "assignees": []}}
    yield _vector("a card that asks for nothing", Log().card(shown))
    yield _vector("an application's card without sayso", Log().card({"anything": [1, {"b": None}]}))
    yield _vector("an agent_message that is no text", Log().card({"agent_message": 5}))
    yield _vector(
        "a card sent again with a new payload",
        Log().card().card(_approval(title="Refund €40.00", sayso={"digest": "sha256:bb"})),
    )
    for status in ("completed", "rejected", "cancelled", "superseded", "dismissed", "expired"):
        yield _vector(f"a card {status}", Log().card().settle(status, f"Refund €42.00 {status}"))
    yield _vector("a card settled by nobody", Log().card().settle("expired", "late", by=None))
    yield _vector(
        "a settled card is never opened again", Log().card().settle("rejected", "no").card()
    )
    yield _vector("an ending without its card moves only the head", Log().settle("completed", "ok"))
    yield _vector(
        "cards beside each other",
        Log().card().card(eventId="i2", display="artifact").settle("completed", "ok"),
    )
    for kind in ("critical_failure", "recoverable_error"):
        payload = {"title": "Failed", "message": "No", "sayso": {"card": kind}}
        error = {"message_id": "e1", "ui_tool_id": kind, "agent_name": "support"}
        yield _vector(f"{kind} is shown", Log().add("chat.error", {**error, "payload": payload}))


def tools() -> Iterator[Wire]:
    yield _vector("a call runs", Log().call(agent_name="support"))
    yield _vector("a call waits", Log().call().result("waiting"))
    ends = ("done", "failed", "rejected", "denied", "uncertain", "not_executed", "cancelled")
    for status in ends:
        yield _vector(f"a call ends {status}", Log().call().result(status, error="why"))
    yield _vector("a result that is null", Log().call().result("done", result=None))
    yield _vector("a result that is a list", Log().call().result("done", result=[1, {"a": None}]))
    edited = {"order": "1001", "amount": 40}
    yield _vector(
        "edited arguments",
        Log().call().result("waiting", arguments=edited).result("done", result={"ok": True}),
    )
    yield _vector(
        "arguments edited twice keep what the model had asked for",
        Log().call().result("waiting", arguments=edited).result("done", arguments={"amount": 1}),
    )
    yield _vector(
        "the same arguments in another order are no edit",
        Log().call().result("done", arguments={"amount": 42.0, "order": "1001"}),
    )
    yield _vector(
        "true is not 1",
        Log()
        .call(arguments={"all": 1, "some": [0]})
        .result("done", arguments={"all": True, "some": [False]}),
    )
    yield _vector(
        "how long a body ran is told apart from how long it was waited for",
        Log().call().result("waiting").message("m1", "later").result("done", ran_seconds=1.25),
    )
    rule = {"rule_id": "r1", "by": "ada", "conditions": {"amount": "≤ 50"}}
    yield _vector("a call that a rule allowed", Log().call().result("done", rule=rule))
    yield _vector("a result without its call moves only the head", Log().result("done"))
    yield _vector(
        "a call started again by a takeover keeps its place",
        Log().call().message("m1", "between").call().result("done"),
    )
    pods = ToolUi(server="pods", resource_uri="ui://pods/app.html", round=2)
    ui = {"tool_call_id": "t1", "ui": pods.model_dump(mode="json")}
    yield _vector("a tool's own UI", Log().call().add("chat.tool_ui", ui))
    yield _vector("a UI without its call moves only the head", Log().add("chat.tool_ui", ui))


def outcomes() -> Iterator[Wire]:
    """What became of a card's approval comes with the result of its call, and the fold joins
    them."""

    def asked() -> Log:
        return Log().call().card().result("waiting").settle("completed", "Refund €42.00 approved")

    def came(state: str, **more: Any) -> Wire:
        return {"outcome": {"interaction_id": "i1", "state": state, **more}}

    ends = {"done": "ran", "failed": "failed", "not_executed": "not_run", "uncertain": "unclear"}
    for status, state in ends.items():
        yield _vector(
            f"what was approved {state}", asked().result(status, error="why", **came(state))
        )
    paid = came(
        "ran",
        title="Refund €5.00",
        changed=[{"path": "amount", "before": 42, "after": 5}, {"path": "note", "after": "x"}],
    )
    yield _vector(
        "titled by what ran, with the value before", asked().result("done", result=1, **paid)
    )
    yield _vector(
        "the newest attempt counts",
        asked().result("uncertain", **came("unclear")).result("done", **paid),
    )
    yield _vector(
        "an outcome before its decision is known is kept",
        Log().call().card().result("done", **came("ran")).settle("completed", "ok"),
    )
    yield _vector("an outcome without its card", Log().call().result("done", **came("ran")))
    yield _vector("an outcome without its call", Log().card().result("done", **came("ran")))
    yield _vector(
        "an outcome of a plain message changes nothing of it",
        Log().call().message("i1", "words").result("done", **came("ran")),
    )
    whole = fold(_empty(), [e for e in map(read_event, asked().events) if e is not None])
    ended = Log(4).result("failed", error="no", **came("failed"))
    for name, part in (
        ("the call stands on an older page", {"tool_calls": [], "before": 2}),
        ("the card stands on an older page", {"messages": [], "before": 3}),
    ):
        page = whole.model_copy(update=part)
        yield _vector(f"{name}, and the outcome comes", ended, view=_wire(page))
        older = {"name": f"{name}, and comes after the outcome", "changes": True, "frames": []}
        older |= {"view": _wire(page), "page": _wire(whole), "events": ended.events}
        yield {**older, "expected": run(older)}
    for cut in range(5):
        log = asked().result("done", **paid)
        rest = Log(cut)
        rest.events = log.events[cut:]
        known = [e for e in map(read_event, log.events[:cut]) if e is not None]
        yield _vector(f"a snapshot at {cut} and the rest", rest, view=_wire(fold(_empty(), known)))


def chat() -> Iterator[Wire]:
    for status in ("ready", "running", "waiting", "completed", "cancelled"):
        run_ = {"run_id": "r1", "task_id": "k1", "status": status}
        yield _vector(f"a run is {status}", Log().add("chat.run", run_))
    failed = {
        "run_id": "r1",
        "task_id": "k1",
        "status": "failed",
        "error": {"code": "agent_failed"},
    }
    yield _vector("a run failed", Log().add("chat.run", failed))
    gone = {"run_id": "r1", "task_id": "k1", "status": "cancelled", "reason": "changed my mind"}
    yield _vector("a run was cancelled, and why", Log().add("chat.run", gone))
    used: Wire = {"model_calls": 2, "input_tokens": 900, "output_tokens": 40}
    used |= {"cached_tokens": 800, "reasoning_tokens": 12}
    ended: Wire = {"run_id": "r1", "task_id": "k1", "status": "completed", "usage": used}
    yield _vector("a run ended, and what its models took", Log().add("chat.run", ended))
    at = {"at": "2026-01-01T00:00:02+00:00"}
    again: Wire = {"run_id": "r1", "task_id": "k1", "status": "ready", "code": "run.trying_again"}
    again |= {"reason": "The model is not available.", "params": at}
    yield _vector("a run is tried again", Log().add("chat.run", again))
    thought = {"run_id": "r1", "text": "Hm.", "agent_name": "a", "characters": 3}
    yield _vector("what a model thinks is no item", Log().add("chat.reasoning", thought))
    entered = {"run_id": "r1", "phase": "requirement_checking"}
    yield _vector("a phase of a turn is no item", Log().add("chat.phase", entered))
    yield _vector("a title", Log().add("chat.title", {"title": "Refunds 💶"}))
    yield _vector(
        "requirements",
        Log().add("chat.requirements", {"requirements": {"has": ["a"], "missing": [None]}}),
    )
    yield _vector(
        "preferences are laid over each other",
        Log()
        .add("chat.preference", {"key": "always", "value": ["refund_*"]})
        .add("chat.preference", {"key": "gone", "value": None})
        .add("chat.preference", {"key": "always", "value": False}),
    )
    art = {
        "id": "a1",
        "ui_tool_id": "doc",
        "title": "Plan",
        "content": {"text": "v1"},
        "version": 1,
    }
    second = {**art, "content": None, "version": 2, "title": "Plan B"}
    yield _vector("an artifact", Log().add("chat.artifact", art))
    yield _vector(
        "an artifact changed by a person",
        Log().add("chat.artifact", art).message("m1", "x").add("chat.artifact", second, by="ana"),
    )
    yield _vector(
        "an unknown type is skipped",
        Log().add("chat.of_tomorrow", {"anything": 1}).message("m1", "still here"),
    )
    yield _vector(
        "an unknown type alone changes nothing",
        Log().add("chat.of_tomorrow", {"anything": 1}),
        changes=False,
    )


def progress() -> Iterator[Wire]:
    stages = [
        {"id": "goal", "label": "Goal", "state": "done"},
        {"id": "flows", "label": "Flows", "state": "current"},
        {"id": "check", "label": "Check", "state": "todo"},
    ]
    made = {"stages": stages, "current": "flows", "fraction": 0.5, "note": "half-way"}
    yield _vector("progress", Log().add("chat.progress", made))
    yield _vector("progress in numbers only", Log().add("chat.progress", {"fraction": 1.0}))

    def at(stage: object) -> Wire:
        return _approval(context={"workflow_stage": stage})

    yield _vector("a card moves the stage on", Log().add("chat.progress", made).card(at("check")))
    yield _vector("a card moves the stage back", Log().add("chat.progress", made).card(at("goal")))
    yield _vector("a stage nobody named", Log().add("chat.progress", made).card(at("elsewhere")))
    yield _vector("a stage that is no word", Log().add("chat.progress", made).card(at(3)))
    yield _vector("a stage before any progress", Log().card(at("flows")))


def text() -> Iterator[Wire]:
    begun = {**_wire(_empty()), "live": [{"message_id": "m1", "text": "Hel", "agent_name": "s"}]}
    yield _vector("the first piece", frames=[_delta(0, "Hel", agent_name="s")])
    yield _vector("the next piece", view=begun, frames=[_delta(3, "lo")])
    yield _vector(
        "pieces that overlap", view=begun, frames=[_delta(1, "ello"), _delta(0, "Hello!")]
    )
    yield _vector(
        "a piece known already",
        view=begun,
        frames=[_delta(0, "He", agent_name="s")],
        changes=False,
    )
    yield _vector("a missing piece asks for a sync", view=begun, frames=[_delta(4, "o")])
    yield _vector("a first piece that is not the first", frames=[_delta(1, "x")])
    yield _vector(
        "offsets count code points",
        frames=[_delta(0, "a🙂b"), _delta(3, "𝒳c"), _delta(4, "c👩‍👩‍👧"), _delta(10, "d")],
    )
    yield _vector(
        "offsets in UTF-16 would leave no gap here", frames=[_delta(0, "🙂🙂"), _delta(4, "x")]
    )
    yield _vector(
        "overlap within astral text", frames=[_delta(0, ASTRAL), _delta(1, ASTRAL[1:] + "🙂")]
    )
    yield _vector("all of an open text", frames=[_live("Hello", agent_name="s")])
    yield _vector("all of it, longer than known", view=begun, frames=[_live("Hello")])
    yield _vector(
        "all of it, shorter than known",
        view=begun,
        frames=[_live("H", agent_name="s")],
        changes=False,
    )
    yield _vector("shorter in code points, longer in UTF-16", view=begun, frames=[_live("🙂🙂")])
    yield _vector(
        "two texts at once", frames=[_delta(0, "a"), _delta(0, "b", "m2"), _delta(1, "c")]
    )
    yield _vector("the whole message clears its text", Log().message("m1", "Hello"), view=begun)
    yield _vector("another message leaves it", Log().message("m2", "Hello"), view=begun)
    moved = {"run_id": "r1", "task_id": "k1"}
    for status in ("completed", "failed", "cancelled"):
        over = Log().add("chat.run", {**moved, "status": status})
        yield _vector(
            f"a text that nothing took up goes when its run is {status}", over, view=begun
        )
    waits = Log().add("chat.run", {**moved, "status": "waiting"})
    yield _vector("a text stays while its run waits", waits, view=begun)
    known = {**begun, "seq": 1}
    late = Log().add("chat.run", {**moved, "status": "completed"})
    yield _vector("the end of an earlier run leaves it", late, view=known, changes=False)
    yield _vector(
        "a late piece of a closed message",
        view=_after(Log().message("m1", "Hello")),
        frames=[_delta(5, "!"), _delta(99, "!"), _live("Hello!")],
        changes=False,
    )


def pages() -> Iterator[Wire]:
    log = (
        Log()
        .message("m1", "one")
        .call()
        .card()
        .message("m2", "two")
        .result("done", result=1)
        .settle("completed", "ok")
        .message("m3", "three")
    )
    events = [e for e in map(read_event, log.events) if e is not None]
    whole = fold(_empty(), events)
    first = whole.model_copy(
        update={"messages": whole.messages[-1:], "tool_calls": [], "before": 7}
    )
    older = whole.model_copy(update={"messages": whole.messages[:-1], "before": None})
    early = fold(_empty(), events[:4]).model_copy(update={"before": 1})
    late = Log(7).result("failed").settle("rejected", "no").card(eventId="i9").message("m4", "four")
    for name, view, page, since in (
        ("an older page under the first", first, older, []),
        ("a page read before its items changed", whole, early, []),
        ("a page read after its items changed", early, whole, []),
        ("what came while the page was on its way", first, older, late.events),
    ):
        vector: Wire = {"name": name, "changes": True, "view": _wire(view), "page": _wire(page)}
        vector |= {"events": since, "frames": []}
        yield {**vector, "expected": run(vector)}
    yield _vector(
        "events about items of older pages move only the head",
        Log(7).result("failed").settle("rejected", "no").message("m4", "four"),
        view=_wire(first),
    )
    for cut in range(len(log.events)):
        rest = Log(cut)
        rest.events = log.events[cut:]
        snapshot = _wire(fold(_empty(), events[:cut]))
        yield _vector(f"a snapshot at {cut} and the rest", rest, view=snapshot)


def malformed() -> Iterator[Wire]:
    for name, type_, data in (
        ("a message without its text", "chat.message", {"message_id": "m", "role": "user"}),
        ("a role nobody has", "chat.message", {"message_id": "m", "role": "x", "content": ""}),
        ("a text that is a number", "chat.title", {"title": 5}),
        (
            "arguments that are a list",
            "chat.tool_call",
            {**Log().call().events[0]["data"], "arguments": []},
        ),
        ("an end nobody knows", "chat.tool_result", {"tool_call_id": "t", "status": "maybe"}),
        (
            "an outcome nobody knows",
            "chat.tool_result",
            {
                "tool_call_id": "t",
                "status": "done",
                "outcome": {"interaction_id": "i", "state": "maybe"},
            },
        ),
        ("a payload that is null", "chat.ui_tool", {**CARD, "payload": None}),
        ("a wrong ending", "chat.ui_tool_expire", {**CARD, "status": "completed", "summary": ""}),
        (
            "an artifact without content",
            "chat.artifact",
            {"id": "a", "ui_tool_id": "x", "title": "", "version": 1},
        ),
        (
            "a version that is half",
            "chat.artifact",
            {"id": "a", "ui_tool_id": "x", "title": "", "content": 1, "version": 1.5},
        ),
        ("a stage without a label", "chat.progress", {"stages": [{"id": "a"}]}),
        ("stages that are words", "chat.progress", {"stages": ["a"]}),
        ("a preference without a value", "chat.preference", {"key": "k"}),
    ):
        yield _vector(name, Log().add(type_, data))


FILES = {
    "messages": messages,
    "cards": cards,
    "tools": tools,
    "outcomes": outcomes,
    "chat": chat,
    "progress": progress,
    "text": text,
    "pages": pages,
    "malformed": malformed,
}


def written(name: str) -> str:
    vectors = list(FILES[name]())
    return json.dumps(vectors, ensure_ascii=False, indent=1) + "\n"


def main() -> None:
    for name in FILES:
        (HERE / f"{name}.json").write_text(written(name))


if __name__ == "__main__":
    main()
