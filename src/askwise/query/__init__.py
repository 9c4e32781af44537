"""Beliefs about the teammate's goal, and the value of questions. Arrays in, arrays out: no domain here."""

from askwise.query.beliefs import BELIEFS, Belief, ContradictoryObservation, make_belief

__all__ = ["BELIEFS", "Belief", "ContradictoryObservation", "make_belief"]
