"""What the gate says where its card comes back: what it took, or why nothing was done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from sayso.core.messages import message
from sayso.gate.messages import thing_of
from sayso.gate.offer import MOST_ASKED, offer_key
from sayso.gate.talk import GateReply, Talk
from sayso.reading.hedged_yes import Hedge

_LEANS = "gate.asks_outright"
#: How it is asked outright after a yes that was hedged.
_ASKS_OUTRIGHT: Mapping[Hedge | None, str] = {
    Hedge.CONDITION: "gate.yes_if",
    Hedge.LATER: "gate.yes_later",
    Hedge.QUESTION: "gate.yes_but_asks",
}


def before_the_card(said: Sequence[str], talk: Talk) -> GateReply:
    """Say, where the open card comes back as it was, why nothing was done."""
    heard = talk.heard
    granted = any(one.given_by == heard.message_id for one in talk.after.grants)
    if granted and heard.question and not heard.agent_answers:
        return talk.reply([*said, message("gate.question_noted", question=heard.question)])
    if heard.leans and not granted and (said or not _was_asked_outright(talk)):
        return talk.reply([*said, message(_ASKS_OUTRIGHT.get(heard.hedge, _LEANS))])
    if said or granted or heard.agent_first:
        return _at_the_card(said, talk)
    if also := _also_wanted(talk):
        return _at_the_card([message("gate.noted", values=also)], talk)
    pending = talk.before.pending
    shown = {*pending.hashes} if pending is not None and pending.kind == "card" else set()
    if shown != {*heard.chosen}:
        return _at_the_card([], talk)
    return talk.reply([talk.worded(*map(message, _why_nothing_was_done(talk)))])


def _at_the_card(said: Sequence[str], talk: Talk) -> GateReply:
    offered = offer_key(talk.actions.by_name[one].spec for one in talk.heard.chosen)
    return talk.reply(said, times={offered: MOST_ASKED + 1})


def _was_asked_outright(talk: Talk) -> bool:
    return talk.before.turn is not None and talk.before.turn.asks_outright


def _also_wanted(talk: Talk) -> list[JsonValue]:
    """Return what was asked for beside the open card, whose own turn comes after it."""
    new = set(talk.after.requested) - {*talk.before.requested, *talk.heard.chosen}
    return [thing_of(spec) for spec in talk.actions.specs if spec.name in new]


def _why_nothing_was_done(talk: Talk) -> Sequence[str]:
    heard = talk.heard
    if heard.leans:
        first = [_ASKS_OUTRIGHT[heard.hedge]] if heard.hedge is not None else []
        return (*first, "gate.plain_yes_or_no", "gate.card_waits", _LEANS)
    first = ["gate.on_the_card" if heard.asks else "gate.unchanged"]
    return (*first, "gate.change_on_card", "gate.plain_yes_or_no", "gate.card_waits")
