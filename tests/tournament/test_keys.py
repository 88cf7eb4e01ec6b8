from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.tournament.keys import SECRET_BYTES, bot_seed, deal_key, new_secret, secret_of_seed


def test_secrets_are_random() -> None:
    assert len({new_secret() for _ in range(100)}) == 100
    assert all(len(new_secret()) == SECRET_BYTES for _ in range(10))


def test_a_seed_stands_for_one_secret_for_ever() -> None:
    assert secret_of_seed(7).hex() == "c12e19dc995befbcb2f169ca69fa5489"
    assert deal_key(secret_of_seed(7), 3).hex()[:16] == "95be82dd4b98b902"
    assert bot_seed(secret_of_seed(7), "l000-d000-s0", 1) == 737828381512843327


@given(st.binary(min_size=16, max_size=16), st.integers(0, 10**6), st.integers(0, 10**6))
def test_deals_have_keys_of_their_own(secret: bytes, one: int, other: int) -> None:
    assert (deal_key(secret, one) == deal_key(secret, other)) == (one == other)
    assert len(deal_key(secret, one)) == 32


@given(st.binary(min_size=16, max_size=16), st.text(max_size=20), st.integers(0, 5))
def test_bot_seeds_have_63_bits_and_differ_by_seat(secret: bytes, match_id: str, seat: int) -> None:
    seed = bot_seed(secret, match_id, seat)
    assert 0 <= seed < 2**63
    assert seed != bot_seed(secret, match_id, seat + 1)
