"""Audits: how much each decision of an episode or a conversation cost beyond the best decision at that time.

`askwise.audit` judges many episodes and conversations, `askwise.audits.judgement.judge_episode` one episode.

**A moment** is what the agent knew before a step: the states of both agents, and its belief (the probability of each
goal).

**A judge** computes what decisions cost. ``V`` is the expected cost from a moment on if the judge makes all decisions.
``cost(d)`` is the expected cost if the agent decides `d` now and the judge makes all later decisions::

    cost(act) = delay caused by the step   +  sum over possible observations of  P(observation) * V(moment after it)
    cost(ask) = price of the question      +  sum over possible replies of       P(reply)       * V(moment after it)

Costs are *marginal*: they leave out what an agent that knows the goal would also pay. There are three judges:

- ``optimal``: `V` is the exact optimum (`askwise.planning.exact`);
- ``planner``: `V` is the cost of the best plan that the planner (`askwise.planning.planner`) finds;
- ``auto``: ``optimal`` if the problem is small enough, otherwise ``planner``.

**Regret.** Let ``A`` be the least cost of acting now, and ``Q`` that of asking now. Then ``V = min(A, Q)``. The regret
of a decision is ``cost(decision) - V``, at least 0. It is infinite if a possible goal can never be reached after the
agent's action. Infinite regrets are counted, but left out of sums.

**Mistakes.** A tolerance allows for rounding errors and equally good decisions. Every decision with a regret above
the tolerance is exactly one of these mistakes:

- **over-asking**: the agent asked, and ``Q > A + tolerance``;
- **under-asking**: the agent acted, and ``A > Q + tolerance``;
- **wrong question**: the agent asked, and ``Q <= A + tolerance``;
- **wrong act**: the agent acted, and ``A <= Q + tolerance``.

**Shares** say how well the agent asks. A share of nothing is ``nan``, shown as a dash:

- **precision**: of all questions asked, the share at moments with ``Q <= A + tolerance``;
- **recall**: of all moments with ``A > Q + tolerance``, the share at which the agent asked;
- **F1**: the harmonic mean of precision and recall; 0 if both are 0.

**The sum of regrets.** Under the judge ``optimal``, an agent's expected sum of regrets is its expected cost minus the
least expected cost of any agent.

**Surprises.** If the teammate does something that no goal explains, the belief changes to the kind ``robust``, which
allows for random actions. The judge still plans as if the teammate took a shortest path from then on.

**Limited questions.** If answers may be wrong or missing, the judge ``optimal`` limits the questions per episode. A
question beyond the limit has regret 0 if it costs less than the best action; otherwise it is over-asking. If an agent
exceeds the limit, its sum of regrets is at least its cost above the optimum with this limit.
"""
