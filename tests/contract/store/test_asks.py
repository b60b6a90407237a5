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


async def test_the_row_of_its_call_tells_a_refusal_and_what_is_unclear(store: SqlStore):
    deploy = AskSpec(kind=AskKind.APPROVE, title="Deploy?", arguments={"version": "4.2"})
    refused = (await store.open_ask(APP, NewAsk(ask=deploy, by="ci"))).record.card
    no = yes(refused).model_copy(update={"approved": False, "user_message": "not today"})
    await store.answer(APP, Checked(response=no, seen=refused), key=None, by="ada", lease=LEASE)
    unclear = (await store.open_ask(APP, NewAsk(ask=deploy, by="ci"))).record.card
    said = Checked(response=yes(unclear), seen=unclear)
    await store.answer(APP, said, key=None, by="ada", lease=LEASE)
    await store.start_ask(APP, unclear.id, AskStart(seconds=60), by="ci")
    await store.unclear_ask(APP, unclear.id, error="cut off")
    assert await _told(store, refused.chat_id) == ["rejected"]
    assert await _told(store, unclear.chat_id) == ["uncertain"]


async def _told(store: SqlStore, chat_id: str) -> list[str]:
    view = await store.load_view(APP, chat_id)
    assert view is not None
    return [call.status.value for call in view.tool_calls]


async def test_where_no_webhook_is_due_none_is_claimed(store: SqlStore):
    assert await store.claim_webhook(seconds=20) is None
