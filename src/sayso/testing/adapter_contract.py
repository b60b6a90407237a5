"""The contract of an adapter as a test suite: one class of tests, run against every framework.

An adapter's tests subclass `AdapterContract` and give `builder`: a function, named
"path/to/file.py:function", that makes an AgentProgram of that framework from a script, with
`TOOLS`. The scripted model of a builder must be a function of the history alone, so that any
process can go on with it. Other processes are really started: they load the same builder.

What a framework cannot do its adapter declares in `Capabilities`, and the cases assert what is
declared.
"""

from __future__ import annotations

from sayso.testing.contract.approval_cases import ApprovalCases
from sayso.testing.contract.cancel_cases import CancelCases
from sayso.testing.contract.case import programs_of
from sayso.testing.contract.crash_cases import CrashCases
from sayso.testing.contract.failure_cases import FailureCases
from sayso.testing.contract.handover_cases import HandoverCases
from sayso.testing.contract.harness import Bench
from sayso.testing.contract.idiom_cases import IdiomCases
from sayso.testing.contract.memory_cases import MemoryCases
from sayso.testing.contract.script import Builder, Idiom, Script, Turn, load_builder
from sayso.testing.contract.tools import OWN_POLICY, TOOLS, own_refund

__all__ = [
    "OWN_POLICY",
    "TOOLS",
    "AdapterContract",
    "Bench",
    "Builder",
    "Idiom",
    "Script",
    "Turn",
    "load_builder",
    "own_refund",
    "programs_of",
]


class AdapterContract(
    ApprovalCases,
    CancelCases,
    CrashCases,
    FailureCases,
    HandoverCases,
    IdiomCases,
    MemoryCases,
):
    """Subclass it, give `builder`, and pytest runs all of it."""
