"""The documents say what is so: examples run, links lead somewhere, nothing is left out.

A ```python block that follows `<!-- runs -->` is executed; the blocks of one document share a
namespace, as they would share a file. Whatever they ask on the terminal is answered with "y".
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sayso import settings
from sayso.core import errors
from sayso.core.events import EVENT_TYPES
from scripts import reference

ROOT = Path(__file__).parents[2]
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
BLOCK = re.compile(r"(<!-- runs -->\n)?```python\n(.*?)```", re.DOTALL)


def blocks(document: Path, *, that_run: bool) -> list[str]:
    found = BLOCK.findall(document.read_text("utf-8"))
    return [code for marked, code in found if bool(marked) == that_run]


def name(document: Path) -> str:
    return document.relative_to(ROOT).as_posix()


@pytest.fixture
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder and a data directory of its own, and someone at the terminal who says y."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SAYSO_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(builtins, "input", lambda prompt="": "y")


@pytest.mark.usefixtures("own_place")
@pytest.mark.parametrize("document", [d for d in DOCUMENTS if blocks(d, that_run=True)], ids=name)
def test_examples_run(document: Path) -> None:
    space: dict[str, object] = {"__name__": "example"}
    for code in blocks(document, that_run=True):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(code, name(document), "exec", dont_inherit=True), space)
        for line in re.findall(r"# prints: (.*)", code):
            assert line in said.getvalue()


def test_no_page_invites_a_package_of_somebody_else() -> None:
    """Sayso is on no index: who installs it by its name gets another's, and its clone has no
    address that is known here."""
    pages = [*DOCUMENTS, *(ROOT / "examples").rglob("*.py")]
    invites = re.compile(r"pip install [^`\n]*\bsayso\b|git clone …")
    found = [name(page) for page in pages if invites.search(page.read_text("utf-8"))]
    assert found == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_every_python_block_is_python(document: Path) -> None:
    for code in blocks(document, that_run=False):
        compile(code, name(document), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text("utf-8")):
        if "://" not in target:
            assert (document.parent / target).exists(), f"{name(document)} links to {target}"


@pytest.mark.parametrize(
    ("page", "before_the_table"),
    [
        ("README.md", "<!-- guarantees -->"),
        ("docs/explanation/exactly-once.md", "## What shows it\n\n"),
    ],
)
def test_tests_named_as_proof_exist(page: str, before_the_table: str) -> None:
    table = (ROOT / page).read_text("utf-8").split(before_the_table)[1].split("\n\n")[0]
    named = re.findall(r"`(tests/[^`]+)`", table)
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_reference_is_what_the_code_says() -> None:
    for framework in ("agents", "agent_framework"):  # the table has a column of each
        pytest.importorskip(framework)
    assert reference.out_of_date() == [], "run: python scripts/reference.py"


def test_every_error_code_is_in_the_reference() -> None:
    page = (ROOT / "docs/reference/errors.md").read_text("utf-8")
    pending, codes = [errors.SaysoError], set()
    while pending:
        below = pending.pop().__subclasses__()
        codes |= {cls.code for cls in below if not cls.__subclasses__()}
        pending += below
    assert {code for code in codes if f"`{code}`" not in page} == set()


def test_every_setting_is_in_the_reference() -> None:
    page = (ROOT / "docs/reference/settings.md").read_text("utf-8")
    names = {f"SAYSO_{field.upper()}" for field in settings.Settings.model_fields}
    assert {setting for setting in names if f"`{setting}`" not in page} == set()


def test_every_event_is_in_the_reference() -> None:
    page = (ROOT / "docs/reference/events.md").read_text("utf-8")
    assert {event for event in EVENT_TYPES if f"`{event}`" not in page} == set()


#: Examples of a framework are run where it is installed.
FRAMEWORKS = {"langgraph_agent.py": "langchain"}


@pytest.mark.parametrize(
    ("script", "arguments", "typed", "told"),
    [
        ("plain_function.py", [], "", "posted to Mara"),
        ("approve_in_terminal.py", ["refund order 1001"], "y\n", "Done: €42.00"),
        ("approve_in_terminal.py", ["refund order 1001"], "n\ntoo dear\n", "Your reason: too dear"),
        (
            "approve_in_terminal.py",
            ["refund my order"],
            "1004\n\ny\n",
            "Done: €19.50 for order 1004",
        ),
        ("own_reader.py", [], "", "guests is 4: 'four' states it"),
        (
            "own_reader.py",
            ["dinner on New Year's Eve"],
            "",
            '12-31: "New Year\'s Eve" suggests it',
        ),
        ("own_ui_tool.py", [], "", "The plan goes ahead with 3 rooms."),
        ("langgraph_agent.py", [], "R 605\ny\n", "Seat 14A on R 605 to Bergen is booked."),
        ("langgraph_agent.py", [], "R 601\nn\n", "The person did not approve this."),
    ],
)
def test_the_examples_do_what_they_say(
    script: str, arguments: list[str], typed: str, told: str, tmp_path: Path
) -> None:
    pytest.importorskip(FRAMEWORKS.get(script, "sayso"))
    ran = subprocess.run(
        [sys.executable, str(ROOT / "examples" / script), *arguments],
        input=typed,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "PYTHONPATH": _path()},
    )
    assert ran.returncode == 0, ran.stderr
    assert told in ran.stdout


def _path() -> str:
    """Where this process found sayso, so that the example finds the same one."""
    return str(Path(errors.__file__).parents[2])
