"""Functions that play, replay and review rounds, that is, episodes in which a person plays one of the two agents."""
