"""Castell: the rules engine. Bot authors import `builder`, `judge`, `guide`, `actions` and `state` from here."""
