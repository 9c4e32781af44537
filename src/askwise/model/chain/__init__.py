"""Absorbing Markov chains: how long until something happens, exactly or with a proven bound."""

from askwise.model.chain.absorbing import AbsorbingChain
from askwise.model.chain.expected import METHODS, expected_steps
from askwise.model.chain.one_pass import longest_path

__all__ = ["METHODS", "AbsorbingChain", "expected_steps", "longest_path"]
