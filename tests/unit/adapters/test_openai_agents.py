"""What the contract does not say of OpenAI Agents: where its traces go."""

from collections.abc import Iterator

import pytest

pytest.importorskip("agents", reason="openai-agents is not installed")

from agents import set_trace_processors
from agents.tracing.processors import (
    BatchTraceProcessor,
    ConsoleSpanExporter,
    default_processor,
)

from sayso.adapters.openai_agents.tracing import is_traced_elsewhere


@pytest.fixture(autouse=True)
def processors() -> Iterator[None]:
    yield
    set_trace_processors([default_processor()])


def test_nothing_is_traced_to_openai_unasked() -> None:
    assert not is_traced_elsewhere()


def test_an_application_says_where_traces_go() -> None:
    set_trace_processors([BatchTraceProcessor(ConsoleSpanExporter())])
    assert is_traced_elsewhere()
