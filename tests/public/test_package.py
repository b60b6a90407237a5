"""What people install: the wheel has the console, the sdist has what the console is made from."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from scripts import web

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(directory)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return directory


def test_wheel_has_the_console_and_every_file_of_it(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    made = {path.relative_to(ROOT / "src").as_posix() for path in web.STATIC.rglob("*.*")}
    assert "sayso/console/static/index.html" in made
    assert made <= names


def test_sdist_has_every_web_source_even_beside_installed_node_modules(built: Path) -> None:
    assert (ROOT / "web/node_modules/@sayso/core").is_symlink(), "the trap this test is about"
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    sources = {path.relative_to(ROOT).as_posix() for path in web.sources()}
    assert "web/packages/core/src/index.ts" in sources
    assert sources <= names
    assert not [name for name in names if "node_modules" in name]
