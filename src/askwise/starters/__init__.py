"""Templates: files with comments, from which users start their own; ``askwise new`` writes copies of them."""
