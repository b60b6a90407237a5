"""Runs each framework's suite in an environment that holds that framework and no other.

    python scripts/frameworks_alone.py [EXTRA …]

The lock pins the same versions as everywhere; what another extra would bring is left out. Standard
library only, as it makes its environments itself (with the `uv` of .venv).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UV = ROOT / ".venv/bin/uv"
#: Extra → the suites that need it alone.
SUITES = {
    "adk": ["tests/contract/test_adk.py", "tests/unit/adapters/test_adk.py"],
    "ag2": ["tests/contract/test_ag2.py", "tests/unit/adapters/test_ag2.py"],
    "agent-framework": [
        "tests/contract/test_agent_framework.py",
        "tests/unit/adapters/test_agent_framework.py",
    ],
    "autogen": ["tests/contract/test_autogen.py", "tests/unit/adapters/test_autogen.py"],
    "langgraph": [
        "tests/contract/test_langgraph.py",
        "tests/unit/adapters/test_langgraph.py",
        "tests/unit/adapters/test_langgraph_graphs.py",
        "tests/unit/adapters/test_langgraph_interrupts.py",
    ],
    "openai-agents": [
        "tests/contract/test_openai_agents.py",
        "tests/unit/adapters/test_openai_agents.py",
    ],
    "pydantic-ai": [
        "tests/contract/test_pydantic_ai.py",
        "tests/unit/adapters/test_pydantic_ai.py",
        "tests/unit/adapters/test_pydantic_ai_nested.py",
        "tests/unit/adapters/test_pydantic_ai_toolsets.py",
    ],
    "strands": ["tests/contract/test_strands.py", "tests/unit/adapters/test_strands.py"],
}


def main(wanted: list[str]) -> int:
    failed = [extra for extra in wanted or list(SUITES) if not _passes(extra)]
    print(f"failed alone: {', '.join(failed)}" if failed else "each passes alone")
    return 1 if failed else 0


def _passes(extra: str) -> bool:
    with tempfile.TemporaryDirectory() as directory:
        venv = Path(directory, "venv")
        pins = Path(directory, "pins.txt")
        uv("venv", "--quiet", "--python", sys.executable, str(venv))
        uv(
            *("pip", "compile", "pyproject.toml", "--extra", extra, "--group", "dev", "--quiet"),
            *("--no-emit-index-url", "--constraint", "requirements/dev.txt"),
            *("--output-file", str(pins)),
        )
        python = str(venv / "bin/python")
        uv("pip", "install", "--quiet", "--python", python, "--requirement", str(pins))
        done = subprocess.run(
            [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *SUITES[extra]],
            cwd=ROOT,
            env={
                "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}",
                "PATH": "/usr/bin:/bin",
                "LANG": "C.UTF-8",
            },
            check=False,
        )
    print(f"{extra} alone: {'passes' if done.returncode == 0 else 'FAILS'}", flush=True)
    return done.returncode == 0


def uv(*arguments: str) -> None:
    subprocess.run([str(UV), *arguments], cwd=ROOT, check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
