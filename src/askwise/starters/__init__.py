"""Templates: commented files that users copy and then change; ``askwise new`` writes the copies."""
