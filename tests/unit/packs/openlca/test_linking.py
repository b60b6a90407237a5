"""Linking and units, by properties: random networks against the written rules, and back again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.packs.openlca.backend import Provider
from sayso.packs.openlca.linking import ProviderLinking, Rules, Why, choose
from sayso.packs.openlca.model import Flow, FlowPropertyFactor, Ref, Unit, UnitGroup
from sayso.packs.openlca.tools import reason_of
from sayso.packs.openlca.units import measure

providers = st.lists(
    st.builds(
        Provider,
        id=st.sampled_from("abcdef"),
        name=st.just("P"),
        process_type=st.sampled_from(["UNIT_PROCESS", "LCI_RESULT"]),
        location=st.just(""),
    ),
    max_size=5,
    unique_by=lambda one: one.id,
)
rules = st.builds(Rules, st.sampled_from(ProviderLinking), st.booleans())


def as_written(default: str | None, among: list[Provider], by: Rules) -> Provider | None:
    """openLCA's rules, in the words of its documentation and in another order than the code's."""
    usable = [one for one in among if one.id == default]
    if by.linking is ProviderLinking.ONLY_DEFAULTS:
        return usable[0] if usable else None
    if by.linking is ProviderLinking.PREFER_DEFAULTS and usable:
        return usable[0]
    kind = "UNIT_PROCESS" if by.prefer_unit_processes else "LCI_RESULT"
    ordered = [one for one in among if one.process_type == kind] or among
    return (among if len(among) == 1 else ordered)[0] if among else None


@given(st.none() | st.sampled_from("abcdefgh"), providers, rules)
def test_the_provider_is_the_one_of_the_rules(
    default: str | None, among: list[Provider], by: Rules
) -> None:
    found, why = choose(default, among, by)
    assert found == as_written(default, among, by)
    assert (found is None) == (why in (Why.NO_PROVIDER, Why.NO_DEFAULT))
    assert (why is Why.DEFAULT) == (
        found is not None
        and found.id == default
        and by.linking is not ProviderLinking.IGNORE_DEFAULTS
    )


class OneGroup:
    def __init__(self, group: UnitGroup) -> None:
        self._group = group

    def unit_group_of(self, property_id: str) -> UnitGroup | None:
        return self._group


factors = st.floats(1e-9, 1e9)


@given(st.floats(1e-12, 1e12) | st.floats(-1e12, -1e-12), factors, factors)
def test_an_amount_comes_back_as_it_was(amount: float, unit: float, held: float) -> None:
    group = UnitGroup(units=[Unit(id="u", name="u", conversion_factor=unit)])
    factor = FlowPropertyFactor(
        flow_property=Ref(id="p"), conversion_factor=held, is_ref_flow_property=True
    )
    found = measure(OneGroup(group), Flow(flow_properties=[factor]), "u", "p")
    back = found.to_reference(amount) * held / unit
    assert abs(back - amount) <= 1e-12 * abs(amount)


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("", "listed"),
        ("concrete,  READY-mix", "the same name"),
        ("concrete", "its name begins so"),
        ("mix concrete", "its name has these words"),
        ("building", "its category has these words"),
    ],
)
def test_a_search_says_why_it_found_a_flow(query: str, reason: str) -> None:
    assert reason_of("Concrete, ready-mix", query) == reason
