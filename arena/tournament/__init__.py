"""Tournaments: the file (`config`), the plan (`plan`), what to play next (`director`), the run folder (`store`)."""
