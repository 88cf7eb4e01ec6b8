"""Bots that play Castell, and one that plays any game; registered through the entry point `arena`."""
