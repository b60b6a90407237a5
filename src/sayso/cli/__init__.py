"""The command line. Whatever the person can mend is told in one sentence, with its remedy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from sayso.cli.refused import Refused
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
    typer.Option(
        min=0, max=65535, help="8765 if not said; 0 takes any free one.", envvar="SAYSO_PORT"
    ),
]


def main() -> None:
    """The program `sayso`. What the person can mend is told in a sentence, without a traceback."""
    try:
        app()
    except InvalidInput as exc:
        _tell("", exc.detail, exc.fix)  # its title speaks of a request
        sys.exit(2)
    except (SaysoError, Refused) as exc:
        _tell(exc.title, exc.detail, exc.fix)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


def _tell_version(wanted: bool) -> None:
    if wanted:
        from sayso._version import __version__

        typer.echo(f"sayso {__version__}")
        raise typer.Exit


@app.callback()
def sayso(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Say which version it is.", callback=_tell_version, is_eager=True
        ),
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
) -> None:
    """Serve an agent: the API and the console."""
    from sayso.cli import serving

    chosen = serving.settings(host, port, data, token or [], allow_anyone)
    serving.serve(serving.load(target), chosen, policy=policy)


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

    chosen = serving.settings(None, port, data or serving.demo_dir(), [], False)
    serving.serve_demo(chosen, open_page=not no_open)


@app.command("doctor")
def doctor_command(data: DataDir = None, port: Port = None) -> None:
    """Check the set-up, and say what to mend."""
    from sayso.cli import doctor

    raise typer.Exit(doctor.report(data, port))


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
    approve: Annotated[bool, typer.Option("--approve", help="Say yes.")] = False,
    reject: Annotated[bool, typer.Option("--reject", help="Say no; give a --reason.")] = False,
    reason: Annotated[str | None, typer.Option(help="Why; a rejection needs it.")] = None,
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

    given = inbox.Given(approve, reject, reason, option, note, body)
    inbox.answer(data, interaction, given, key=key, as_json=as_json)


audit_group = typer.Typer(help="Who allowed what.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(audit_group, name="audit")


@audit_group.command("verify")
def audit_verify(data: DataDir = None, as_json: AsJson = False) -> None:
    """Recompute every hash chain. The exit code is 1 when one is broken."""
    from sayso.cli import records

    raise typer.Exit(records.verify(data, as_json=as_json))


@audit_group.command("list")
def audit_list(
    data: DataDir = None,
    chat: Annotated[str | None, typer.Option(help="Only this chat.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200)] = 50,
    as_json: AsJson = False,
) -> None:
    """The newest lines of the audit log."""
    from sayso.cli import records

    records.show(data, chat=chat, limit=limit, as_json=as_json)


db_group = typer.Typer(help="The database.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(db_group, name="db")


@db_group.command("upgrade")
def db_upgrade(data: DataDir = None) -> None:
    """Bring it to this version's form.

    A server does so at its start.
    """
    from sayso.cli import records

    records.upgrade(data)


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
        Path, typer.Argument(help="A JSONL file of dialogues; see docs/how-to/gate.md.")
    ],
    model: Annotated[
        str | None, typer.Option(help="A Pydantic AI model that reads beside the rules.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first dialogues.")] = None,
    as_json: AsJson = False,
) -> None:
    """Score what reads messages.

    Which values it finds, when it calls an action ready, and what would have run.
    """
    from sayso.cli import bench

    raise typer.Exit(bench.gate(file, model=model, limit=limit, as_json=as_json))


def _tell(title: str, detail: str, fix: str) -> None:
    if title:
        typer.secho(f"{title}.", err=True, fg=typer.colors.RED, bold=True)
        typer.echo(detail, err=True)
    else:
        typer.secho(detail, err=True, fg=typer.colors.RED, bold=True)
    if fix:
        typer.echo(f"→ {fix}", err=True)
