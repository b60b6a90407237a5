"""A person at the desk who says the same yes and no as in plain Python, and looks at the ledger
where nobody else knows what ran."""

from __future__ import annotations

import json
from collections import Counter

from tests.oracles.desk import Desk, Ledger, Wire
from tests.oracles.programs import Person


class Client:
    """One chat, seen by HTTP."""

    def __init__(self, desk: Desk, chat: str, person: Person, ledger: Ledger) -> None:
        self._desk, self._chat, self._person, self._ledger = desk, chat, person, ledger

    async def status(self) -> str:
        run = (await self._desk.view(self._chat))["run"]
        assert run["status"] not in ("failed", "cancelled"), run
        return str(run["status"])

    async def open_cards(self) -> list[Wire]:
        return await self._desk.open_cards(self._chat)

    async def answer(self, card: Wire) -> None:
        reply = await self._desk.answer(card["interaction_id"], await self._said(card))
        assert reply.status_code == 200, reply.text

    async def asked_what_ran(self) -> Counter[str]:
        """The tools of which somebody was asked whether they ran."""
        ids = [
            each["interaction_id"]
            for each in await self._desk.cards(self._chat)
            if each["card"] == "uncertain_effect"
        ]
        return Counter([(await self._desk.card(each))["payload"]["tool_name"] for each in ids])

    async def _said(self, card: Wire) -> bytes:
        shown, person = card["payload"], self._person
        match card["card"]:
            case "options":
                said: Wire = {"additional_notes": person.answer(shown["question"])}
            case "confirmation":
                said = {"decision": "approve" if person.agrees(shown["title"]) else "reject"}
            case "approval":
                yes = person.allows(shown["tool_name"], shown["tool_params"])
                said = {"decision": "approve" if yes else "reject", "reason": "So."}
            case "uncertain_effect":
                said = await self._what_ran(shown["tool_name"], shown["tool_params"])
            case other:
                raise AssertionError(f"nobody expected a card '{other}': {shown}")
        if digest := shown["sayso"].get("digest"):
            said["digest"] = digest
        return json.dumps(said).encode()

    async def _what_ran(self, name: str, arguments: Wire) -> Wire:
        """It ran where the ledger has a line more of it than the audit log."""
        lines = self._ledger.of(self._chat)
        acted = [e for e in lines if e["tool"] == name and e["arguments"] == arguments]
        told = [
            entry["body"]
            for entry in await self._desk.audit(self._chat)
            if entry["action"] == "effect.done"
        ]
        done = [e for e in told if e["tool_name"] == name and e["arguments"] == arguments]
        if len(acted) == len(done):
            return {"selected_option": "run_again"}
        return {"selected_option": "mark_done", "values": {"result": acted[-1]["value"]}}
