"""Playing: episodes, advice, expected costs, traces."""
