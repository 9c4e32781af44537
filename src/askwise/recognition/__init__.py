"""Tables about many goal-recognition problems: how similar their goals are, and whether the true goal is recognised.

In goal recognition, an observer finds out which of several goals an agent pursues, from some of the agent's actions.
"""
