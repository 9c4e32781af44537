"""Run studies: play all instances of a study in worker processes or on a cluster, and store the tables of results."""
