"""Audits: what every decision of an episode or a conversation cost beyond the best one, given what was known.

To value every decision of one played episode, call `askwise.audits.judgement.judge_episode`: it yields each step with
what was known before it (`Moment`) and with what the judge says of the decision (`Judgement`: its expected cost, the
best decision, the regret, the kind of mistake). `askwise.audit` does so for many episodes, files and conversations, and
adds up the results.

**A moment** is what the agent knew before a step: where both agents were, and the belief of a `Tracker` after
everything that was seen and heard until then. What happened later plays no part.

**A judge** values decisions. ``cost(d)`` is the expected cost, from that moment on, of deciding `d` now and of letting
the judge decide everything after it:

    cost(act) = delay caused by the step   +  sum over possible observations of  P(observation) * V(moment after it)
    cost(ask) = price of the question      +  sum over possible replies of       P(reply)       * V(moment after it)

with `V` the judge's value of a moment. The decision taken and all others are valued with the same `V`. Costs are
marginal costs: they are what is paid beyond the cost with the goal known, which is the same for all decisions of a
moment. For the judge ``optimal``, `V` is the exact optimum (`askwise.planning.exact`). For ``planner`` it is the value
of the best plan that the planner found (`askwise.planning.planner`), which on large maps need not be the least.

With ``A`` the least cost of acting now, ``Q`` the least cost of asking now, and ``V = min(A, Q)`` the value of the
moment:

- the **regret** of a step is ``cost(taken) - V``, never below 0. If the decision taken is better than every decision
  that an inexact judge thought of, its regret is 0.

A **tolerance** keeps rounding and indifference from counting as mistakes:

- **over-asking**: the agent asked, and ``Q > A + tolerance``: acting was better than every question;
- **under-asking**: the agent acted, and ``A > Q + tolerance``: asking was better than every action;
- **wrong question**: asking was right (``Q <= A + tolerance``), but the regret of the question asked is above the
  tolerance;
- **wrong act**: acting was right (``A <= Q + tolerance``), but the regret of the action taken is above the tolerance.

Every step has at most one of these, and every step with a regret above the tolerance has one.

- **precision** of asking: of all questions asked, the share at moments where asking was right, ``Q <= A + tolerance``;
- **recall** of asking: of all moments that called for a question, ``A > Q + tolerance``, the share at which the agent
  asked;
- **F1**: their harmonic mean, ``2 * precision * recall / (precision + recall)``, 0 if both are 0.

A share of nothing is ``nan``, and is shown as a dash.

**The sum of regrets.** Under the judge ``optimal`` the expected sum of regrets over an agent's episodes is its expected
cost minus that of the optimum: every loss is attributed to one step, and luck is not counted. An action after which a
goal that is still possible can never be reached has an infinite regret. Such steps are counted, and left out of sums.

**Which judge.** ``auto`` takes the optimum if the problem is small enough, and the planner otherwise. If no goal
explains what the teammate did, the belief becomes ``robust``, which allows for random actions of the teammate; but the
judge plans as if the teammate took a shortest path from then on. If answers may be wrong or missing, the optimum allows
only a limited number of questions per episode. After the last of them the best decision is an action, so an agent that
acts then has missed no question. A question beyond the limit is still judged by its price and by its information: its
regret is 0 if it costs less than the best action, otherwise it is over-asking. So regrets add up to the cost above that
optimum for agents that keep to the limit; for other agents their sum is at least that.
"""
