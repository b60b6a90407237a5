"""Importing sayso is light: it brings no framework, no server and no database layer."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src/sayso"

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


QUIET = """
import asyncio
from sayso import InteractiveExecutionEngine, TaskRequest, UniversalMessage

async def agent(ctx):
    await ctx.ask("Who?")

async def main():
    task = TaskRequest(task_id="1", messages=[UniversalMessage(role="user", content="go")])
    async with InteractiveExecutionEngine(agent, store=":memory:") as live:
        stream, communicator = await live.start_interactive_session(task)
        async for chunk in stream:
            if chunk.metadata.get("interaction_id"):
                await communicator.send_cancellation("enough")

asyncio.run(main())
"""


def test_a_library_in_somebody_elses_process_prints_nothing() -> None:
    said = subprocess.run([sys.executable, "-c", QUIET], capture_output=True, text=True, check=True)
    assert (said.stdout, said.stderr) == ("", "")


def test_every_log_line_goes_through_the_standard_library() -> None:
    """structlog on its own would print to the standard output of whoever uses the library."""
    users = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if "structlog" in path.read_text()
    }
    assert users == {"logs.py", "cli/serving.py"}
