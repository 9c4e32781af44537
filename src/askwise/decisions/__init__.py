"""Single decisions whether to act or to ask, without a map and without time.

A decision problem has intents (possibilities for what is unknown, exactly one of which is true), actions with losses,
and questions with prices. `askwise.decide` returns what to do first: an action or a question. `askwise.Session`
continues from there as answers arrive. `askwise.decisions.problem` defines decision problems, and
`askwise.decisions.search` solves them.
"""
