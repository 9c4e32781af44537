"""Tables over many goal-recognition problems: how similar their goals are, and how well goals are recognised."""
