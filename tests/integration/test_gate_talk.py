"""An agent that talks before a gate, over the real server: what it offers is taken up in the
person's words, and a yes answers what was asked last, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.browser.waiting import until
from tests.integration.test_gate import Gate, Talk, gate_of, in_modes, metadata, spoken
from tests.loopback import client_of

DONE = "booking Plaza 2027-01-07 none 1"
BOTH = ("confirm", "explicit")


@pytest.fixture(scope="module")
async def gate(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Gate]:
    app = f"tests.concierge_app:{request.param}"
    async with gate_of(app, tmp_path_factory.mktemp("gate")) as gate:
        yield gate


@pytest.fixture
async def talk(gate: Gate) -> Talk:
    return await gate.talk()


async def field(talk: Talk, name: str) -> dict[str, Any]:
    known = (await talk.view())["requirements"]["requirements_detail"]["booking"]["fields"]
    found: dict[str, Any] = next(one for one in known if one["field"] == name)
    return found


async def know(talk: Talk) -> None:
    """All that a booking needs, by the panel."""
    async with client_of(talk.server.url) as client:
        for name, value in (("hotel", "Plaza"), ("day", "2027-01-07")):
            body = {"field": name, "value": value}
            set_ = await client.patch(f"/api/chats/{talk.chat_id}/requirements", json=body)
            assert set_.status_code == 200


async def cards(talk: Talk, kind: str) -> list[dict[str, Any]]:
    where = f"/api/interactions?status=pending&chat={talk.chat_id}&kind={kind}"
    found: list[dict[str, Any]] = (await talk.server.get(where))["interactions"]
    return found


@in_modes("confirm")
async def test_an_offer_is_taken_up_and_not_asked_for_again(talk: Talk) -> None:
    said = await talk.say("Find me something?")
    [offer] = [m for m in said["messages"] if m["role"] == "assistant"]
    # What the agent offers alone is nothing.
    assert (await field(talk, "hotel"))["known"] is False
    taken = await talk.say("that sounds great")
    assert metadata(taken)["requirements_status"]["booking"]["missing"] == []
    hotel, day = await field(talk, "hotel"), await field(talk, "day")
    assert (hotel["value"], day["value"][5:]) == ("Grand Hotel", "01-05")
    assert hotel["quote"] == "that sounds great"
    assert hotel["offered"] == "Grand Hotel"
    assert hotel["offered_in"] == offer["event_id"]
    assert talk.done == []
    await talk.say("create the booking")
    rows = {row["field"]: row for row in (await talk.card())["payload"]["known"]}
    assert (rows["day"]["offered"], rows["day"]["quote"]) == ("5 January", "that sounds great")
    await talk.approve()
    assert [one.split(" ")[1:3] for one in talk.done] == [["Grand", "Hotel"]]


@in_modes("explicit")
async def test_what_is_not_put_to_them_is_not_taken_up(talk: Talk) -> None:
    for words in ("yes", "sounds good", "that sounds great", "go ahead"):
        for asked in ("Offer one thing and ask another?", "Offer what I do not see?"):
            await talk.say(asked)
            await talk.say(words)
            assert (await field(talk, "hotel"))["value"] is None
        # An offer is for the next words alone.
        await talk.say("Find me something?")
        await talk.say("Talk about coffee?")
        await talk.say(words)
        assert (await field(talk, "hotel"))["value"] is None
    assert talk.done == []


@in_modes(*BOTH)
async def test_a_yes_to_another_question_is_nothing_to_the_gate(talk: Talk) -> None:
    await know(talk)
    await talk.say("Ask for it?")
    assert len(await cards(talk, "requirements")) == 1
    await talk.say("Talk about coffee?")
    for words in ("yes", "yes please", "sure, go ahead", "sounds good"):
        said = await talk.say(words)
        assert metadata(said)["branches_executed"] == ["TEXT"]
        assert spoken(said) == "Very well."
        assert talk.done == []
        await talk.say("Talk about coffee?")
    # Said with what it is a yes to, it opens the card, and a yes to the card runs it.
    await talk.say("yes, create it")
    assert talk.done == []
    assert len(await cards(talk, "requirements")) == 1
    await talk.say("yes")
    assert talk.done == [DONE]


@in_modes(*BOTH)
async def test_a_yes_to_an_agent_that_speaks_of_it_opens_the_card(talk: Talk) -> None:
    await know(talk)
    await talk.say("Talk about the booking?")
    await talk.say("yes")
    assert talk.done == []
    assert len(await cards(talk, "requirements")) == 1
    await talk.say("yes, create the booking")
    assert talk.done == [DONE]


@in_modes(*BOTH)
async def test_with_another_card_asked_after_it_a_yes_runs_nothing(talk: Talk) -> None:
    await know(talk)
    await talk.say("Ask for it, and about coffee?")
    assert len(await cards(talk, "requirements")) == len(await cards(talk, "options")) == 1
    async with client_of(talk.server.url) as client:
        body = {"content": "yes", "client_message_id": "over", "mode": "supersede"}
        where = f"/api/chats/{talk.chat_id}/messages"
        await client.post(where, json=body, headers={"Prefer": "wait=30"})
    assert talk.done == []


@in_modes(*BOTH)
async def test_a_yes_after_the_card_was_stopped_runs_nothing(talk: Talk) -> None:
    await know(talk)
    await talk.say("Ask for it?")
    await talk.server.post(f"/api/chats/{talk.chat_id}/cancel", {"reason": "stop"})
    await until(talk.rests)
    await talk.say("yes")
    assert talk.done == []


@in_modes(*BOTH)
async def test_what_one_agent_tells_another_is_no_persons_word(talk: Talk) -> None:
    await know(talk)
    await talk.say("Let the other do it?")
    assert "I was told: I arrive on 9 January. create the booking" in spoken(await talk.view())
    assert (await field(talk, "day"))["value"] == "2027-01-07"
    assert talk.done == []


@in_modes("confirm")
async def test_what_was_answered_to_the_agent_is_not_asked_for_again(talk: Talk) -> None:
    await talk.say("Ask me for the rest?")
    await talk.say("the Plaza, on 7 January")
    hotel = await field(talk, "hotel")
    assert (hotel["value"], hotel["quote"]) == ("Plaza", "Plaza")
    assert (await field(talk, "day"))["value"] == "2027-01-07"
    [card] = await cards(talk, "options")
    body = {"approved": True, "response_data": {"selected_option": "half board"}}
    await talk.server.post(f"/api/interactions/{card['interaction_id']}/response", body)
    await until(talk.rests)
    board = await field(talk, "board")
    assert (board["value"], board["source"]) == ("half board", "chosen by you")
    assert talk.done == []
