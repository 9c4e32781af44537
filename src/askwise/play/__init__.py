"""Playing problems: recommendations, episodes, traces, expected costs, optima and bounds."""
