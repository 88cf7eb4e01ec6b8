"""Ratings from finishing orders: one joint fit, intervals that know about blocks and deals, and a sequential test."""

from __future__ import annotations

from arena.ratings.rows import Finish, MatchRow, Result, clean

__all__ = ["Finish", "MatchRow", "Result", "clean"]
