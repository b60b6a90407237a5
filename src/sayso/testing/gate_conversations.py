"""Plays people who want something done against the gate, by scripts that were written before.

A script holds what the person wants and the ways in which they say it
(tests/vectors/gate/adversarial/README.md); the driver answers whatever the gate asks, as that
person would. It ends right if the action runs once with what they want, within their patience, and
no field was asked for a third time in words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import Field, JsonValue

from sayso.core.requirements import (
    Given,
    Pending,
    RequirementState,
    Source,
    status_of,
    values_for,
    with_values,
)
from sayso.gate.extraction import Extractor
from sayso.testing.gate_adversarial import (
    Domains,
    GateApp,
    SetLine,
    read_domains,
    read_lines,
)

#: Asked for in words as often as this, a field was asked for too often.
TOO_OFTEN = 3


class Answer(SetLine):
    """What a person says for one field: asked for alone, with another, or once more."""

    value: JsonValue
    alone: str
    together: str
    again: str


class Interruption(SetLine):
    asked: str
    say: str


class Revision(SetLine):
    """A change of mind, when a field is asked for, or at the card."""

    at: str
    say: str
    field: str
    value: JsonValue
    again: str


class Script(SetLine):
    id: str
    lang: str
    person: str
    domain: str
    required: int
    turn_limit: int
    opening: str
    answers: dict[str, Answer]
    interruptions: tuple[Interruption, ...] = ()
    change: Revision | None = None
    at_card: tuple[str, ...] = ()
    take: str
    yes: str
    otherwise: str = Field(alias="else")
    end: dict[str, list[JsonValue]]


@dataclass
class Played:
    """How a conversation went."""

    script: Script
    messages: int = 0
    #: "right", or what went wrong.
    end: str = ""
    lines: list[str] = field(default_factory=list)

    @property
    def is_right(self) -> bool:
        return self.end == "right"


Step = Literal["asked", "offered", "card", "form", "ready", "else"]


async def play_conversations(folder: Path, extractor: Extractor) -> list[Played]:
    """Play all scripts of a folder. Raises InvalidInput, naming the line."""
    domains = read_domains(folder / "domains.json")
    scripts = read_lines(folder / "conversations.jsonl", Script)
    return [await _Driver(script, domains, extractor).play() for script in scripts]


class _Driver:
    def __init__(self, script: Script, domains: Domains, extractor: Extractor) -> None:
        self._script = script
        self._app = GateApp(domains, script.domain, script.lang, extractor)
        self._state = RequirementState()
        self._wanted = {name: one.value for name, one in script.answers.items()}
        self._again = {name: one.again for name, one in script.answers.items()}
        self._interruptions = list(script.interruptions)
        self._change = script.change
        self._at_card = list(script.at_card)
        self._said_yes = False
        self._asked: Counter[str] = Counter()
        self._played = Played(script)

    async def play(self) -> Played:
        words = self._script.opening
        while True:
            if self._played.messages == self._script.turn_limit:
                return self._ended("not done in time")
            if await self._say(words):
                return self._ended(self._wrong_values() or "right")
            often = [name for name, n in self._asked.items() if n >= TOO_OFTEN]
            if often:
                return self._ended(f"asked a third time: {', '.join(often)}")
            if self._step == "form":
                self._fill_in_the_form()
                if self._played.messages == self._script.turn_limit:
                    return self._ended("not done in time")
            words = self._next_words()

    async def _say(self, words: str) -> bool:
        """Say this; return whether it made the action run."""
        self._played.messages += 1
        number = self._played.messages
        state = await self._app.said(words, f"m{number}", self._state)
        turn = state.turn
        assert turn is not None
        replies = "\n".join(str(one["text"]) for one in turn.says)
        self._played.lines += [f"> {words}", f"  {replies!r} {turn.actions or turn.form or ''}"]
        for name in state.asked:
            if self._app.actions.slots[name].question in replies:
                self._asked[name] += 1
        if self._app.is_granted(state, f"m{number}"):
            self._state = state
            return True
        shows_card = bool(turn.actions)
        self._state = self._app.card_again(state) if shows_card else state
        return False

    @property
    def _step(self) -> Step:
        state = self._state
        assert state.turn is not None
        if state.turn.form:
            return "form"
        if state.turn.actions:
            return "card"
        if self._offered is not None:
            return "offered"
        if state.asked and any(self._asked[name] for name in state.asked):
            return "asked"
        return "ready" if state.pending is not None else "else"

    @property
    def _offered(self) -> tuple[str, Given] | None:
        """The value that the gate has just offered, if it has."""
        turn = self._state.turn
        found = self._state.suggested.items()
        fresh = ((n, g) for n, g in found if turn is not None and g.message_id == turn.message_id)
        return next(fresh, None)

    def _next_words(self) -> str:
        script = self._script
        if self._said_yes and self._step == "card" and not self._wrong_field():
            return script.take
        match self._step:
            case "card":
                return self._words_at_the_card()
            case "offered":
                assert self._offered is not None
                name, given = self._offered
                is_right = self._app.same(name, given.value, self._wanted[name])
                return script.take if is_right else self._again[name]
            case "asked":
                return self._words_for([*self._state.asked])
            case "ready":
                return script.yes  # it says that all is there, and how to begin
            case _:
                return script.otherwise

    def _words_for(self, asked: Sequence[str]) -> str:
        for one in self._interruptions:
            if one.asked in asked:
                self._interruptions.remove(one)
                return one.say
        if self._change is not None and self._change.at in asked:
            return self._changes_mind(self._change)
        answers = self._script.answers
        if len(asked) == 1:
            [name] = asked
            return self._again[name] if self._asked[name] > 1 else answers[name].alone
        return ", ".join(
            self._again[name] if self._asked[name] > 1 else answers[name].together for name in asked
        )

    def _words_at_the_card(self) -> str:
        if self._change is not None and self._change.at == "card":
            return self._changes_mind(self._change)
        if (wrong := self._wrong_field()) is not None:
            return self._again[wrong]
        if self._at_card:
            return self._at_card.pop(0)
        self._said_yes = True
        return self._script.yes

    def _changes_mind(self, change: Revision) -> str:
        self._change = None
        self._wanted[change.field] = change.value
        self._again[change.field] = change.again
        return change.say

    def _wrong_field(self) -> str | None:
        values = values_for(self._app.spec, self._state)
        for name, wanted in self._wanted.items():
            # A value may be right in more than one form: "Noor", "Noor Visser".
            right = [wanted]
            if wanted == self._script.answers[name].value:
                right += self._script.end.get(name, [])
            if name not in values or not any(
                self._app.same(name, values[name], one) for one in right
            ):
                return name
        return None

    def _fill_in_the_form(self) -> None:
        """Fill in the form that the gate gives instead of asking a third time; where all is there
        then, its card opens."""
        turn = self._state.turn
        assert turn is not None
        self._played.messages += 1
        given: dict[str, Given | None] = {}
        for name in turn.form:
            value = self._app.actions.normalise(name, self._app.as_said(name, self._wanted[name]))
            assert value is not None
            given[name] = Given(value=value, source=Source.FORM, message_id="form")
        state = with_values(self._state, given, self._app.actions.specs)
        ready = status_of(self._app.spec, state).ready and self._app.spec.name in state.requested
        actions = (self._app.spec.name,) if ready else ()
        turn = turn.model_copy(update={"form": (), "actions": actions})
        hashes = self._app.hashes(state)
        pending = Pending(id="form", kind="card" if ready else "offer", hashes=hashes)
        self._state = state.model_copy(update={"turn": turn, "pending": pending, "asked": ()})
        self._played.lines.append(f"> (fills in {', '.join(given)})")

    def _wrong_values(self) -> str:
        [*_, grant] = self._state.grants
        wrong = [
            name
            for name, accepted in self._script.end.items()
            if not any(
                name in grant.values and self._app.same(name, grant.values[name], one)
                for one in accepted
            )
        ]
        return f"ran with wrong values: {', '.join(wrong)}" if wrong else ""

    def _ended(self, end: str) -> Played:
        self._played.end = end
        return self._played
