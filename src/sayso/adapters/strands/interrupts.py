"""The framework's interrupts as cards, and the answers to the cards as what `interrupt()` returns.

An interrupt says what it shows and not what it wants back. What its code compares the answer with
says it; where that is not plain, the person's words are the answer.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any

from pydantic import JsonValue
from pydantic_core import to_jsonable_python
from strands import Agent
from strands.interrupt import Interrupt
from strands.interventions import InterventionHandler

from sayso.adapters.native import yes_or_no
from sayso.adapters.reach import reachable
from sayso.adapters.strands.agent_copy import callbacks_of
from sayso.core.cards import Card
from sayso.core.children import Request
from sayso.core.interactions import CardRequest, Interaction
from sayso.tools.answer_messages import approval_answer
from sayso.tools.questions import question

_HANDLER: type[object] = InterventionHandler
#: How the names of our own interrupts begin.
PREFIX = "sayso:"
#: What stands for a yes, and for a no, where code compares with words.
_YES = frozenset({"y", "yes", "a", "approve", "approved", "accept", "ok", "true", "confirm"})
_NOS = frozenset({"n", "no", "r", "reject", "rejected", "deny", "denied", "cancel", "false"})
#: What is said to code that asks for a word, where the person says no.
_NO = "n"


@dataclass(frozen=True)
class Asked:
    key: str
    card: Card
    read: Callable[[Interaction], Any]
    agent_name: str

    @property
    def request(self) -> Request:
        return CardRequest(
            call_key=self.key,
            card=self.card,
            ui_tool_id=self.card.card.value,
            agent_name=self.agent_name,
        )


def asked_by(
    agent: Agent, interrupt: Interrupt, key: str, agent_name: str, tool: object = None
) -> Asked:
    """Return the card of an interrupt, of this tool or of one of the hooks of the agent or team."""
    reason: JsonValue = to_jsonable_python(interrupt.reason, fallback=str)
    title = _title(reason) or interrupt.name
    context = reason if isinstance(reason, dict) else {}
    code: list[object] = [tool] if tool is not None else [*callbacks_of(agent)]
    is_handler = any(
        getattr(one, "name", "") == interrupt.name for one in reachable(code, _HANDLER)
    )
    wanted = bool if is_handler else _wanted(code, interrupt.name)
    words = wanted if isinstance(wanted, tuple) else ()
    said = {word.lower() for word in words}
    if wanted is bool or (said and said <= _YES):
        yes, no = (words[0], _NO) if words else (True, False)
        card = yes_or_no(title, context)
        return Asked(key, card, lambda it: yes if approval_answer(it).approved else no, agent_name)
    if said & _YES and not said & _NOS:  # whatever else is said is a no
        words = (*words, _NO)
    return Asked(key, question(title, words, True, context), _words, agent_name)


def _words(it: Interaction) -> str:
    """Return what the person wrote or chose; code that asked for words gets words."""
    if it.response is None:
        return "The person did not answer."
    data = it.response.response_data
    return data.additional_notes or data.selected_option or it.response.user_message or ""


def _title(reason: JsonValue) -> str:
    if isinstance(reason, str):
        return reason
    if isinstance(reason, dict):
        for name in ("question", "message", "title", "prompt", "description", "reason"):
            if isinstance(reason.get(name), str):
                return str(reason[name])
    return ""


# ── what the code wants back ──


def _wanted(code: list[object], name: str) -> type[bool] | tuple[str, ...] | None:
    """Return the words that the answer to this interrupt is compared with; `bool` where it is
    tested."""
    for tree in _trees(code):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _is_interrupt(node, name):
                return _use(node, tree)
    return None


def _trees(code: list[object]) -> Iterator[ast.AST]:
    for one in code:
        function: Any = getattr(one, "_tool_func", one)
        for each in (function, *_methods_beside(function)):
            try:
                yield ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(each))))
            except (OSError, TypeError, SyntaxError):
                continue


def _methods_beside(function: object) -> Iterator[FunctionType]:
    """Yield the methods that a method may leave the asking to."""
    if isinstance(function, MethodType):
        for kind in type(function.__self__).__mro__:
            yield from (one for one in vars(kind).values() if isinstance(one, FunctionType))


def _is_interrupt(call: ast.Call, name: str) -> bool:
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "interrupt":
        return False
    given = [*call.args[:1], *(one.value for one in call.keywords if one.arg == "name")]
    match given:
        case [ast.Constant(value=str() as text)]:
            return text == name
        case [ast.JoinedStr(values=[ast.Constant(value=str() as text), *_])]:
            return name.startswith(text)
        case _:
            return True


def _use(call: ast.Call, tree: ast.AST) -> type[bool] | tuple[str, ...] | None:
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    words: list[str] = []
    tested = False
    for at in _uses(call, tree, parents):
        above: ast.AST | None = at
        while isinstance(above, ast.Name | ast.Call | ast.Attribute | ast.NamedExpr):
            under, above = above, parents.get(above)
            match above:
                case ast.Compare(left=left, comparators=[right]) if left is under:
                    words += _texts(right)
                case ast.If() | ast.IfExp() | ast.UnaryOp(op=ast.Not()) if under is at:
                    tested = True
    if words:
        return tuple(dict.fromkeys(words))
    return bool if tested else None


def _uses(call: ast.Call, tree: ast.AST, parents: dict[ast.AST, ast.AST]) -> list[ast.AST]:
    match parents.get(call):
        case (
            ast.Assign(targets=[ast.Name(id=name)])
            | ast.AnnAssign(target=ast.Name(id=name))
            | ast.NamedExpr(target=ast.Name(id=name))
        ):
            return [
                node
                for node in ast.walk(tree)
                if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
            ]
        case _:
            return [call]


def _texts(node: ast.AST) -> list[str]:
    found = [getattr(one, "value", None) for one in getattr(node, "elts", [node])]
    return [value for value in found if isinstance(value, str)]
