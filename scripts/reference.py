"""Writes what docs take from the code: pages of docs/reference, the table of frameworks.

python scripts/reference.py          write them
python scripts/reference.py --check  say which of them are out of date; exit 1 if any is
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

from pydantic import JsonValue

from sayso import ToolContext, settings
from sayso.adapters.contract import FrameworkAdapter, LeansOnPrivateNames
from sayso.adapters.registry import FRAMEWORKS as KNOWN
from sayso.adapters.registry import load_adapter
from sayso.core import errors, events, segments
from sayso.server import problems
from sayso.tools.asking import Questions
from sayso.tools.replay import Steps

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"
FRAMEWORKS = ROOT / "docs" / "frameworks.md"
MADE = "<!-- Made by scripts/reference.py from the code; change it there. -->"

ERRORS = f"""# Errors
{MADE}

Every error has a stable `code`, a sentence that says what happened, and what to do about it. In
Python it is a class of `sayso.core.errors`; over HTTP it is a problem document (RFC 9457) whose
`type` is `urn:sayso:problem:` and the code. Its class says who can help: `UserMistake` is for the
caller, `Recoverable` for another try, `Critical` for the operator."""

EVENTS = f"""# Events
{MADE}

What happens in a chat, in the order of `seq`. On the wire each is
`{{"seq", "type", "at", "by"?, "data"}}`; these are the types and what `data` holds. A reader skips
a type that it does not know. Frames that are live only are in [the wire](wire.md).

| type | data | |
| --- | --- | --- |"""

SETTINGS = f"""# Settings
{MADE}

Nothing here needs to be set. Each is an environment variable; where the command line has an option
for the same, the option wins. Lists are JSON: `SAYSO_ALLOWED_HOSTS='["desk.lan"]'`.

| variable | default | |
| --- | --- | --- |"""

SETTINGS_END = """
A token is `SECRET`, or `PERSON:ROLE:SECRET` with a role of `viewer`, `responder` or `admin`; a
secret has at least 16 characters (`openssl rand -hex 16`).

## Of the demo

| variable | default | |
| --- | --- | --- |
| `SAYSO_MODEL` | none: no model | What drives the support desk, as `openai:gpt-…` |
| `SAYSO_MODEL_BASE_URL` | `OPENAI_BASE_URL` | A server of yours that speaks OpenAI's API |
| `SAYSO_MODEL_API_KEY` | `OPENAI_API_KEY` | The key for that server, where it wants one |
| `SAYSO_DEMO_TOKEN_MS` | `8` | Milliseconds between the words of the story |
"""

CONTEXT = f"""# The context
{MADE}

What a tool body (`ToolContext`) or a function agent (`AgentContext`) gets as its first parameter,
`ctx`. Every question also takes `expires_in` (a timedelta or seconds), `on_expiry` (`"reject"`,
`"cancel"`, or a default answer), `assignees`, `display` and `workflow_stage`. If a question is
dismissed, or expires without a default, it raises `Unanswered`, unless no answer means no."""


#: Between these lines of the page of frameworks stands what the adapters declare.
TABLE = "<!-- Made by scripts/reference.py from the adapters' capabilities. -->"
TABLE_END = "<!-- end -->"
#: Between these lines stands what they need of their frameworks beyond the documented.
NAMES = "<!-- Made by scripts/reference.py from what the adapters lean on. -->"

#: What people call the frameworks.
CALLED = {"function": "Plain function", **{one.key: one.title for one in KNOWN}}

#: For what the code has no comment of its own.
WORDS = {
    "host": "The address to listen on.",
    "port": "The port to listen on; 0 takes a free one.",
    "data_dir": "The folder of the database and of the running server's address.",
    "app_id": "The tenant of those who need no login.",
    "allowed_origins": "Pages of other origins that may call this server.",
    "max_body_bytes": "The largest request that is read.",
    "log_level": "`debug`, `info`, `warning` or `error`.",
    "task": "The whole task that this run works on.",
    "uuid": "A new id; on replay the same one.",
    "ToolCalled": "A tool is called, or waits for a person before it is.",
    "UiToolDismissed": "A person set the card aside.",
    "UiToolExpired": "The card's time passed.",
    "RequirementsChanged": "What is known, and what is missing, before an action may run.",
    "ProgressMade": "How far the work has come.",
    "PreferenceSet": "A preference of the chat was set.",
    "ChatTitled": "The chat has a title, or a new one.",
    "random": "A number from 0 to 1; on replay the same one.",
}


def errors_page() -> str:
    lines = [ERRORS]
    for kind in (errors.UserMistake, errors.Recoverable, errors.Critical):
        lines += ["", f"## {kind.__name__}: {_first_line(kind)}", ""]
        lines += ["| code | class | HTTP | title | what to do |", "| --- | --- | --- | --- | --- |"]
        for cls in _below(kind):
            name = f"`{cls.__name__}`"
            lines.append(f"| `{cls.code}` | {name} | {_status(cls)} | {cls.title} | {_fix(cls)} |")
    lines += [
        "",
        "## From HTTP alone",
        "",
        "| code | HTTP | title | what to do |",
        "| --- | --- | --- | --- |",
        "| `malformed_json` | 400 | This is not JSON | Check the quotes, commas and brackets. |",
        "| `internal` | 500 | Something went wrong here | Try again; look into the server's log. |",
    ]
    for status, (code, title, fix) in problems._REFUSALS.items():
        if code not in {cls.code for cls in _below(errors.SaysoError)}:
            lines.append(f"| `{code}` | {status} | {title} | {fix} |")
    return "\n".join(lines) + "\n"


def settings_page() -> str:
    said = _comments(settings, "Settings")
    lines = [SETTINGS]
    for name, field in settings.Settings.model_fields.items():
        default = field.default if field.default_factory is None else None
        shown = "the user's data directory" if name == "data_dir" else _default(default)
        lines.append(f"| `SAYSO_{name.upper()}` | {shown} | {said[name] or WORDS[name]} |")
    return "\n".join([*lines, SETTINGS_END])


def context_page() -> str:
    lines = [CONTEXT]
    members = {**vars(Questions), **vars(ToolContext), **vars(Steps)}
    for name, member in members.items():
        if name.startswith("_") or name in ("thread_slot", "come_to_end"):  # for adapters and tools
            continue
        if isinstance(member, property) and member.fget is not None:
            lines += ["", f"## `ctx.{name}`", "", _said(member.fget)]
        elif inspect.isfunction(member):
            wait = "await " if inspect.iscoroutinefunction(member) else ""
            lines += ["", f"## `{wait}ctx.{name}{_signature(member)}`", "", _said(member)]
    return "\n".join(lines) + "\n"


def events_page() -> str:
    lines = [EVENTS]
    for kind, cls in events.EVENT_TYPES.items():
        fields = ", ".join(
            f"`{field}`" if info.is_required() else f"`{field}`?"
            for field, info in cls.model_fields.items()
        )
        lines.append(f"| `{kind}` | {fields} | {_event_words(cls)} |")
    return "\n".join(lines) + "\n"


def frameworks_page() -> str:
    """The page as it stands, with the table of what each adapter declares."""
    page = FRAMEWORKS.read_text("utf-8")
    page = _between(page, TABLE, _capabilities_table())
    return _between(page, NAMES, _private_names())


def _between(page: str, start: str, made: str) -> str:
    before, _, rest = page.partition(start)
    _, _, after = rest.partition(TABLE_END)
    return f"{before}{start}\n{made}\n{TABLE_END}{after}"


def _private_names() -> str:
    lines: list[str] = []
    for key, adapter in adapters().items():
        if isinstance(adapter, LeansOnPrivateNames):
            places = (
                f"`{place.replace(':', '.')}` ({', '.join(f'`{name}`' for name in names)})"
                for place, names in adapter.leans_on.items()
            )
            lines.append(f"- {CALLED[key]}: {'; '.join(places)}.")
    return "\n".join(lines)


def _capabilities_table() -> str:
    known = {name: adapter.capabilities.as_json() for name, adapter in adapters().items()}
    said = _comments(segments, "Capabilities")
    lines = [
        "| | " + " | ".join(CALLED[name] for name in known) + " |",
        "| --- |" + " --- |" * len(known),
    ]
    for field, words in said.items():
        cells = " | ".join(_cell(each[field]) for each in known.values())
        lines.append(f"| {words.rstrip('.').partition(': the run goes on')[0]} | {cells} |")
    return "\n".join(lines)


def adapters() -> dict[str, FrameworkAdapter]:
    """Every adapter by its name, a plain function first."""
    places = ["sayso.adapters.function:FunctionAdapter", *(one.adapter for one in KNOWN)]
    found = [load_adapter(place) for place in places]
    return {adapter.name: adapter for adapter in found}


def _cell(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"goes on after {value}"


PAGES: dict[Path, Callable[[], str]] = {
    REFERENCE / "errors.md": errors_page,
    REFERENCE / "events.md": events_page,
    REFERENCE / "settings.md": settings_page,
    REFERENCE / "context.md": context_page,
    FRAMEWORKS: frameworks_page,
}


def out_of_date() -> list[str]:
    """The pages that are not what the code says now."""
    return [
        page.name
        for page, make in PAGES.items()
        if not page.exists() or page.read_text("utf-8") != make()
    ]


def _below(cls: type[errors.SaysoError]) -> Iterator[type[errors.SaysoError]]:
    for sub in cls.__subclasses__():
        if sub.code != cls.code:
            yield sub
        yield from _below(sub)


def _status(cls: type[errors.SaysoError]) -> int:
    return next(problems.STATUS[base] for base in cls.__mro__ if base in problems.STATUS)


def _fix(cls: type[errors.SaysoError]) -> str:
    return cls.remedy or _first_line(cls)


def _first_line(thing: object) -> str:
    return (inspect.getdoc(thing) or "").split("\n")[0]


def _event_words(cls: type[events.EventData]) -> str:
    words = inspect.getdoc(cls) if "__doc__" in vars(cls) and cls.__doc__ else ""
    return (words or WORDS[cls.__name__]).replace("\n", " ")


def _said(function: Callable[..., object]) -> str:
    return inspect.getdoc(function) or WORDS[function.__name__]


def _default(value: object) -> str:
    if value in (None, [], ""):
        return "none"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _signature(function: object) -> str:
    """The parameters as written, without self and without types."""
    assert inspect.isfunction(function)
    shown = []
    for name, parameter in list(inspect.signature(function).parameters.items())[1:]:
        if parameter.kind is parameter.VAR_POSITIONAL:
            shown.append(f"*{name}")
        elif parameter.kind is parameter.VAR_KEYWORD:
            shown.append(f"**{name}")
        elif parameter.default is parameter.empty:
            shown.append(name)
        else:
            shown.append(f"{name}={parameter.default!r}")
    return f"({', '.join(shown)})"


def _comments(module: ModuleType, class_name: str) -> dict[str, str]:
    """The `#:` comment above each field of a class, where there is one."""
    source = inspect.getsource(module)
    lines = source.splitlines()
    found: dict[str, str] = {}
    (cls,) = [
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef) and node.name == class_name
    ]
    for node in cls.body:
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        above: list[str] = []
        at = node.lineno - 2
        while at >= 0 and (match := re.match(r"\s*#: ?(.*)", lines[at])):
            above.insert(0, match[1])
            at -= 1
        found[node.target.id] = " ".join(above)
    return found


def main() -> int:
    if "--check" in sys.argv:
        stale = out_of_date()
        if stale:
            print(f"out of date: {', '.join(stale)}; run python scripts/reference.py")
        return 1 if stale else 0
    REFERENCE.mkdir(parents=True, exist_ok=True)
    for page, make in PAGES.items():
        page.write_text(make(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
