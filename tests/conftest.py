"""What every suite shares: asyncio as in the product, and no test that fails for being slow."""

import gc
import os
import subprocess
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

from sayso.core.raised import as_text
from scripts import chromium
from tests.seeds import SEED, SOAK

# Nobody's own key is used by a test, nor made: those of processes that tests start neither.
os.environ.setdefault("SAYSO_AUDIT_KEY", "the audit key of the tests")

# On top of Hypothesis' own profile, which is another one in CI: a busy machine is not a bug.
settings.register_profile(
    "sayso",
    parent=settings(),
    deadline=None,
    suppress_health_check={*settings().suppress_health_check, HealthCheck.too_slow},
)
settings.load_profile("sayso")


# What is imported stays: the collector would walk through eight frameworks at each turn.
gc.disable()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What a test has logged may be no text, which no process can be sent."""
    report = yield
    report.sections = [(title, as_text(said)) for title, said in report.sections]
    return report


def pytest_report_header() -> str:
    """Which browser the log speaks of: they change by the week, and their faults with them."""
    path = chromium.find()
    if path is None:
        return "browser: none here"
    told = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return f"browser: {told.stdout.strip() or 'tells no version'} ({path})"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"random tests: SAYSO_SEED={SEED} SAYSO_SOAK={SOAK}")
