"""A round: one episode that a person plays, what each role may see of it, and what it would have cost otherwise."""
