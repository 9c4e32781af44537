"""Run studies: play their tasks in worker processes or on a cluster, and store the resulting tables."""
