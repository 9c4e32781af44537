"""Rounds, which are episodes in which a person plays one agent: the view of each role, replay, and review."""
