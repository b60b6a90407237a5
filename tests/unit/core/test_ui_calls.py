"""What a tool's own UI is told of a call that gave it nothing."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sayso.core.digest import JsonObject
from sayso.core.sessions import Run, RunState
from sayso.core.tasks import TaskRequest, UniversalMessage
from sayso.core.ui_calls import why_no_result

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("state", "error", "words"),
    [
        (RunState.FAILED, {"detail": "No network"}, "No network"),
        (RunState.FAILED, None, "could not be made"),
        (RunState.CANCELLED, None, "was cancelled"),
        (RunState.COMPLETED, None, "no result"),
    ],
)
def test_it_is_told_why(state: RunState, error: JsonObject | None, words: str) -> None:
    run = Run(
        id="run",
        app_id="acme",
        chat_id="chat",
        agent="desk",
        task=TaskRequest(task_id="t", messages=[UniversalMessage(role="user", content="go")]),
        state=state,
        error=error,
        created_at=NOW,
        updated_at=NOW,
    )
    assert words in str(why_no_result(run))
