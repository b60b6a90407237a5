"""Mails and webhooks to people who are away, over real sockets: a title, a link, and no more."""

from __future__ import annotations

from datetime import timedelta

import pytest

from sayso.core.attention import Claim
from sayso.server import pushes
from sayso.settings import Settings
from tests.integration.test_asks import answered, ask
from tests.integration.test_webhooks import SECRET, is_signed, receiving
from tests.integration.world import World, running
from tests.mail_server import MailServerOfTests, mail_server


def settings(mail: MailServerOfTests | None = None) -> Settings:
    by_mail = {"mail_server": mail.url, "mail_from": "sayso@example.org"} if mail else {}
    return Settings.model_validate(
        {
            "port": 0,
            "webhook_secret": SECRET,
            "webhook_networks": ["127.0.0.0/8"],
            "mail_after_seconds": 0,
            **by_mail,
        }
    )


async def told_at(world: World, address: str, **more: str) -> dict[str, str]:
    answer = await world.http.put("/api/notices", json={"address": address, **more})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def test_a_mail_says_the_title_and_leads_to_the_card(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pushes, "PAUSES", (0.01,))
    async with mail_server("451 later") as mails, running(settings(mails)) as world:
        place = await told_at(world, "ada@example.org")
        asked = await ask(
            world, title="Deploy\r\nBcc: eve@example.org", arguments={"key": "hunter2"}
        )
        first, mail = await mails.until(2)
        assert first["Message-ID"] == mail["Message-ID"]
        assert (mail["To"], mail["From"]) == ("ada@example.org", "sayso@example.org")
        assert mail["Subject"] == "Needs your answer: Deploy Bcc: eve@example.org"
        assert (mail["Bcc"], mail["Auto-Submitted"]) == (None, "auto-generated")
        link = f"{world.url}/i/{asked['interaction_id']}"
        assert link in mail.get_content()
        assert f"{world.url}/preferences" in mail.get_content()
        assert "hunter2" not in mail.as_string()
        kept = (await world.http.get("/api/notices")).json()
        address = {"id": place["id"], "address": "ada@example.org", "by": "mail"}
        assert kept == {"mail": True, "places": [address]}


async def test_a_webhook_is_told_signed_with_a_secret_of_its_own():
    async with receiving() as receiver, running(settings()) as world:
        world.http.headers["x-forwarded-prefix"] = "/tools/sayso/"
        place = await told_at(world, receiver.url, language="zh-Hans")
        assert place == await told_at(world, receiver.url, language="zh-Hans")
        assert place["secret"] != SECRET
        asked = await ask(world, title="Deploy 4.2?", arguments={"key": "hunter2"})
        it = asked["interaction_id"]
        (received,) = await receiver.until(1)
        assert is_signed(received, place["secret"])
        assert received.told["type"] == "cards.waiting"
        assert received.told["data"] == {
            "title": "需要您答复：Deploy 4.2?",
            "url": f"{world.url}/tools/sayso/i/{it}",
            "waiting": 1,
            "interaction_ids": [it],
        }
        until = world.engine.clock.now() + timedelta(hours=1)
        given = Claim(interaction_id=it, person="you", by="kim", until=until)
        await world.engine.put_claim("default", given, take_over=False)
        _, handed = await receiver.until(2)
        assert handed.told["data"]["title"] == "kim 把这个留给了您：Deploy 4.2?"

        # What was settled meanwhile is told to nobody: the next that is told is the last.
        around = (world.engine.clock.now() + timedelta(hours=by) for by in (-2, 2))
        since, until_then = (f"{moment:%H:%M}" for moment in around)
        night = {"from": since, "until": until_then, "zone": "UTC"}
        await world.http.put("/api/preferences", json={"quiet_hours": night})
        other = await ask(world, title="Answered in the night")
        await answered(world, other)
        await world.http.put("/api/preferences", json={"quiet_hours": None})
        last = await ask(world, title="Last")
        assert (await receiver.until(3))[2].told["data"]["interaction_ids"] == [
            last["interaction_id"]
        ]
        assert (await world.http.delete(f"/api/notices/{place['id']}")).status_code == 204
        assert (await world.http.get("/api/notices")).json() == {"mail": False, "places": []}


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("ftp://example.org/a", "invalid_input"),
        ("https://ada@example.org/a", "invalid_input"),
        ("ada@example.org\nBcc: eve@example.org", "invalid_input"),
        ("ada@example.org, eve@example.org", "invalid_input"),
        ("ada", "invalid_input"),
        ("ada@example.org", "not_supported"),
    ],
)
async def test_what_nobody_can_be_told_at_is_refused(world: World, address: str, code: str):
    answer = await world.http.put("/api/notices", json={"address": address})
    assert (answer.status_code, answer.json()["code"]) == (422, code), answer.text
