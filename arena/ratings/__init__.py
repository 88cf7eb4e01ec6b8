"""Ratings from finishing orders: one joint fit, intervals that know about blocks and deals, and a sequential test."""

from __future__ import annotations

from arena.ratings.fit import DEFAULT_PRIOR, ENOUGH_DEALS, fit
from arena.ratings.rows import Finish, MatchRow, Result, clean
from arena.ratings.sprt import Decision, Hypotheses, SprtState, block_score, expected_score, run_sprt
from arena.ratings.values import CONFIDENCE, ELO, Cluster, Estimate, Rating, Ratings, SeatTerm, Streak

__all__ = [
    "CONFIDENCE", "DEFAULT_PRIOR", "ELO", "ENOUGH_DEALS", "Cluster", "Decision", "Estimate", "Finish", "Hypotheses",
    "MatchRow", "Rating", "Ratings", "Result", "SeatTerm", "SprtState", "Streak", "block_score", "clean",
    "expected_score", "fit", "run_sprt",
]  # fmt: skip
