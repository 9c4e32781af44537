"""Ask or act, without a map and without time: intents, actions with losses, questions with prices.

`askwise.decide` returns what to do first. `askwise.Session` continues from there as answers arrive. A decision problem
is defined in `askwise.decisions.problem`, its solution in `askwise.decisions.search`.
"""
