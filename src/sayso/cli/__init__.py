"""The command line. An error that the person can fix is one sentence with its remedy."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from sayso.cli.server_refused import ServerRefused
from sayso.core.errors import InvalidInput, SaysoError

app = typer.Typer(
    name="sayso",
    help="Agents act on your say-so.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=False,
)

DataDir = Annotated[
    Path | None,
    typer.Option("--data", help="The folder of the database.", envvar="SAYSO_DATA_DIR"),
]
Host = Annotated[str | None, typer.Option(help="The address to listen on.", envvar="SAYSO_HOST")]
Port = Annotated[
    int | None,
    typer.Option(min=0, max=65535, help="Default 8765; 0 picks a free port.", envvar="SAYSO_PORT"),
]


def main() -> None:
    """Run the program `sayso`. An error that the person can fix has no traceback."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # As stderr does by itself: where a letter cannot be shown, its number stands.
        with suppress(OSError):  # it may be a pipe that is opened both ways
            sys.stdout.reconfigure(errors="backslashreplace")
    try:
        _add_commands_of_packs(sys.argv[1:2])
        app()
    except InvalidInput as exc:
        _print_error("", exc.detail, exc.fix)  # its title speaks of a request
        sys.exit(2)
    except (SaysoError, ServerRefused) as exc:
        _print_error(exc.title, exc.detail, exc.fix)
        sys.exit(2)
    except OSError as exc:
        said = exc.strerror or str(exc)
        said = f"{exc.filename}: {said}." if exc.filename else f"{said}."
        _print_error("", said, "Check the path, its permissions, and that the disk is not full.")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


def _add_commands_of_packs(first: list[str]) -> None:
    """Add what packages offer as `sayso.commands`; only what is asked for by name is imported, and
    all of it for the help."""
    from importlib.metadata import entry_points

    known = {
        command.name or command.callback.__name__
        for command in app.registered_commands
        if command.callback
    }
    if first and first[0] in known:
        return
    for offered in entry_points(group="sayso.commands"):
        if not first or first[0] in (offered.name, "--help"):
            app.add_typer(offered.load(), name=offered.name)


def _print_version(wanted: bool) -> None:
    if wanted:
        from sayso._version import __version__

        typer.echo(f"sayso {__version__}")
        raise typer.Exit


@app.callback()
def sayso(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Agents act on your say-so."""


@app.command()
def serve(
    *,
    target: Annotated[
        str,
        typer.Argument(
            help="An App, an agent, or a dict of agents: post:app is `app` in the post.py here."
        ),
    ],
    host: Host = None,
    port: Port = None,
    data: DataDir = None,
    token: Annotated[
        list[str] | None,
        typer.Option(
            help="A login: SECRET, or PERSON:ROLE:SECRET with viewer, responder or admin as ROLE. "
            "May be given again."
        ),
    ] = None,
    allow_anyone: Annotated[
        bool, typer.Option("--allow-anyone", help="Serve other machines without a login.")
    ] = False,
    policy: Annotated[Path | None, typer.Option(help="A TOML file of rules on what asks.")] = None,
    mcp: Annotated[
        Path | None, typer.Option(help="A file of MCP servers, whose tools every agent gets.")
    ] = None,
    sign_in: Annotated[
        bool, typer.Option("--sign-in", help="Ask browsers to sign in, by a link printed here.")
    ] = False,
) -> None:
    """Serve an agent: the API and the console."""
    from sayso.cli import serving

    chosen = serving.settings(
        host, port, data, token or [], allow_anyone=allow_anyone, sign_in=sign_in
    )
    # An app may keep data of its own there, too.
    os.environ["SAYSO_DATA_DIR"] = str(chosen.data_dir)
    serving.serve(serving.load(target), chosen, policy=policy, mcp=mcp)


@app.command()
def demo(
    port: Port = None,
    data: DataDir = None,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Do not open the page in a browser.")
    ] = False,
) -> None:
    """Start the demo agent, a support desk.

    It needs no key and no network.
    """
    from sayso.cli import serving

    chosen = serving.settings(None, port, data or serving.demo_dir(), [])
    serving.serve_demo(chosen, open_page=not no_open)


@app.command("tools")
def tools_command(
    file: Annotated[Path, typer.Argument(help="A file of MCP servers (mcp.json).")],
    *,
    agree: Annotated[
        list[str] | None,
        typer.Option(help="Agree to what is new or changed: SERVER/TOOL, or SERVER for all of it."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For scripts.")] = False,
) -> None:
    """Look at the tools of MCP servers, and agree to them.

    A tool that is new, or that its server has changed, is not called before somebody agrees. The
    exit code is 1 where one is held.
    """
    from sayso.cli import mcp_tools

    raise typer.Exit(mcp_tools.show(file, agree or [], as_json=as_json))


@app.command("doctor")
def doctor_command(
    target: Annotated[
        str | None, typer.Argument(metavar="[MODULE:APP]", help="Look at this app as well.")
    ] = None,
    data: DataDir = None,
    port: Port = None,
) -> None:
    """Check your setup, and an app, and suggest fixes."""
    from sayso.cli import doctor

    raise typer.Exit(doctor.report(target, data, port))


@app.command("ask")
def ask_command(
    *,
    title: Annotated[
        str | None, typer.Argument(help="What to ask, in one line. Not needed with --id.")
    ] = None,
    approve: Annotated[
        bool, typer.Option("--approve", help="Ask for a yes or a no; the default.")
    ] = False,
    choose: Annotated[
        list[str] | None, typer.Option(help="An option to choose from. May be given again.")
    ] = None,
    form: Annotated[
        Path | None, typer.Option(help="A file with the JSON Schema of a form; - is stdin.")
    ] = None,
    notice: Annotated[
        bool, typer.Option("--notice", help="Only tell people; wait for no answer.")
    ] = False,
    arg: Annotated[
        list[str] | None,
        typer.Option(help="An argument of what would be done: name=text, or name:=JSON."),
    ] = None,
    tool: Annotated[str | None, typer.Option(help="What would be done, by its name.")] = None,
    edit: Annotated[
        list[str] | None, typer.Option(help="An argument that may be changed. May be given again.")
    ] = None,
    context: Annotated[
        list[str] | None, typer.Option(help="What people should know: name=text, or name:=JSON.")
    ] = None,
    assignee: Annotated[
        list[str] | None, typer.Option(help="Who may answer. May be given again.")
    ] = None,
    attach: Annotated[
        list[str] | None,
        typer.Option(help="A file to show, or a link: PATH, IMAGE=what it shows, https://…"),
    ] = None,
    wait: Annotated[
        str | None, typer.Option(help="For how long: 90s, 10m, 1h, 2d. Forever by default.")
    ] = None,
    expires: Annotated[str | None, typer.Option(help="How long it can be answered.")] = None,
    key: Annotated[
        str | None, typer.Option(help="Your own name for it: asked again, it is the same ask.")
    ] = None,
    ask_id: Annotated[
        str | None, typer.Option("--id", help="Continue waiting for this one.")
    ] = None,
    run: Annotated[
        str | None, typer.Option(help="Run this command once it is approved, and report.")
    ] = None,
    idempotent: Annotated[
        bool, typer.Option("--idempotent", help="The command may run twice.")
    ] = False,
    on: Annotated[
        str | None, typer.Option(help="The server's address.", envvar="SAYSO_URL")
    ] = None,
    data: DataDir = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print everything that is known about it.")
    ] = False,
) -> None:
    """Ask a person, and wait for the answer.

    Exit codes: 0 approved or answered, 10 rejected, 11 expired, dismissed or withdrawn, 12 still
    waiting (prints the id), 13 no server.
    """
    from sayso.cli import ask

    given = ask.AskOptions(
        title=title,
        kind=ask.kind_of(approve=approve, choose=choose, form=form, notice=notice),
        options=choose or [],
        form=form,
        arguments=arg or [],
        context=context or [],
        editable=edit or [],
        assignees=assignee or [],
        tool=tool,
        expires=expires,
        key=key,
        command=run,
        idempotent=idempotent,
        attachments=attach or [],
    )
    raise typer.Exit(ask.ask(given, ask_id=ask_id, wait=wait, on=on, data=data, as_json=as_json))


inbox_group = typer.Typer(help="What waits for a person; answer it here.", rich_markup_mode=None)
app.add_typer(inbox_group, name="inbox")
AsJson = Annotated[bool, typer.Option("--json", help="For scripts.")]


@inbox_group.callback(invoke_without_command=True)
def inbox_list(context: typer.Context, data: DataDir = None, as_json: AsJson = False) -> None:
    """List what waits."""
    if context.invoked_subcommand is None:
        from sayso.cli import inbox

        inbox.show_list(data, as_json=as_json)


@inbox_group.command("answer")
def inbox_answer(
    *,
    interaction: Annotated[str, typer.Argument(help="Its id, or an end of it that is unique.")],
    data: DataDir = None,
    approve: Annotated[bool, typer.Option("--approve", help="Approve it.")] = False,
    reject: Annotated[bool, typer.Option("--reject", help="Reject it; give a --reason.")] = False,
    reason: Annotated[str | None, typer.Option(help="The reason; a rejection needs one.")] = None,
    option: Annotated[str | None, typer.Option(help="The id of the chosen option.")] = None,
    note: Annotated[str | None, typer.Option(help="The words of a free answer.")] = None,
    body: Annotated[
        str | None, typer.Option(help="A whole answer as JSON; - reads it from stdin.")
    ] = None,
    key: Annotated[str | None, typer.Option(help="The idempotency key; made if absent.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show one and answer it.

    Without options it asks you; with them it answers at once.
    """
    from sayso.cli import inbox

    options = inbox.AnswerOptions(approve, reject, reason, option, note, body)
    inbox.answer(data, interaction, options, key=key, as_json=as_json)


@inbox_group.command("claim")
def inbox_claim(
    *,
    interaction: Annotated[str, typer.Argument(help="Its id, or an end of it that is unique.")],
    data: DataDir = None,
    to: Annotated[str | None, typer.Option(help="Hand it to this person.")] = None,
    note: Annotated[str, typer.Option(help="What they should know.")] = "",
    for_: Annotated[str, typer.Option("--for", help="For how long: 10m, 1h, 2d.")] = "15m",
    take_over: Annotated[
        bool, typer.Option("--take-over", help="Also from somebody who is looking at it.")
    ] = False,
    release: Annotated[bool, typer.Option("--release", help="End it instead.")] = False,
) -> None:
    """Say that you are looking at one, or hand it over. Others can still answer it."""
    from sayso.cli import inbox

    if release:
        inbox.release(data, interaction)
    else:
        inbox.claim(data, interaction, to=to, note=note, time=for_, take_over=take_over)


@inbox_group.command("snooze")
def inbox_snooze(
    interaction: Annotated[str, typer.Argument(help="Its id, or an end of it that is unique.")],
    data: DataDir = None,
    for_: Annotated[str, typer.Option("--for", help="For how long: 10m, 1h, 2d.")] = "1h",
) -> None:
    """Put one off, for you alone."""
    from sayso.cli import inbox

    inbox.snooze(data, interaction, time=for_)


audit_group = typer.Typer(help="Who allowed what.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(audit_group, name="audit")


@audit_group.command("verify")
def audit_verify(
    data: DataDir = None,
    against: Annotated[
        str | None, typer.Option(help="What `sayso audit head` printed, kept elsewhere.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check every seal, line and row.

    The exit code is 0 when all is whole, 1 broken, 3 an unsealed tail, 4 not checkable.
    """
    from sayso.cli import audit_commands

    raise typer.Exit(audit_commands.verify(data, against=against, as_json=as_json))


@audit_group.command("verify-export")
def audit_verify_export(
    file: Annotated[Path, typer.Argument(help="A card or a chat as it was exported.")],
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Check the signature of an exported card or chat.

    The exit code is 0 when it is genuine, 1 changed, 4 when its key is not here.
    """
    from sayso.cli import audit_commands

    raise typer.Exit(audit_commands.verify_export(data, file, as_json=as_json))


@audit_group.command("head")
def audit_head(data: DataDir = None, as_json: AsJson = False) -> None:
    """Print the last seal.

    Keep it where nobody who can change the database can change it.
    """
    from sayso.cli import audit_commands

    audit_commands.head(data, as_json=as_json)


@audit_group.command("list")
def audit_list(
    data: DataDir = None,
    chat: Annotated[str | None, typer.Option(help="Only this chat.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200)] = 50,
    as_json: AsJson = False,
) -> None:
    """The newest lines of the audit log."""
    from sayso.cli import audit_commands

    audit_commands.show(data, chat=chat, limit=limit, as_json=as_json)


db_group = typer.Typer(help="The database.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(db_group, name="db")


@db_group.command("upgrade")
def db_upgrade(data: DataDir = None) -> None:
    """Bring it to this version's form.

    A server does so at its start.
    """
    from sayso.cli import audit_commands

    audit_commands.upgrade(data)


bench_group = typer.Typer(
    help="Measure on your own data.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(bench_group, name="bench")


@bench_group.callback()
def bench_about() -> None:
    """Measure on your own data."""


@bench_group.command("gate")
def bench_gate(
    file: Annotated[
        Path | None, typer.Argument(help="A JSONL file of dialogues; see docs/how-to/gate.md.")
    ] = None,
    *,
    model: Annotated[
        str | None, typer.Option(help="A Pydantic AI model that reads beside the rules.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first dialogues.")] = None,
    adversarial: Annotated[
        bool, typer.Option("--adversarial", help="Messages that are made to be misheard.")
    ] = False,
    sets: Annotated[Path, typer.Option(help="The folder with the sets of --adversarial.")] = Path(
        "tests/vectors/gate/adversarial"
    ),
    show: Annotated[bool, typer.Option("--show", help="List what came out wrong.")] = False,
    as_json: AsJson = False,
) -> None:
    """Score what reads messages.

    Which values it finds, when it calls an action ready, and what would have run.
    """
    from sayso.cli import bench

    if adversarial:
        raise typer.Exit(bench.adversarial(sets, model=model, show=show, as_json=as_json))
    if file is None:
        raise typer.BadParameter("Name a file of dialogues, or --adversarial.")
    raise typer.Exit(bench.gate(file, model=model, limit=limit, show=show, as_json=as_json))


def _print_error(title: str, detail: str, fix: str) -> None:
    if title:
        typer.secho(f"{title}.", err=True, fg=typer.colors.RED, bold=True)
        typer.echo(detail, err=True)
    else:
        typer.secho(detail, err=True, fg=typer.colors.RED, bold=True)
    if fix:
        typer.echo(f"→ {fix}", err=True)
