"""What a state shares with its agent's memory is taken out of it and put back."""

import random

from hypothesis import given
from hypothesis import strategies as st

from sayso.store.moves.saved_states import LEAST_BYTES, shared_part, with_part, without_part

MEMORY = random.Random(7).randbytes(20 * LEAST_BYTES)


@given(before=st.binary(max_size=200), after=st.binary(max_size=200), cut=st.integers(0, 2000))
def test_a_state_that_holds_a_memory_is_kept_without_it(before: bytes, after: bytes, cut: int):
    state = before + MEMORY[cut:] + after
    part = shared_part(MEMORY, state)
    assert part is not None
    rest = without_part(state, part)
    assert len(rest) <= len(before) + len(after)
    assert with_part(rest, part, MEMORY) == state


@given(memory=st.binary(max_size=5000), state=st.binary(max_size=5000))
def test_whatever_they_share_the_state_comes_back(memory: bytes, state: bytes):
    part = shared_part(memory, state)
    if part is not None:
        assert with_part(without_part(state, part), part, memory) == state


def test_a_little_is_not_worth_it():
    assert shared_part(MEMORY[:LEAST_BYTES], MEMORY[: LEAST_BYTES - 1]) is None
    assert shared_part(b"", MEMORY) is None
    assert shared_part(MEMORY, MEMORY[: len(MEMORY) // 4]) is None
