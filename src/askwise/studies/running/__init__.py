"""Playing a study: tasks go out to processes or machines, and their rows come back and are stored."""
