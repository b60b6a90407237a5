"""Asks from outside, where two of the same come to the store at once."""

from sayso.core.asks import AskKind, AskSpec, AskStart, AskState, NewAsk
from sayso.core.sessions import RunState
from sayso.core.store_results import Checked
from sayso.store.store import SqlStore
from tests.contract.store.story import APP, LEASE, yes


async def test_what_is_unclear_a_person_is_asked_about_once(store: SqlStore):
    deploy = AskSpec(kind=AskKind.APPROVE, title="Deploy?", arguments={"version": "4.2"})
    it = (await store.open_ask(APP, NewAsk(ask=deploy, by="ci"))).record.card
    await store.answer(APP, Checked(response=yes(it), seen=it), key=None, by="ada", lease=LEASE)
    await store.start_ask(APP, it.id, AskStart(seconds=60), by="ci")
    for error in ("cut off", "the same, told again"):
        moved = await store.unclear_ask(APP, it.id, error=error)
        assert moved.record.run.state is RunState.WAITING
    known = await store.ask(APP, it.id)
    assert known is not None
    assert known.effect is not None
    assert (known.state, known.effect.error) == (AskState.UNKNOWN, "cut off")
