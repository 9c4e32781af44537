"""Other implementations of what askwise computes, to compare values and times with.

- EDP of pairs of goals: `dictionaries` (simple Python, with the paper's algorithm), `numpy_levels` (numpy), `chains`
  (a sparse solver of scipy) and `stormpy_peer` (the model checker Storm).
- Decisions: `moment_costs` (simple Python), `stormpy_pomdp` (Storm) and `pouct` (pomdp-py).
"""
