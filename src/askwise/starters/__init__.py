"""Commented files to start from, as ``askwise new`` writes them."""
