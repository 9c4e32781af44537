"""Planning under uncertainty about the teammate's goal: the exact optimum, a search in belief space, lower bounds.

All of them work on one recursion, stated here once; modules refer to it by these names.

**State.** ``(m, w, place, load)``: what answers have made of the weights of the goals (`m`), where the teammate is
(`w`), where the ego agent is, and what it carries (`askwise.core.side`). The teammate draws one of all its shortest
plans uniformly (a UROP), so where it came from does not matter (`askwise.planning.tables`): goal `g` has the weight
``weight[w, g] * m_g``, and ``Z`` is the sum of all weights. Where answers are true, `m` is a set: ``m_g`` is 1 for the
goals `A` that are possible, and 0 for the others.

**Regret.** If `g` were known, ``R_g = max(d + 1, e)`` steps would be left, `d` the teammate's steps to `g` and `e` the
ego agent's. An action after which the ego agent needs `e'` steps puts the end off by

    r_g = 1 + max(d, e') - R_g  >=  0.

What is paid beyond knowing the goal, in expectation and times ``Z``, with at most `K` more questions, is the regret

    U(m, w, place, load, K) = least of
        actions:    sum over g of weight[w, g] * m_g * r_g
                    +  sum over next w' of U(m alive at w', w', place', load', K)
        questions:  Z * price  +  refused * U(m, w, place, load, K - 1)
                    +  sum over answers a of U(m * L[a], w, place, load, K - 1)

and that of a single goal is 0. ``L[a, g]`` is how likely goal `g` makes answer `a` (`askwise.core.answers`). Where
answers are true, ``m * L[a]`` is the part of `A` for which `a` is true, nothing is refused, and the number of
questions need not be limited. Weights make everything a plain sum, nothing is divided. There are no cycles: every
joint step takes the teammate one step further or, when it stays, reveals its goal; every question makes `A` or `K`
smaller. So memoised recursion is exact, without sweeps or tolerance. No term is negative, so 0 and every part of a sum
bound it from below. Multiplying all of `m` multiplies `U`.

**Questions.** Asking about a set and asking about the rest of `A` tell the same; the price is that of the cheaper one,
and that one is asked. Where errors persist, a question that was asked tells nothing more, and is not asked again.

**No way back.** An action after which a possible goal could never be reached costs infinitely much, however unlikely
that goal is. It is never taken: the ego agent can always wait instead. A goal that is out of reach already no longer
matters.

**Loads.** A load that no possible goal needs is as good as none: such states are one.

- `reference` is the recursion in plain Python with exact fractions; everything else is tested against it;
- `exact` solves it for true answers, `exact_noisy` for wrong and missing ones, and `optimum` chooses between them;
- `planner` compares some actions and questions, and ends plans early. Its kernels, in the order in which they build on
  each other: `beliefs`, `steps`, `transposition`, `leaf_values`, `proposals`, `candidates`, `values`;
- `bounds` lets an oracle tell groups of goals apart and solves each; `groups` draws such groups at random and charges
  questions for the goals that are not in them.
"""
