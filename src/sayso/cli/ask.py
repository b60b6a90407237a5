"""`sayso ask`: ask a person from a shell; the exit code tells how it ended."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import orjson
import typer
from pydantic import JsonValue

from sayso.cli.cards import clean, escaped
from sayso.cli.times import seconds_of
from sayso.client import api
from sayso.client.asking import Asked, Asking, ask_body, wait_for
from sayso.client.connection import Client, find_server
from sayso.core.attachments import File, WebLink
from sayso.core.errors import InvalidInput, NoServer

YES, NO, NOBODY, WAITING, NO_SERVER = 0, 10, 11, 12, 13
_CODES: dict[api.AskState, int] = {
    "pending": WAITING,
    "rejected": NO,
    "expired": NOBODY,
    "dismissed": NOBODY,
    "withdrawn": NOBODY,
}
#: What a command is called on its card, where it is not named.
_RUN = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOptions:
    """What the options say of the ask."""

    title: str | None
    kind: api.AskKind
    options: Sequence[str]
    form: Path | None
    arguments: Sequence[str]
    context: Sequence[str]
    editable: Sequence[str]
    assignees: Sequence[str]
    tool: str | None
    expires: str | None
    key: str | None
    command: str | None
    idempotent: bool
    attachments: Sequence[str]


def kind_of(
    *, approve: bool, choose: Sequence[str] | None, form: Path | None, notice: bool
) -> api.AskKind:
    """Return what kind of ask the options name. Raises InvalidInput for two."""
    named: dict[api.AskKind, bool] = {
        "approve": approve,
        "choose": bool(choose),
        "form": form is not None,
        "notice": notice,
    }
    kinds = [kind for kind, is_named in named.items() if is_named]
    if len(kinds) > 1:
        raise InvalidInput(f"--{kinds[0]} and --{kinds[1]} were both given.", fix="Give one.")
    return kinds[0] if kinds else "approve"


def ask(
    given: AskOptions,
    *,
    ask_id: str | None,
    wait: str | None,
    on: str | None,
    data: Path | None,
    as_json: bool,
) -> int:
    """Ask, wait, run what is approved, and print the outcome. Return the exit code."""
    seconds = seconds_of(wait) if wait is not None else None
    try:
        client = Client(find_server(on, data))
        told = _open(client, given, ask_id)
        if told["kind"] != "notice":
            told = wait_for(client, told, seconds)
        if given.command is not None and told["state"] in ("approved", "started", "unknown"):
            return _run(client, told, given, as_json=as_json)
    except NoServer as exc:
        typer.secho(exc.detail, err=True, fg=typer.colors.RED)
        typer.echo(f"→ {exc.fix}", err=True)
        return NO_SERVER
    _print(told, as_json=as_json)
    return YES if told["kind"] == "notice" else _CODES.get(told["state"], YES)


def _open(client: Client, given: AskOptions, ask_id: str | None) -> api.AskReply:
    if ask_id is not None:
        return client.send(api.get_ask(ask_id))
    if not given.title:
        raise InvalidInput("There is no question.", fix='sayso ask "Deploy 4.2 to production?"')
    body = _body(given, given.title)
    return client.send(api.open_ask(body, idempotency_key=given.key or uuid.uuid4().hex))


def _body(given: AskOptions, title: str) -> api.AskBody:
    arguments = _named(given.arguments, "--arg")
    what: Asking = {
        "kind": given.kind,
        "context": _named(given.context, "--context"),
        "editable": given.editable,
        "options": given.options,
        "assignees": given.assignees,
        "asker": {"client": "sayso ask"},
    }
    if given.command is not None:
        if given.kind != "approve":
            raise InvalidInput(
                f"--run runs what is approved, and a {given.kind} approves nothing.",
                fix="Leave one of them out.",
            )
        # What runs is what was approved: the command is an argument that binds.
        arguments, what["tool_name"] = {"command": given.command, **arguments}, _RUN
    if given.tool is not None:
        what["tool_name"] = given.tool
    if given.form is not None:
        what["schema"] = _schema(given.form)
    if given.expires is not None:
        what["expires_in"] = timedelta(seconds=seconds_of(given.expires))
    if given.attachments:
        what["attachments"] = [_attachment(text) for text in given.attachments]
    what["arguments"] = arguments
    return ask_body(title, **what)


def _run(client: Client, told: api.AskReply, given: AskOptions, *, as_json: bool) -> int:
    """Use the approval: run the command that was approved, and report how it ended. Return its exit
    code."""
    command = told["arguments"].get("command")
    if command != given.command or not isinstance(command, str):
        raise InvalidInput("What was approved is another command.", fix="Ask for this one.")
    start: api.StartBody = {"idempotent": given.idempotent, "report_within": 86_400.0}
    with Asked(client, told, start) as asked:
        done = subprocess.run(command, shell=True, check=False, env=_environment(asked.arguments))
        asked.result = {"exit_code": done.returncode}
        if done.returncode != 0:
            asked.failed(f"It ended with {done.returncode}.")
    if as_json:
        _print(asked.as_json(), as_json=True)
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


def _environment(arguments: dict[str, JsonValue]) -> dict[str, str]:
    """Return the environment of a command: its arguments are there as SAYSO_ARG_NAME."""
    named = {
        f"SAYSO_ARG_{re.sub(r'[^0-9A-Za-z]', '_', name).upper()}": value
        for name, value in arguments.items()
    }
    return {**os.environ, **{name: _word(value) for name, value in named.items()}}


def _word(value: JsonValue) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _print(told: api.AskReply, *, as_json: bool) -> None:
    if as_json:
        typer.echo(escaped(orjson.dumps(told, option=orjson.OPT_INDENT_2)))
        return
    if told["state"] == "pending":
        typer.echo(told["interaction_id"])
        typer.echo(f"It waits for a person: {told['url']}", err=True)
        return
    response = told["response"] or {}
    data = response.get("response_data")
    said = data if isinstance(data, dict) else {}
    if told["kind"] == "choose" and told["state"] == "answered":
        typer.echo(clean(said.get("selected_option") or said.get("additional_notes") or ""))
    elif told["kind"] == "form" and told["state"] == "answered":
        typer.echo(escaped(orjson.dumps(said.get("values"))))
    else:
        reason = response.get("user_message")
        typer.echo(f"{told['state']}: {clean(reason)}" if reason else told["state"], err=True)


def _named(given: Sequence[str], option: str) -> dict[str, JsonValue]:
    """Read `name=text` and `name:=JSON`. Raises InvalidInput."""
    found: dict[str, JsonValue] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.rstrip(":"):
            raise InvalidInput(f"{option} {text}: it has no name.", fix=f"{option} version=4.2")
        if not name.endswith(":"):
            found[name] = value
            continue
        try:
            found[name[:-1]] = orjson.loads(value)
        except orjson.JSONDecodeError as exc:
            raise InvalidInput(f"{option} {text}: {value} is not JSON.") from exc
    return found


def _attachment(text: str) -> File | WebLink:
    """Read an address, PATH, or `PATH=what the image shows`. Raises InvalidInput."""
    if text.startswith(("http://", "https://")):
        return WebLink(url=text)
    path, _, alt = (text, "", "") if Path(text).is_file() else text.partition("=")
    try:
        return File(name=Path(path).name, content=Path(path).read_bytes(), alt=alt)
    except OSError as exc:
        raise InvalidInput(f"--attach {path} cannot be read: {exc.strerror}.") from exc


def _schema(path: Path) -> dict[str, JsonValue]:
    try:
        found = orjson.loads(sys.stdin.read() if str(path) == "-" else path.read_bytes())
    except (OSError, ValueError) as exc:
        raise InvalidInput(f"--form {path} cannot be read: {exc}.") from exc
    if not isinstance(found, dict):
        raise InvalidInput(f"--form {path} is no JSON object.")
    return found
