"""Studies that reproduce and extend the paper."""
