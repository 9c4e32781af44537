"""Ask or act, without a map and without time: intents, actions with losses, questions with prices.

`askwise.decide` tells what to do first, `Session` goes on from there as answers come in. The theory is in
`askwise.decisions.search`, what a problem consists of in `askwise.decisions.problem`.
"""
