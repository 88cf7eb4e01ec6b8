"""Tables of a run: values first, text second. Everything is derived from stored matches."""

from __future__ import annotations
