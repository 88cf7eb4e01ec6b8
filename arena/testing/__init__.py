"""Kits to check games, bots and formats with, and the means to test what reads records; shipped for plugin authors."""
