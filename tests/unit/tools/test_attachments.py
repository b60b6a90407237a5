"""What a tool's `prepare` lays beside its card, and what lies there after an edit."""

from __future__ import annotations

from sayso.adapters.program import AgentProgram
from sayso.adapters.scripted import CallTool, Say, ScriptedAgent
from sayso.core.attachments import AttachedFile, File, WebLink, contents
from sayso.core.cards import ApprovalCard
from sayso.core.digest import JsonObject
from sayso.core.segments import Waiting
from sayso.core.shown import shown_digest
from sayso.testing.recorder import MemoryRun
from sayso.tools.tool import Prepared, tool

PNG = b"\x89PNG\r\n\x1a\n"


def program(*given: File | WebLink) -> AgentProgram:
    @tool(approval=True, secrets=["token"])
    async def refund(order: int, token: str = "") -> str:
        return f"refunded {order}"

    @refund.prepare
    def look(order: int) -> Prepared:
        return Prepared(summary=f"Refund order {order}", attachments=list(given))

    call = CallTool("refund", {"order": 1001, "token": "sk-17-secret"})
    return AgentProgram(ScriptedAgent([call, Say(lambda results: str(results[0]))]), tools=[refund])


async def test_evidence_lies_beside_the_card_without_secrets_and_under_its_digest() -> None:
    box = File(name="sk-17-secret.png", content=PNG, alt="Box of sk-17-secret")
    run = MemoryRun()
    end = await run.go(program(box, WebLink(url="https://shop.example/sk-17-secret")))
    assert isinstance(end, Waiting)
    (request,) = end.requests
    (it,) = run.pending
    assert isinstance(it.card, ApprovalCard)
    assert request.files == contents([box])  # type: ignore[union-attr]
    assert it.card.attachments is not None
    image, link = it.card.attachments
    assert isinstance(image, AttachedFile)
    assert (image.name, image.alt) == ("•••.png", "Box of •••")
    assert link.model_dump()["url"] == "https://shop.example/•••"
    assert it.files == [image]
    plain = MemoryRun()
    await plain.go(program(File(name="bill.pdf", content=b"%PDF-")))
    assert [one.alt for one in plain.pending[0].files] == [None]

    without = await bare_content()
    assert shown_digest(without, (), it.salt) != it.digest
    card = without["card"]
    assert isinstance(card, dict)
    assert "attachments" not in card, "cards of earlier versions keep their digests"


async def bare_content() -> JsonObject:
    run = MemoryRun()
    await run.go(program())
    return run.pending[0].content


async def test_evidence_that_cannot_be_shown_ends_the_call_and_says_why() -> None:
    run = MemoryRun()
    await run.go(program(File(name="box.png", content=PNG)))
    assert run.pending == []
    assert "an image without `alt`" in run.said
