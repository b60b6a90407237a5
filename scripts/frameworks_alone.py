"""Runs each framework's suite in an environment that holds that framework and no other.

    python scripts/frameworks_alone.py [--oldest | --newest] [adk ag2 autogen …]

Without an option the versions are those of the lock. `--oldest` takes the lowest that
pyproject.toml allows, of Sayso's own dependencies and of the framework; `--newest` what the
registry has today. Names are extras of pyproject.toml. Makes the environments itself, with the
`uv` of .venv.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sayso.adapters.registry import FRAMEWORKS, Framework

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements/dev.txt"
#: What the suites need beside Sayso and the framework.
TOOLS = ("anyio", "hypothesis", "jsonschema", "pytest")
#: The versions taken → how the resolver is told.
TAKEN = {
    "locked": ("--constraint", str(LOCK)),
    "oldest": ("--resolution", "lowest-direct"),
    "newest": (),
}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    which = parser.add_mutually_exclusive_group()
    for name in ("oldest", "newest"):
        which.add_argument(f"--{name}", dest="taken", action="store_const", const=name)
    parser.add_argument("extras", nargs="*", metavar="EXTRA")
    given = parser.parse_args(arguments)
    known = {framework.extra: framework for framework in FRAMEWORKS}
    if unknown := [extra for extra in given.extras if extra not in known]:
        parser.error(f"there is no {unknown[0]}: {', '.join(known)}")
    taken = given.taken or "locked"
    failed = [e for e in given.extras or known if not _passes(known[e], taken)]
    print(f"failed alone: {', '.join(failed)}" if failed else "each passes alone")
    return 1 if failed else 0


def _passes(framework: Framework, taken: str) -> bool:
    with tempfile.TemporaryDirectory() as directory:
        python = str(Path(directory, "venv/bin/python"))
        try:
            _make(Path(directory), python, framework.extra, taken)
        except subprocess.CalledProcessError:
            print(f"{framework.extra} {taken}: cannot be installed", flush=True)
            return False
        version = _run(python, "-c", _VERSION.format(framework.distribution)).stdout.strip()
        done = _run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *_suites(framework))
    passes = done.returncode == 0
    if not passes:
        print(done.stdout)
    told = done.stdout.strip().rpartition("\n")[2]
    verdict = "passes" if passes else "FAILS"
    print(f"{framework.extra} {version} ({taken}) {verdict}: {told}", flush=True)
    return passes


_VERSION = "from importlib.metadata import version; print(version({!r}))"


def _suites(framework: Framework) -> list[str]:
    contract = ROOT / f"tests/contract/test_{framework.key}.py"
    units = (ROOT / "tests/unit/adapters").glob(f"test_{framework.key}*.py")
    return [str(path.relative_to(ROOT)) for path in (contract, *sorted(units))]


def _make(folder: Path, python: str, extra: str, taken: str) -> None:
    pins, tools = folder / "pins.txt", folder / "tools.txt"
    tools.write_text("\n".join(TOOLS))
    compiled = ("pip", "compile", "--quiet", "--no-emit-index-url", "--python", sys.executable)
    uv(*compiled, *TAKEN[taken], "--extra", extra, "--output-file", str(pins), "pyproject.toml")
    uv("venv", "--quiet", "--python", sys.executable, str(folder / "venv"))
    install = ("pip", "install", "--quiet", "--python", python)
    uv(*install, "--requirement", str(pins))
    uv(*install, "--constraint", str(pins), "--requirement", str(tools))


def _run(python: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        [python, *arguments],
        cwd=ROOT,
        env={**environment, "LANG": "C.UTF-8"},
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def uv(*arguments: str) -> None:
    subprocess.run([str(Path(sys.executable).parent / "uv"), *arguments], cwd=ROOT, check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
