"""Processes that are watched while they work: a pulse that both sides see, limits, and an end that is put in words."""
