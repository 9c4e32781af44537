"""The planner where answers can be wrong or missing, where a question can be a choice, or where few may be asked.

The recursion of `askwise.planning` with two changes. An answer that can be wrong rules nothing out: it multiplies the
weight of each goal by its likelihood (`core.answers`). So a belief is a state of the teammate and, for each goal, the
factor ``m_g`` by which answers have changed its weight; ``W = sum over g of weight[w, g] * m_g``. And a question
may get no answer. Regrets stay plain sums, and multiplying all of `m` multiplies them:

    U(m, w, place, load, K) = least of
        actions:    sum over g of weight[w, g] * m_g * r_g
                    +  sum over next w' of U(m alive at w', w', place', load', K)
        questions:  W * price  +  r * U(m, ..., K - 1)
                    +  (1 - r) * sum over answers a of U(m * L[a], ..., K - 1)

for at most `K` more questions. As all answers to a question but the true one are equally likely, ``m`` is kept as whole
numbers that add up (`beliefs`): the order in which answers came does not matter, and equal beliefs meet in the memory.

**Persistent errors.** A question that was asked tells nothing more, so it is not asked again: neither one of this
episode nor one earlier in the plan.
"""
