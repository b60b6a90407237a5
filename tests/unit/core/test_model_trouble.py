"""When a run whose model is away tries again, and when it gives up."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from sayso.core.errors import ModelUnavailable
from sayso.core.model_trouble import SPREAD, WAIT_SECONDS, GiveUp, TryAgain, decide_retry
from sayso.core.sessions import Run, RunState
from sayso.core.tasks import TaskRequest, UniversalMessage

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RUN = Run(
    id="run",
    app_id="acme",
    chat_id="chat",
    agent="desk",
    task=TaskRequest(task_id="t", messages=[UniversalMessage(role="user", content="go")]),
    state=RunState.RUNNING,
    created_at=NOW,
    updated_at=NOW,
)


def again(
    run: Run, *, after: float | None = None, further: bool = False, later: float = 0
) -> TryAgain | GiveUp:
    error = ModelUnavailable("away", retry_after=after)
    return decide_retry(run, error, got_further=further, now=NOW + timedelta(seconds=later))


def test_three_tries_each_later_than_the_last():
    run, waited = RUN, list[float]()
    while isinstance(decided := again(run), TryAgain):
        run = decided.run
        waited.append(decided.seconds)
    assert isinstance(decided, GiveUp)
    assert [run.tries, run.trouble_since] == [3, NOW]
    for seconds, least in zip(waited, WAIT_SECONDS, strict=True):
        assert least <= seconds <= least * (1 + SPREAD)


def test_runs_that_failed_together_do_not_come_back_together():
    decided = [again(replace(RUN, id=f"run {n}")) for n in range(20)]
    assert len({it.seconds for it in decided if isinstance(it, TryAgain)}) == 20


def test_the_provider_is_left_alone_for_as_long_as_it_wants():
    decided = again(RUN, after=120)
    assert isinstance(decided, TryAgain)
    assert decided.seconds >= 120


@pytest.mark.parametrize("after", [301.0, 1e300])
def test_nobody_waits_longer_than_five_minutes_unasked(after: float):
    assert isinstance(again(RUN, after=after), GiveUp)
    known = replace(RUN, tries=1, trouble_since=NOW)
    assert isinstance(again(known, after=100, later=250), GiveUp)


def test_a_run_that_got_further_has_a_trouble_of_its_own():
    known = replace(RUN, tries=3, trouble_since=NOW)
    decided = again(known, further=True, later=1000)
    assert isinstance(decided, TryAgain)
    assert [decided.run.tries, decided.run.trouble_since] == [1, NOW + timedelta(seconds=1000)]
