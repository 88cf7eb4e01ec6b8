"""The invariant: rubbish gives a fault of the sender, nothing else."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.protocol import State
from tests.protocol.examples import referee_in
from tests.protocol.fuzzing import LINES, feed, fuzz_one


@given(
    state=st.sampled_from(State),
    pieces=st.lists(st.one_of(st.binary(max_size=40), st.sampled_from(LINES), st.text(max_size=20).map(str.encode))),
    cut=st.integers(1, 50),
)
def test_rubbish_is_a_fault_of_the_sender(state: State, pieces: list[bytes], cut: int) -> None:
    data = b"".join(pieces)
    whole, fault = feed(referee_in(state), data, 1)
    again, fault_again = feed(referee_in(state), data, cut)
    assert whole == again
    assert bool(fault) == bool(fault_again)


def test_mutated_conversations() -> None:
    for seed in range(4_000):
        fuzz_one(Random(seed))


@pytest.mark.heavy
@pytest.mark.timeout(1800)
def test_a_million_mutated_conversations() -> None:
    random = Random(2026)
    for _ in range(1_000_000):
        fuzz_one(random)
