"""Long attacks on what the documentation promises: damaged results, agents that misbehave, malformed files."""
