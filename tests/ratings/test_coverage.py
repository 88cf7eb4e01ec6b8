"""The 95 % intervals cover the truth in 95 % of tournaments, not more and not less."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from arena.ratings import Cluster
from benchmarks.coverage import everything, measure, plain
from benchmarks.planted import Planted


def test_intervals_by_deal_cover_and_intervals_by_block_do_not() -> None:
    by_deal = measure(everything(3), deals=8, tournaments=80, seed=1, limit_deals=800)
    assert 0.91 < by_deal.against_mean < 0.985
    assert 0.91 < by_deal.against_anchor < 0.99
    assert by_deal.ties > 0.1
    by_block = measure(everything(3), deals=8, tournaments=20, seed=1, cluster=Cluster.BLOCK, limit_deals=800)
    assert by_block.against_mean < 0.85
    assert by_block.width < by_deal.width


@pytest.mark.heavy
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("truth", [plain, everything])
@pytest.mark.parametrize("deals", [10, 30])
def test_pooled_coverage_is_between_94_and_96_percent(seats: int, truth: Callable[[int], Planted], deals: int) -> None:
    found = measure(truth(seats), deals=deals, tournaments=1000, seed=100 + seats)
    assert 0.94 <= found.against_mean <= 0.96
