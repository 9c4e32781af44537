"""Playing a study: tasks go out to processes or machines, and their rows come back and are stored.

Nothing is imported here: `executors` has to be the first thing that a worker process loads.
"""
