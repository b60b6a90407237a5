"""The English sentences of the other files once more, said to a form with terse labels: a field's
name is all there is to its question, and beside it stand fields of another application, of which
nothing is said."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from sayso.reading.rule_extractor import RuleExtractor
from sayso.testing.gate_adversarial import Domain, Domains, FieldLine, GateApp
from training.changed_values import CHANGED, changed, may_be_changed, pool_of
from training.examples import Example, example_of, read_file

_LANGUAGE = "en"
_LENT = 3
#: What a field of these kinds wants is hardly said by chance to another application.
_MAY_BE_LENT = ("text", "choice")
#: Names of which a message of another application may well state a value.
_COMMON = ("name", "note", "town", "city", "place", "address", "contact", "person", "reason")


def terse_examples_in(paths: Sequence[Path], *, seed: int = 1) -> Iterator[Example]:
    """Yield the lines of English of these files, none of them a reply to a card."""
    chance = random.Random(seed)
    read = {path: read_file(path) for path in paths}
    read = {path: one for path, one in read.items() if _LANGUAGE in one[0].domains[0].title}
    each = [domains.domains[0] for domains, _, _ in read.values()]
    for path, (domains, _, lines) in read.items():
        own = domains.domains[0]
        lender = chance.choice([one for one in each if one.name != own.name])
        wide = Domains(today=domains.today, now=domains.now, domains=[_terse(own, lender, chance)])
        pool = pool_of(lines)
        app = GateApp(wide, own.name, _LANGUAGE, RuleExtractor())
        for said in lines:
            if said.language == _LANGUAGE and not said.leave:
                domain = f"terse/{path.parent.name}/{path.stem}"
                yield example_of(said, domain, app)
                if may_be_changed(said) and chance.random() < CHANGED:
                    yield changed(said, domain, app, pool, chance)


def _terse(own: Domain, lender: Domain, chance: random.Random) -> Domain:
    names = {word for one in own.fields for word in one.name.split("_")}
    free = [
        one
        for one in lender.fields
        if one.type in _MAY_BE_LENT and not {*one.name.split("_")} & {*names, *_COMMON}
    ]
    lent = chance.sample(free, min(_LENT, len(free)))
    fields = [_labelled(one) for one in [*own.fields, *lent]]
    chance.shuffle(fields)
    return own.model_copy(update={"fields": fields})


def _labelled(field: FieldLine) -> FieldLine:
    label = field.name.replace("_", " ").capitalize()
    return field.model_copy(update={"question": {_LANGUAGE: label}})
