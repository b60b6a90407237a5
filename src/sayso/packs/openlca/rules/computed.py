"""Rules of formulas: each can be computed, and gives the value that is stored beside it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from sayso.packs.openlca.formulas import FormulaMistake, Parameters, evaluate, is_name
from sayso.packs.openlca.model import Parameter
from sayso.packs.openlca.rules.codes import Issues, broken
from sayso.packs.openlca.rules.subject import Subject


def parameters(it: Subject) -> Issues:
    own = it.process.parameters
    names = Counter(one.name.casefold() for one in own)
    for one in own:
        if not is_name(one.name):
            yield broken("PARAM_BAD", parameter=one.name, what="no name of a parameter")
        elif names[one.name.casefold()] > 1:
            yield broken("PARAM_BAD", parameter=one.name, what="twice a parameter")


def formulas(it: Subject) -> Issues:
    found = list(_formulas(it))
    if not found:
        return
    known = Parameters(it.process.parameters, it.database.all(Parameter))
    for what, words, stored, exchange in found:
        try:
            value = evaluate(words, known.value)
        except FormulaMistake as exc:
            yield broken("FORMULA_BAD", exchange=exchange, what=what, why=exc, formula=words)
            continue
        if stored is not None and not math.isclose(value, stored, rel_tol=1e-6, abs_tol=1e-12):
            yield broken(
                "FORMULA_VALUE", exchange=exchange, what=what, value=value, stored=stored,
                formula=words,
            )  # fmt: skip


def _formulas(it: Subject) -> Iterator[tuple[str, str, float | None, int | None]]:
    """Yield what each is of, its words, the stored value and the exchange."""
    for one in it.process.parameters:
        if not one.is_input_parameter:
            yield f"parameter '{one.name}'", one.formula or "", one.value, None
    for line in it.lines:
        formula = line.exchange.amount_formula
        if formula:
            yield f"exchange of '{line.name}'", formula, line.exchange.amount, line.id
