"""`sayso inbox`: what waits for a person, shown whole, answered by questions or by options, and who
is looking at it."""

from __future__ import annotations

import sys
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
import typer
from rich.console import Console
from rich.text import Text

from sayso.cli.cards import clean, escaped, show, title_of
from sayso.cli.connection import Connection, connect
from sayso.cli.prompts import ask
from sayso.cli.times import seconds_of
from sayso.core.asks import SEEN
from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput, NotFound
from sayso.core.interactions import digest_in


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """An answer by options of the command line."""

    approve: bool
    reject: bool
    reason: str | None
    option: str | None
    note: str | None
    body: str | None

    @property
    def is_empty(self) -> bool:
        return not (self.approve or self.reject or self.option or self.note or self.body)


def show_list(data: Path | None, *, as_json: bool) -> None:
    with connect(data) as rows:
        pending = rows.pending()
    if as_json:
        _print_json({"interactions": pending})
        return
    console = Console()
    if not pending:
        console.print("Nothing waits for you.")
        return
    for it in pending:
        # An id is whole and on one line, however narrow the terminal: people copy it.
        typer.echo(f"{it['interaction_id']}  {clean(title_of(it))}")
        until = f", until {_time(it, 'expires_at')}" if it.get("expires_at") else ""
        about = f"{clean(it.get('agent_name') or '')}, since {_time(it, 'created_at')}{until}"
        about += _attention(it)
        console.print(Text(f"    {about}", style="dim"), soft_wrap=True)
    console.print("\nAnswer with: sayso inbox answer ID", style="dim")


def answer(
    data: Path | None, wanted: str, given: AnswerOptions, *, key: str | None, as_json: bool
) -> None:
    """Show and settle one interaction."""
    console = Console(stderr=as_json)
    with connect(data) as rows:
        it = _find(rows, wanted)
        if given.is_empty and _is_notice(it):
            show(console, it)
            body = _seen(it)
        elif given.is_empty:
            if not sys.stdin.isatty():
                raise InvalidInput(
                    "There is nobody here to ask.",
                    fix="Give the answer as options: --approve, --reject --reason …, --option …, "
                    "or --body JSON.",
                )
            show(console, it)
            body = ask(console, it)
        else:
            body = _body(given, it)
        # The same key for each try, so that a connection that breaks in between answers once.
        outcome = rows.answer(str(it["interaction_id"]), body, key or uuid.uuid4().hex)
    if as_json:
        _print_json(outcome)
        return
    again = " It had been answered so before." if outcome.get("repeated") else ""
    console.print(Text(f"✓ {clean(title_of(it))}: {outcome['status']}.{again}"))


def claim(
    data: Path | None, wanted: str, *, to: str | None, note: str, time: str, take_over: bool
) -> None:
    body: JsonObject = {"note": note, "seconds": seconds_of(time), "take_over": take_over}
    if to is not None:
        body["person"] = to
    with connect(data) as rows:
        it = _find(rows, wanted)
        rows.claim(str(it["interaction_id"]), body)
    _say(f"✓ {clean(to)} has it" if to is not None else "✓ You are looking at it", it)


def release(data: Path | None, wanted: str) -> None:
    with connect(data) as rows:
        it = _find(rows, wanted)
        rows.release(str(it["interaction_id"]))
    _say("✓ Released", it)


def snooze(data: Path | None, wanted: str, *, time: str) -> None:
    until = datetime.now(UTC) + timedelta(seconds=seconds_of(time))
    with connect(data) as rows:
        it = _find(rows, wanted)
        rows.snooze(str(it["interaction_id"]), until)
    _say(f"✓ Put off until {until.astimezone():%Y-%m-%d %H:%M}", it)


def _find(rows: Connection, wanted: str) -> JsonObject:
    """Return the interaction of this id, or the pending one whose id begins or ends so."""
    pending = rows.pending()
    ids = [str(it["interaction_id"]) for it in pending]
    if wanted in ids:
        return pending[ids.index(wanted)]
    fitting = [i for i, one in enumerate(ids) if one.endswith(wanted) or one.startswith(wanted)]
    if len(fitting) == 1 and len(wanted) >= 4:
        return pending[fitting[0]]
    if len(fitting) > 1:
        raise NotFound(
            f"{len(fitting)} pending interactions fit {wanted!r}.", fix="Give more of the id."
        )
    return rows.interaction(wanted)


def _body(given: AnswerOptions, it: JsonObject) -> JsonObject:
    """Return the answer that the options give, bound to what the card shows."""
    if given.body is not None:
        text = sys.stdin.read() if given.body == "-" else given.body
        try:
            body = orjson.loads(text)
        except orjson.JSONDecodeError as exc:
            raise InvalidInput(f"--body is not JSON: {exc}.") from exc
        if not isinstance(body, dict):
            raise InvalidInput("--body has to be a JSON object.")
        return body
    if given.approve and given.reject:
        raise InvalidInput("--approve and --reject were both given.", fix="Give one of them.")
    body = {"approved": not given.reject, "metadata": digest_of(it)}
    if given.reason is not None:
        body["user_message"] = given.reason
    chosen = {"selected_option": given.option, "additional_notes": given.note}
    body["response_data"] = {name: value for name, value in chosen.items() if value is not None}
    return body


def _is_notice(it: JsonObject) -> bool:
    payload = it["payload"]
    return isinstance(payload, dict) and payload.get("is_notice") is True


def _seen(it: JsonObject) -> JsonObject:
    """Return the answer to a notice that was just shown."""
    metadata = digest_of(it)
    return {"approved": True, "metadata": metadata, "response_data": {"selected_option": SEEN}}


def digest_of(it: JsonObject) -> JsonObject:
    """Return the digest of what was shown, as an answer's metadata carries it."""
    digest = digest_in(it["payload"])
    return {} if digest is None else {"digest": digest}


def _say(what: str, it: JsonObject) -> None:
    Console().print(Text(f"{what}: {clean(title_of(it))}"), soft_wrap=True)


def _attention(it: JsonObject) -> str:
    """Return who is looking at it, and until when it is put off."""
    claim, said = it.get("claim"), ""
    if isinstance(claim, dict):
        said = f", {clean(str(claim['person']))} is looking at it"
        if note := clean(str(claim["note"])):
            said += f" ({note})"
    return (
        f"{said}, put off until {_time(it, 'snoozed_until')}" if it.get("snoozed_until") else said
    )


def _time(it: JsonObject, name: str) -> str:
    return str(it[name])[:16].replace("T", " ")


def _print_json(value: JsonObject | dict[str, list[JsonObject]]) -> None:
    typer.echo(escaped(orjson.dumps(value, option=orjson.OPT_INDENT_2)))
