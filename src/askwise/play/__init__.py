"""Playing problems: what to do now, simulated episodes and their files, expected costs, and bounds on these costs."""
