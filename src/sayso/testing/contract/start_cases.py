"""Cases: what an adapter knows before any run."""

from __future__ import annotations

import pytest

from sayso.adapters.findings import FindingKind
from sayso.core.errors import NotSupportedError
from sayso.testing.contract.case import MORE, Case
from sayso.testing.contract.harness import Bench


class StartCases(Case):
    def test_nothing_is_left_out_in_silence(self) -> None:
        if self.more:
            assert set(self.more) == set(MORE), "declare what the framework lacks by None"

    def test_what_can_be_served_is_not_refused(self, bench: Bench) -> None:
        places = [self.builder, self.own_tools, self.nested, self.own_state]
        places += [place for name, place in self.more.items() if name != "refused"]
        for place in filter(None, places):
            bench.builder = place
            bench.program().checked()

    def test_what_cannot_be_served_is_refused_at_start(self, bench: Bench) -> None:
        self.use(bench, "refused")
        program = bench.program()
        found = [one for one in program.findings() if one.kind is FindingKind.REFUSED]
        assert found
        assert all(one.fix for one in found)
        with pytest.raises(NotSupportedError, match="cannot be served"):
            program.checked()
