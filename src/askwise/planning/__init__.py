"""Planning under uncertainty about the teammate's goal: the exact optimum, a search in belief space, lower bounds.

All of these rest on the recursion stated here. The ego agent acts and asks; the teammate pursues one of the goals.

**State.** A state is ``(m, w, place, load)``. `m` has a factor for each goal, by which answers have changed its weight.
`w` is the teammate's state, `place` the ego agent's place, and `load` what the ego agent carries (`askwise.core.side`).
The teammate draws one of all its shortest plans uniformly (a uniformly random optimal policy, UROP), so its path to `w`
does not matter (`askwise.planning.tables`). Goal `g` has the weight ``weight[w, g] * m_g``, which is proportional to
its probability. ``Z`` is the sum of all weights. If answers are true, ``m_g`` is 1 for each goal in the set `A` of
possible goals, and 0 for the others.

**Delay.** The teammate needs `d` steps to goal `g`, and one more step in which it stays there. The ego agent needs `e`
steps. If `g` were known, ``R_g = max(d + 1, e)`` steps would be left. If the ego agent needs `e'` steps after an
action, the action delays the end by::

    r_g = 1 + max(d, e') - R_g  >=  0.

**Value.** Marginal cost is the cost beyond that of an agent that knows the goal. The value of a state is the least
expected marginal cost with at most `K` more questions, times ``Z``::

    U(m, w, place, load, K) = least of
        actions:    sum over g of weight[w, g] * m_g * r_g
                    +  sum over next w' of U(m alive at w', w', place', load', K)
        questions:  Z * price  +  refused * U(m, w, place, load, K - 1)
                    +  sum over answers a of U(m * L[a], w, place, load, K - 1)

The value is 0 if only one goal is possible. "`m` alive at ``w'``" is `m` with 0 for the goals that the teammate does
not pursue at ``w'``. The action leads the ego agent to ``place'`` and ``load'``. ``L[a, g]`` is the probability of
answer `a` if the goal is `g`, and ``refused`` that of no answer (`askwise.core.answers`). If answers are true,
``m * L[a]`` stands for the goals in `A` for which `a` is true, and `K` may be infinite.

There are no cycles: in every joint step the teammate takes a step of its plan or reveals its goal, and every question
makes `A` or `K` smaller. No term is negative, so some terms of a sum give a lower bound. If all of `m` is multiplied by
a number, `U` is, too.

**Questions.** A question about a set of goals and one about all other goals in `A` give the same information; the
cheaper one is asked. If errors are persistent, no question is repeated: it would get the same answer.

**No way back.** An action that puts a possible goal out of reach costs infinitely much. A goal that is already out of
reach no longer matters. A load that no possible goal needs counts as no load.

**Modules.** In each part of the table, callers come first. Modules with a star contain the recursion line by line.

==================  ============================================================================  ====================
module              what it is                                                                    used by
==================  ============================================================================  ====================
`reference` *       the recursion in plain Python with exact fractions: `value`, `act`, `ask`      tests of all others
`tables`            a problem as arrays: weights of goals, steps, prices                          all modules below
------------------  ----------------------------------------------------------------------------  --------------------
*The optimum:*
`optimum`           `solve_problem`; `make_solver` picks the solver                                methods, play, audits
`exact`             the interface of both solvers; `Solver`: true answers, yes/no questions        `optimum`, `planner`
`exact_search` *    the kernels of `exact`: `_try_action`, `try_splits`                            `exact`
`exact_noisy` *     `LimitedSolver`: wrong answers, multiple choice, at most `K` questions         `optimum`, `bounds`
`exact_beliefs`     the beliefs in `exact_noisy`, and the belief after each answer                 `exact_noisy`
`questions`         all questions for `LimitedSolver`; multiple choice for the planner             solvers, `planner`
------------------  ----------------------------------------------------------------------------  --------------------
*The planner:*
`planner`           `Planner.plan`: the optimum if few goals are left, otherwise `state_value`     methods, audits
`settings`          how far plans look ahead                                                       `planner`
`values` *          the kernel `state_value`: some actions, some questions, plans that end early   `planner`
`candidates`        chooses the questions that a state compares                                    `values`
`proposals`         proposes questions to choose from                                              `candidates`
`leaf_values`       the cost where plans end: act only, or act and then identify the goal          the kernels above
`steps`             the delay that each action causes                                              all kernels
`beliefs`           the belief after a step or an answer                                           all kernels
`workspace`         `Search`: all that these kernels read and write; the transposition table       all kernels
------------------  ----------------------------------------------------------------------------  --------------------
*Lower bounds:*
`bounds`            the optimum if an oracle named a group of goals that contains the true one     play
`groups`            a tighter bound from random groups, in which questions cost more               play
==================  ============================================================================  ====================
"""
