"""One decision whether to act or to ask, without a map and without time.

A decision problem has intents, exactly one of which is true, actions with losses, and questions with prices.
`askwise.decide` returns what to do first, and `askwise.Session` continues from there as answers arrive.
`askwise.decisions.problem` defines such problems, and `askwise.decisions.search` solves them.
"""
