"""Two versions of askwise side by side: their trees of source, the work that both do, and processes that do it."""
