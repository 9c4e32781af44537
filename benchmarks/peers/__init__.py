"""Other ways to compute expected divergence points, written to be compared with."""
