"""The contract of an adapter as a test suite: one class of tests, run against every framework.

An adapter's tests subclass `AdapterContract` and give `builder`: a function, named
"path/to/file.py:function", that makes an AgentProgram of that framework from a script, with
`TOOLS`. The scripted model of a builder must be a function of the history alone, so that any
process can go on with it. Other processes are really started: they load the same builder.

What a framework cannot do its adapter declares in `Capabilities`, and the cases assert what is
declared.
"""

from __future__ import annotations

from sayso.testing.contract.bench import Bench
from sayso.testing.contract.dying import DyingCases
from sayso.testing.contract.failing import FailingCases
from sayso.testing.contract.handing import HandingCases
from sayso.testing.contract.pausing import PausingCases
from sayso.testing.contract.remembering import RememberingCases
from sayso.testing.contract.script import Builder, Script, Turn, load_builder
from sayso.testing.contract.stopping import StoppingCases
from sayso.testing.contract.tools import OWN_POLICY, TOOLS, own_refund

__all__ = [
    "OWN_POLICY",
    "TOOLS",
    "AdapterContract",
    "Bench",
    "Builder",
    "Script",
    "Turn",
    "load_builder",
    "own_refund",
]


class AdapterContract(
    PausingCases, StoppingCases, FailingCases, DyingCases, HandingCases, RememberingCases
):
    """Subclass it, give `builder`, and pytest runs all of it."""
