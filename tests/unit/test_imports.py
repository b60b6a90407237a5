"""Importing sayso is light: it brings no framework, no server and no database layer."""

import json
import subprocess
import sys

import pytest

HEAVY = {
    "alembic",
    "fastapi",
    "google.adk",
    "pydantic_ai",
    "sqlalchemy",
    "starlette",
    "uvicorn",
    "websockets",
}


@pytest.mark.parametrize("module", ["sayso", "sayso.core"])
def test_importing_brings_no_framework_server_or_database(module: str) -> None:
    # A fresh interpreter: this one has long imported them for other tests.
    program = f"import json, sys; import {module}; print(json.dumps(sorted(sys.modules)))"
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert HEAVY.isdisjoint(json.loads(said.stdout))
