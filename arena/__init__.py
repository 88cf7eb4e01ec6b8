"""castell-arena: tournaments of bots that are fair, reproducible and impossible to hang."""

__version__ = "0.1.0"
