"""Planning under uncertainty about the teammate's goal: the exact optimum, a search in belief space, lower bounds.

All of them compute one recursion, stated here once. Modules refer to it by these names.

**State.** ``(m, w, place, load)``: factors `m` that answers have put on the weights of the goals; the teammate's state
`w`; the ego agent's place, and the load that it carries (`askwise.core.side`). The teammate draws one of all its
shortest plans uniformly (a UROP), so its past path does not matter (`askwise.planning.tables`): goal `g` has the weight
``weight[w, g] * m_g``, and ``Z`` is the sum of all weights. If answers are true, `m` is a set: ``m_g`` is 1 for the
possible goals `A`, and 0 for the others.

**Delay.** If `g` were known, ``R_g = max(d + 1, e)`` steps would be left, where `d` is the teammate's steps to `g` and
`e` the ego agent's. An action after which the ego agent needs `e'` steps delays the end by

    r_g = 1 + max(d, e') - R_g  >=  0.

**Value.** The expected marginal cost (the cost beyond that of knowing the goal), times ``Z``, with at most `K` more
questions, is the value

    U(m, w, place, load, K) = least of
        actions:    sum over g of weight[w, g] * m_g * r_g
                    +  sum over next w' of U(m alive at w', w', place', load', K)
        questions:  Z * price  +  refused * U(m, w, place, load, K - 1)
                    +  sum over answers a of U(m * L[a], w, place, load, K - 1)

and 0 for a single goal. ``L[a, g]`` is the probability of answer `a` if the goal is `g` (`askwise.core.answers`). If
answers are true, ``m * L[a]`` is the part of `A` for which `a` is true, no question is refused, and the number of
questions need not be limited. Weights make everything a plain sum; nothing is divided. There are no cycles: every joint
step takes the teammate one step further or, when it stays, reveals its goal; every question makes `A` or `K` smaller.
So memoised recursion is exact, without sweeps or tolerance. No term is negative, so 0 and every part of a sum bound it
from below. Multiplying all of `m` multiplies `U`.

**Questions.** A question about a set and one about the rest of `A` give the same information. The cheaper one is asked.
If errors persist, repeating a question gives no new information, so it is not asked again.

**No way back.** An action after which a possible goal could never be reached costs infinitely much, however unlikely
that goal is. It is never taken: the ego agent can always wait instead. A goal that is out of reach already no longer
matters.

**Loads.** A load that no possible goal needs counts as none.

Where the recursion appears line by line:

- `reference` computes it in plain Python with exact fractions: `Reference.value`, `act`, `ask`, `delay`. Everything
  else is tested against it.
- `exact` solves it for true answers (kernels in `exact_search`: `_try_action`, `try_splits`), `exact_noisy` for wrong
  and missing ones (`_compare_actions`, `_compare_questions`; beliefs in `exact_beliefs`). `optimum` picks the solver;
  `questions` lists questions.
- `planner` compares some actions and questions, and ends plans early: `values.state_value`, with the delays of
  `steps.score_actions`. Its kernels, in the order in which they build on each other: `workspace`, `beliefs`, `steps`,
  `leaf_values`, `proposals`, `candidates`, `values`. `settings` says how far it looks.
- `bounds` bounds it from below: an oracle names a group of goals, and each group is solved. `groups` draws such groups
  at random and charges questions for the goals outside the group.
"""
