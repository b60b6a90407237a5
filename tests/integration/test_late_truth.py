"""The true end of a call comes after a person was asked what became of it: the run goes on at once.

The sweep would find it, too; here it does not come in time.
"""

import asyncio
from pathlib import Path

from sayso.clock import SystemClock
from sayso.core.cards import Option, OptionsCard
from sayso.core.effects import EffectEnd, EffectStart, EffectState, uncertain_key
from sayso.core.interactions import CardRequest, InteractionType
from sayso.core.segments import Recorder
from sayso.core.sessions import SavedState
from sayso.core.store_results import Lease
from sayso.engine.engine import Engine
from sayso.engine.runtime import EngineSettings
from sayso.feed import LocalFeed
from sayso.store.store import SqlStore
from tests.integration.world import GUARD_SECONDS, Puppet

APP = "default"
SAVED = SavedState(adapter="puppet", version="1", blob=b"", journal=b"")
REFUND = EffectStart(
    key="refund",
    attempt=1,
    tool_name="refund",
    arguments={},
    tool_call_id="call-1",
    executed_digest="d",
)
WHAT_BECAME_OF_IT = CardRequest(
    call_key=uncertain_key("refund", 1),
    type=InteractionType.USER_INPUT,
    card=OptionsCard(
        title="Refund",
        question="Did it run?",
        options=[Option(id=value, label=value) for value in ("mark_done", "skip")],
    ),
    ui_tool_id="options",
    agent_name="puppet",
)


async def test_a_late_truth_wakes_its_run_without_the_sweep(tmp_path: Path):
    store, puppet = SqlStore.sqlite(tmp_path / "sayso.db"), Puppet()
    settings = EngineSettings(own_thread=False, lease_seconds=600.0, sweep_seconds=3600.0)
    engine = Engine(
        store=store,
        feed=LocalFeed(),
        clock=SystemClock(),
        programs={"puppet": puppet},
        settings=settings,
    )
    await engine.start()
    try:
        chat = await engine.create_chat(APP)
        posted = await engine.post_message(APP, chat.id, content="go", client_message_id="1")
        slow = await hold(puppet, 1)

        async def begin(recorder: Recorder) -> None:
            await recorder.start_effect(REFUND, None)

        async def end(recorder: Recorder) -> None:
            await recorder.end_effect("refund", 1, EffectEnd(state=EffectState.DONE, result=1))

        await slow._do(begin)
        # Another process takes the run for dead, and asks a person.
        other = Lease("lock:other", 600.0, frozenset({"puppet"}))
        (taken,) = await store.claim_due(other, limit=1, not_mine=[], at_once=True)
        await store.end_effect(taken.fence, "refund", 1, EffectEnd(state=EffectState.UNCERTAIN), [])
        waited = await store.wait(taken.fence, SAVED, [WHAT_BECAME_OF_IT], resume_each=False)
        assert len(waited.interactions) == 1
        await slow._do(end)
        again = await hold(puppet, 2)
        assert again.run.id == posted.run_id
        assert again.start.effects["refund"].state is EffectState.DONE
        await again.finish()
    finally:
        await engine.stop()


async def hold(puppet: Puppet, number: int):
    """The n-th segment that was begun."""
    async with asyncio.timeout(min(GUARD_SECONDS, 20)):
        while len(puppet.holds) < number:  # noqa: ASYNC110  # the puppet tells nobody
            await asyncio.sleep(0.01)
    return puppet.holds[number - 1]
