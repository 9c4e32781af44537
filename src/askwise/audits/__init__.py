"""Audits: how much every decision of an episode or a conversation cost beyond the best decision at that time.

`askwise.audits.judgement.judge_episode` judges every decision of one episode. `askwise.audit` judges the decisions of
many episodes, files and conversations, and adds up the results.

**A moment** is what the agent knew before a step: the states of both agents, and its belief (the probability of each
goal).

**A judge** computes what decisions cost. ``V`` is the expected cost from a moment on if the judge makes all decisions.
``cost(d)`` is the expected cost if the agent decides `d` now and the judge makes all later decisions::

    cost(act) = delay caused by the step   +  sum over possible observations of  P(observation) * V(moment after it)
    cost(ask) = price of the question      +  sum over possible replies of       P(reply)       * V(moment after it)

Costs are *marginal*: they leave out what an agent that knows the goal would also pay. For the judge ``optimal``, `V` is
the exact optimum (`askwise.planning.exact`). For the judge ``planner``, `V` is the cost of the best plan that the
planner (`askwise.planning.planner`) found. The judge ``auto`` is ``optimal`` if the problem is small enough, otherwise
``planner``.

Let ``A`` be the least cost of acting now, and ``Q`` the least cost of asking now. Then ``V = min(A, Q)``. The
**regret** of a decision is ``cost(decision) - V``, never below 0.

**Mistakes** allow a tolerance for rounding errors and equally good decisions:

- **over-asking**: the agent asked, and ``Q > A + tolerance``;
- **under-asking**: the agent acted, and ``A > Q + tolerance``;
- **wrong question**: the agent asked, ``Q <= A + tolerance``, but the regret of its question is above the tolerance;
- **wrong act**: the agent acted, ``A <= Q + tolerance``, but the regret of its action is above the tolerance.

Every step with a regret above the tolerance has exactly one of these mistakes. Shares say how well the agent asks:

- **precision** of asking: of all questions asked, the share at moments with ``Q <= A + tolerance``;
- **recall** of asking: of all moments with ``A > Q + tolerance``, the share at which the agent asked;
- **F1**: the harmonic mean of precision and recall; 0 if both are 0.

A share of nothing is ``nan``, shown as a dash.

**The sum of regrets.** Under the judge ``optimal``, the expected sum of regrets over an agent's episodes is the agent's
expected cost minus the least expected cost of any agent. The regret is infinite if a possible goal can never be reached
after an action. Such steps are counted, but left out of sums.

**Surprises.** If the teammate did something that no goal explains, the belief changes to the kind ``robust``, which
allows for random actions. The judge still plans as if the teammate took a shortest path from then on.

**Limited questions.** If answers may be wrong or missing, the judge ``optimal`` allows a limited number of questions
per episode. A question beyond the limit has regret 0 if it costs less than the best action; otherwise it is
over-asking. For agents that exceed the limit, the sum of regrets is at least the cost above this optimum.
"""
