"""openLCA's formulas: parsed and computed here, never handed to Python.

Names are compared without letter case, as in openLCA. Arguments are parted by `;` or `,`.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence

from sayso.packs.openlca.model import Parameter

_TOKEN = re.compile(
    r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)"
    r"|(<=|>=|<>|!=|==|&&|\|\||[-+*/^()=<>;,!%]))"
)
_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_LONGEST = 4000
_DEEPEST = 60


class FormulaMistake(ValueError):
    """A formula cannot be computed."""


def power(base: float, exponent: float) -> float:
    found = base**exponent
    if isinstance(found, complex):
        raise FormulaMistake("a root of a negative number")
    return float(found)


_FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "abs": abs,
    "sqrt": math.sqrt,
    "sqr": lambda x: x * x,
    "exp": math.exp,
    "ln": math.log,
    "log": math.log10,
    "lg": math.log10,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "arcsin": math.asin,
    "arccos": math.acos,
    "arctan": math.atan,
    "int": lambda x: float(math.trunc(x)),
    "trunc": lambda x: float(math.trunc(x)),
    "frac": lambda x: x - math.trunc(x),
    "floor": lambda x: float(math.floor(x)),
    "ceil": lambda x: float(math.ceil(x)),
    "round": lambda x: float(math.floor(x + 0.5)),
    "pow": power,
    "power": power,
    "min": lambda *terms: min(terms),
    "max": lambda *terms: max(terms),
    "sum": lambda *terms: math.fsum(terms),
    "avg": lambda *terms: math.fsum(terms) / len(terms),
    "if": lambda test, yes, no: yes if test else no,
    "iff": lambda test, yes, no: yes if test else no,
    "and": lambda *terms: float(all(terms)),
    "or": lambda *terms: float(any(terms)),
    "not": lambda x: float(not x),
}
_CONSTANTS = {"pi": math.pi, "e": math.e, "true": 1.0, "false": 0.0}
#: Operators between two values, by level: each binds tighter than the one before.
_OPERATORS: Sequence[Mapping[str, Callable[[float, float], float]]] = (
    {
        "=": operator.eq,
        "==": operator.eq,
        "<>": operator.ne,
        "!=": operator.ne,
        "<": operator.lt,
        ">": operator.gt,
        "<=": operator.le,
        ">=": operator.ge,
    },
    {"+": operator.add, "-": operator.sub},
    {"*": operator.mul, "/": operator.truediv, "%": math.fmod},
)


def evaluate(formula: str, value_of: Callable[[str], float]) -> float:
    """Return the value. `value_of` gives a parameter's. Raises FormulaMistake."""
    if len(formula) > _LONGEST:
        raise FormulaMistake("it is too long")
    parser = _Parser(_tokens(formula), value_of)
    try:
        value = parser.value(0)
    except (ArithmeticError, ValueError, TypeError) as exc:
        raise exc if isinstance(exc, FormulaMistake) else FormulaMistake(str(exc)) from exc
    if parser.here:
        raise FormulaMistake(f"'{parser.here}' stands where nothing should")
    if not math.isfinite(value):
        raise FormulaMistake("it has no finite value")
    return value


class Parameters:
    """The parameters of a process over those of the database, computed when they are asked for."""

    def __init__(self, own: Sequence[Parameter], shared: Sequence[Parameter]) -> None:
        self._known = {one.name.casefold(): one for one in [*shared, *own]}
        self._values: dict[str, float] = {}
        self._open: list[str] = []

    def value(self, name: str) -> float:
        key = name.casefold()
        if key in self._values:
            return self._values[key]
        if key not in self._known:
            raise FormulaMistake(f"'{name}' is no parameter")
        if key in self._open or len(self._open) > _DEEPEST:
            raise FormulaMistake(f"'{name}' is computed from itself")
        one = self._known[key]
        if one.is_input_parameter or not one.formula:
            value = one.value if one.value is not None else 0.0
        else:
            self._open.append(key)
            value = evaluate(one.formula, self.value)
            self._open.pop()
        self._values[key] = value
        return value


def is_name(name: str) -> bool:
    return _NAME.match(name) is not None and name.casefold() not in _FUNCTIONS


def _tokens(formula: str) -> list[str]:
    found, at = [], 0
    formula = formula.strip()
    while at < len(formula):
        token = _TOKEN.match(formula, at)
        if token is None:
            raise FormulaMistake(f"'{formula[at]}' is not understood")
        found.append(token[0].strip())
        at = token.end()
    if not found:
        raise FormulaMistake("it is empty")
    return found


class _Parser:
    """Each call says how deep it is."""

    def __init__(self, tokens: list[str], value_of: Callable[[str], float]) -> None:
        self._tokens, self._at, self._value_of = tokens, 0, value_of

    @property
    def here(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def value(self, depth: int, level: int = 0) -> float:
        if depth > _DEEPEST:
            raise FormulaMistake("it nests too deep")
        if level == len(_OPERATORS):
            return self._signed(depth)
        left = self.value(depth, level + 1)
        while self.here in _OPERATORS[level]:
            compute = _OPERATORS[level][self._take()]
            left = float(compute(left, self.value(depth, level + 1)))
        return left

    def _signed(self, depth: int) -> float:
        if depth > _DEEPEST:
            raise FormulaMistake("it nests too deep")
        if self.here in ("+", "-"):
            sign = -1.0 if self._take() == "-" else 1.0
            return sign * self._signed(depth + 1)
        base = self._atom(depth)
        if self.here != "^":
            return base
        self._take()
        return power(base, self._signed(depth + 1))

    def _atom(self, depth: int) -> float:
        token = self._take()
        if token == "(":
            value = self.value(depth + 1)
            self._expect(")")
            return value
        if token[:1].isdigit() or token[:1] == ".":
            return float(token)
        if not _NAME.match(token):
            raise FormulaMistake(f"'{token or 'the end'}' stands where a value should")
        if self.here == "(" and token.casefold() in _FUNCTIONS:
            return float(_FUNCTIONS[token.casefold()](*self._arguments(depth)))
        return self._named(token)

    def _named(self, token: str) -> float:
        try:
            return self._value_of(token)
        except FormulaMistake:
            if token.casefold() in _CONSTANTS:
                return _CONSTANTS[token.casefold()]
            raise

    def _arguments(self, depth: int) -> list[float]:
        self._expect("(")
        found = [self.value(depth + 1)]
        while self.here in (";", ","):
            self._take()
            found.append(self.value(depth + 1))
        self._expect(")")
        return found

    def _take(self) -> str:
        token = self.here
        self._at += 1
        return token

    def _expect(self, wanted: str) -> None:
        if self._take() != wanted:
            raise FormulaMistake(f"a '{wanted}' is missing")
