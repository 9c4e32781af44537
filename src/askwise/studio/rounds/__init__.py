"""Rounds, that is, episodes in which a person plays one agent: what each role may see, replay, and review."""
