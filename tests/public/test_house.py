"""The house stays one that a stranger can walk through: read from the sources, nothing imported."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

#: Documents that no clone holds. What they say stands in docs/reference/contracts.md, under names.
_MISSING_DOCUMENTS = re.compile(r"(?<![-\w])[Ss]eeds? ?[1-5]\b|\bDESIGN\b")


def sources(*places: str, ending: tuple[str, ...] = (".py",)) -> list[Path]:
    """Return the files of these folders that the repository holds."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", *places], cwd=ROOT, capture_output=True, text=True, check=True
    )
    named = (ROOT / name for name in listed.stdout.split("\0") if name.endswith(ending))
    return [path for path in named if path.is_file()]


@pytest.mark.parametrize("place", ["src", "tests", "docs", "scripts", "examples"])
def test_nothing_points_to_documents_that_no_clone_holds(place: str) -> None:
    texts = sources(place, ending=(".py", ".md", ".json", ".toml", ".txt", ".ts", ".tsx", ".mjs"))
    mentions = [
        f"{path.relative_to(ROOT)}: {found[0]}"
        for path in texts
        for found in _MISSING_DOCUMENTS.finditer(path.read_text("utf-8"))
    ]
    assert mentions == [], "name the contract (docs/reference/contracts.md) or leave it out"


# ── no circles ──


def test_no_module_imports_itself_through_others() -> None:
    """Imports within functions count; those for type checkers alone do not."""
    modules = {_module(path): path for path in sources("src/sayso")}
    circles = _circles({name: _imported(path, modules) for name, path in modules.items()})
    assert circles == [], "each is a set of modules that import one another"


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(path: Path, modules: Collection[str]) -> set[str]:
    named: set[str] = set()
    for node in _nodes(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            named |= {name if name in modules else str(node.module) for name in inner}
    return (named & set(modules)) - {_module(path)}


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all that runs: every node but those under `if TYPE_CHECKING`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            continue
        yield node
        yield from _nodes(node)


def _circles(imports: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected parts of more than one module."""
    reached = {name: _reached(name, imports) for name in imports}
    circles = {
        tuple(sorted(other for other in reached[name] if name in reached[other]))
        for name in imports
        if name in reached[name]
    }
    return sorted(map(list, circles))


def _reached(name: str, imports: Mapping[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    following = list(imports[name])
    while following:
        other = following.pop()
        if other not in reached:
            reached.add(other)
            following += imports[other]
    return reached


# ── the words of the field ──

#: Words that we no longer use for what they meant here, as parts of names in snake case: by folder,
#: the first for all. Beside each stands what it is called now.
_OLD_WORDS: dict[str, dict[str, str]] = {
    "": {
        "leave": "grant",
        "heart": "heartbeat",
        "crew": "workers, host",
        "workforce": "runtime",
        "workplace": "segment context",
        "lifelog": "card_log",
        "straggler": "detached thread",
        "stragglers": "detached threads",
        "foreign": "result cards, stray",
        "gathering": "gather",
        "telling": "call_events",
        "seam": "run, tool_calls",
        "seams": "run, tool_calls",
        "speech": "message_stream",
        "pump": "text_queue",
        "talker": "app_agent",
        "needs_person": "call_suspended",
        "not_met": "blocked",
        "open_gate": "no_gate",
        "set_going": "resume",
        "go_on_with": "resume_parent",
        "came_to": "outcome_of",
        "wording": "messages, search_text",
        "solo": "storeless",
    },
    "core": {"transactions": "store_results", "teller": "end_source"},
    "store": {
        "knows": "can_run",
        "held": "lock_fenced",
        "word": "literal",
        "p": "param",
        "queries": "verbs",
    },
    "engine": {
        "told": "apply_outcome, on_commit",
        "hand": "running_segment",
        "hands": "running_segments",
        "lend": "register_for_task",
        "take_back": "unregister",
        "timers": "background",
        "ends": "effect_writer",
        "ear": "subscription",
    },
    "tools": {
        "world": "segment_env",
        "pause": "suspension",
        "drain": "flush_text",
        "revisions": "approvals",
        "closing": "call_events",
    },
    "adapters": {
        "gate": "tool_calls, policy",
        "chats": "history",
        "nest": "nested_agents",
        "world": "env",
    },
    "server": {
        "edge": "middleware",
        "ear": "subscription",
        "follower": "updates",
        "bodies": "requests",
        "turns": "run_reply",
        "wrong_tokens": "failed_logins",
    },
    "gate": {"desk": "gate_agent"},
    "reading": {"mention": "span", "readings": "slot_values"},
}
#: Classes that were called by one such word, wherever they stood.
_OLD_CLASSES = {"first", "last", "left", "stop", "nest", "body", "hand", "world", "pause", "saved"}
_OLD_CLASSES |= {"memory", "copies", "guard", "gate"}


def test_no_name_has_an_old_word() -> None:
    found = {
        f"{path.relative_to(ROOT / 'src/sayso')}: {name} ({new})"
        for path in sources("src/sayso")
        for kind, name in _names(path)
        if (new := _old_word(path, kind, name)) is not None
    }
    assert found == set(), "in brackets stands what it is called now"


def _old_word(path: Path, kind: str, name: str) -> str | None:
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    if kind == "class" and snake.strip("_") in _OLD_CLASSES:
        return "a name of its own"
    folder = path.relative_to(ROOT / "src/sayso").parts[0]
    parts = f"_{snake}_"
    for old, new in (_OLD_WORDS[""] | _OLD_WORDS.get(folder, {})).items():
        if f"_{old}_" in parts:
            return new
    return None


def _names(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the module, and the classes, functions and parameters in it."""
    yield "module", path.stem
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.ClassDef(name=name):
                yield "class", name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield "function", name
            case ast.arg(arg=name):
                yield "parameter", name
            case _:
                pass


#: A row of a table of the store, and a row of a card: no file of the store knows cards' rows.
_TWO_MEANINGS = {"Row"}
#: Made from the OpenAPI document: what goes over the wire has the names that it has in core.
_OF_THE_WIRE = "client/api.py"


def test_no_two_classes_that_are_open_together_share_a_name() -> None:
    """Not within a folder (each framework has its own), and not with a class of core."""
    where: dict[str, list[str]] = defaultdict(list)
    for path in sources("src/sayso"):
        if path.as_posix().endswith(_OF_THE_WIRE):
            continue
        folder = path.parent.relative_to(ROOT / "src/sayso").as_posix()
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                where[node.name].append(folder)
    shared = {
        name
        for name, folders in where.items()
        if len(folders) > len(set(folders)) or ("core" in folders and len(folders) > 1)
    }
    assert shared == _TWO_MEANINGS


# ── one place per verb ──

#: What a store does that is no single transaction, or none at all.
_NO_TRANSACTION = {
    *("open", "close", "check", "look", "hold_worker_role", "others_wrote", "seal_audit"),
}


def test_no_verb_of_the_store_is_declared_twice() -> None:
    """The port declares it and says what it does; the store only binds it to its transaction."""
    (port,) = _classes("core/ports.py", "Store")
    (store,) = _classes("store/store.py", "SqlStore")
    verbs = _functions(port.body)
    assert len(verbs) > 40
    assert _functions(store.body) & verbs <= _NO_TRANSACTION
    bound = {
        target.id
        for node in store.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    assert verbs - _NO_TRANSACTION - bound == set()
    written = [
        name
        for path in sources("src/sayso/store/verbs")
        for name in _functions(ast.parse(path.read_text("utf-8")).body)
        if name in verbs
    ]
    assert sorted(written) == sorted(set(written))


def _classes(file: str, name: str) -> list[ast.ClassDef]:
    tree = ast.parse((ROOT / "src/sayso" / file).read_text("utf-8"))
    return [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name]


def _functions(body: Iterable[ast.stmt]) -> set[str]:
    return {node.name for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


# ── what the README points to ──


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_the_places_that_a_page_names_are_there(page: str) -> None:
    named = re.findall(r"`((?:src|web|tests|scripts)/[^`\s]+)`", (ROOT / page).read_text("utf-8"))
    assert named
    assert [place for place in named if not (ROOT / place).exists()] == []
