"""The referee: plays one match at a time with the authoritative game, clocks and verdicts, and returns a record."""
