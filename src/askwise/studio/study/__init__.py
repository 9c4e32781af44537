"""Studies with people: what a study file says, who meets what in which order, and what came of it."""
