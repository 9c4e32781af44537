"""Measurements of askwise beside other ways to get the same numbers: ``python -m benchmarks``."""
