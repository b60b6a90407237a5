"""Sentences said once more to a form that already knows other values: what they state is a change,
and the rest stays as it is. Half of those where nothing was asked are said to the open card."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import JsonValue

from sayso.core.requirements import Pending
from sayso.reading.rule_extractor import RuleExtractor
from sayso.testing.gate_adversarial import GateApp
from training.examples import Example, Said, example_of, read_file

#: For each language, what the file's sentences state of each field.
Pool = dict[str, dict[str, list[JsonValue]]]

#: Of the sentences, so many are said once more.
CHANGED = 0.35
_KNOWN, _AT_CARD = (0.5, 0.95), 0.5


def changed_examples_in(paths: Sequence[Path], *, seed: int = 1) -> Iterator[Example]:
    """Yield some of the lines of these files, with other values known."""
    for path in paths:
        domains, _, lines = read_file(path)
        chance = random.Random(f"{seed} {path.stem}")
        pool = pool_of(lines)
        apps: dict[str, GateApp] = {}
        for said in lines:
            if said.language not in apps:
                name = domains.domains[0].name
                apps[said.language] = GateApp(domains, name, said.language, RuleExtractor())
            if may_be_changed(said) and chance.random() < CHANGED:
                app = apps[said.language]
                yield changed(said, f"changed/{path.parent.name}/{path.stem}", app, pool, chance)


def may_be_changed(said: Said) -> bool:
    """Return whether it can be said at another moment: what answers a question about a form that
    knows something already cannot."""
    return not said.leave and not (said.known and (said.asked or said.before))


def pool_of(lines: Sequence[Said]) -> Pool:
    pool: Pool = {}
    for said in lines:
        for name, values in said.stated.items() if not said.leave else ():
            pool.setdefault(said.language, {}).setdefault(name, []).append(values[0])
    return pool


def changed(said: Said, domain: str, app: GateApp, pool: Pool, chance: random.Random) -> Example:
    """Return the line as an example where the form knows what others have said of it; a line that
    knows something itself is said to the open card."""
    at_card = not (said.asked or said.before) and (bool(said.known) or chance.random() < _AT_CARD)
    share = 1 if at_card else chance.choice(_KNOWN)
    known = said.known or {
        name: value
        for name, values in pool.get(said.language, {}).items()
        if name not in said.asked and chance.random() < share
        if not _is_in(said, value := chance.choice(values), said.stated.get(name, []))
        if app.actions.normalise(name, app.as_said(name, value)) is not None
    }
    line = replace(said, known=known)
    state = app.knowing(known, said.asked)
    if at_card:
        pending = Pending(id="card", kind="card", hashes={app.spec.name: ""})
        state = state.model_copy(update={"pending": pending})
    return example_of(line, domain, app, state)


def _is_in(said: Said, value: JsonValue, stated: Sequence[JsonValue]) -> bool:
    """Return whether the sentence says the value, so that nothing would change."""
    if value in stated:
        return True
    return isinstance(value, str) and value.casefold() in said.message.casefold()
