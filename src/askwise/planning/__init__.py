"""Planning under uncertainty about the teammate's goal: the exact optimum, a search in belief space, lower bounds.

All of them work on one recursion, stated here once; modules refer to it by these names.

**State.** ``(A, w, place, load)``: `A` the goals that are possible, `w` where the teammate is, and where the ego agent
is and what it carries (`askwise.ego`). The teammate draws one of all its shortest plans uniformly (a UROP), so the
belief is a function of `A` and `w` (`askwise.planning.tables`): goal `g` has the weight ``weight[w, g]``, and
``Z_A(w)`` is the sum of the weights of `A`.

**Regret.** If `g` were known, ``R_g = max(d + 1, e)`` steps would be left, `d` the teammate's steps to `g` and `e` the
ego agent's. An action after which the ego agent needs `e'` steps puts the end off by

    r_g = 1 + max(d, e') - R_g  >=  0.

What is paid beyond knowing the goal, in expectation and times ``Z_A(w)``, is the regret

    U(A, w, place, load) = least of
        actions:      sum over g in A of weight[w, g] * r_g  +  sum over next w' of U(A alive at w', w', place', load')
        questions Q:  Z_A(w) * price(Q)  +  U(A in Q, w, place, load)  +  U(A not in Q, w, place, load)

and that of a single goal is 0. Weights make everything a plain sum, nothing is divided. There are no cycles: every
joint step takes the teammate one step further or, when it stays, reveals its goal; every question makes `A` smaller. So
memoised recursion is exact, without sweeps or tolerance. No term is negative, so 0 and every part of a sum bound it
from below.

**Questions.** Asking about a set and asking about the rest of `A` tell the same; ``price(Q)`` is the price of the
cheaper one, and that one is asked (`askwise.planning.tables`).

**No way back.** An action after which a goal of `A` could never be reached costs infinitely much, however unlikely that
goal is. It is never taken: waiting is always there instead. A goal that is out of reach already no longer matters,
nothing can be done about it.

**Loads.** A load that no goal of `A` needs is as good as none: such states are one.

- `reference` is the recursion in plain Python with exact fractions: the rest is tested against it;
- `exact` solves the recursion: every action, every question;
- `search` compares some actions and questions, and ends plans early;
- `bounds` lets an oracle tell groups of goals apart and solves each;
- `groups` draws such groups at random and charges questions for the goals that are not in them.
"""
