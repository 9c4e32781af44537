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

and 0 for a single goal. ``L[a, g]`` is the probability of answer `a` if the goal is `g`, and ``refused`` that of no
answer (`askwise.core.answers`). If answers are true, ``m * L[a]`` is the part of `A` for which `a` is true, no question
is refused, and the number of questions need not be limited. Weights make everything a plain sum; nothing is divided.
There are no cycles: every joint step takes the teammate one step further or, when it stays, reveals its goal; every
question makes `A` or `K` smaller. So memoised recursion is exact, without sweeps or tolerance. No term is negative, so
0 and every part of a sum bound it from below. If all of `m` is multiplied by a number, so is `U`.

**Questions.** A question about a set and one about the rest of `A` give the same information. The cheaper one is asked.
If errors persist, repeating a question gives no new information, so it is not asked again.

**No way back.** An action after which a possible goal could never be reached costs infinitely much, however unlikely
that goal is. It is never taken: the ego agent can always wait instead. A goal that is out of reach already no longer
matters.

**Loads.** A load that no possible goal needs counts as none.

**Modules.** From top to bottom, callers first. The recursion appears line by line in those with a star.

==================  ============================================================================  ====================
module              what it is                                                                    used by
==================  ============================================================================  ====================
`reference` *       the recursion in plain Python with exact fractions: `value`, `act`, `ask`      tests of all others
`tables`            a problem as arrays: weights of goals, steps, prices as sums over goals        all modules below
------------------  ----------------------------------------------------------------------------  --------------------
*The optimum:*
`optimum`           `solve_problem`; `make_solver` picks the solver                                methods, play, audits
`exact`             the interface of both solvers; `Solver`: true answers, yes/no questions        `optimum`, `planner`
`exact_search` *    its kernels: `_try_action`, `try_splits`                                       `exact`
`exact_noisy` *     `LimitedSolver`: other answers, choices, at most `K` questions                 `optimum`, `bounds`
`exact_beliefs`     its beliefs, numbered, and the belief after each answer                        `exact_noisy`
`questions`         all questions for `LimitedSolver`; choices for the planner                     solvers, `planner`
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
`groups`            the same for random groups; questions cost more, for the goals outside         play
==================  ============================================================================  ====================

`LimitedSolver` has beliefs of its own (`exact_beliefs`), because it counts answers exactly; the planner's beliefs round
log-odds to whole units, so that similar beliefs share a value. `exact_search` has a table and a stack of its own: it
forgets nothing, and it can pause.
"""
