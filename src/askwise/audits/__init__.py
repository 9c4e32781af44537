"""Audits: how much every decision of an episode or a conversation cost beyond the best decision at that time.

The best decision is the one with the least expected cost, given what the agent knew before it decided.

`askwise.audits.judgement.judge_episode` values every decision of one played episode. It yields each step with what was
known before the step (`Moment`) and with what a judge says of the decision (`Judgement`: its expected cost, the best
decision, the regret, the kind of mistake). `askwise.audit` values the decisions of many episodes, files and
conversations, and adds up the results.

**A moment** is what the agent knew before a step: the states of both agents, and its belief (the probability of each
goal) after everything that it had seen and heard. What happened later plays no part.

**A judge** computes what decisions cost. ``cost(d)`` is the expected cost from a moment on if the agent decides `d` now
and the judge makes all later decisions::

    cost(act) = delay caused by the step   +  sum over possible observations of  P(observation) * V(moment after it)
    cost(ask) = price of the question      +  sum over possible replies of       P(reply)       * V(moment after it)

Here `V` is the judge's value of a moment: the expected cost if the judge makes all decisions from then on. The decision
taken and all others are valued with the same `V`. Costs are *marginal*: they leave out what an agent that knows the
goal would also pay, because that amount is the same for all decisions of a moment. For the judge ``optimal``, `V` is
the exact optimum (`askwise.planning.exact`). For the judge ``planner``, `V` is the cost of the best plan that the
planner (`askwise.planning.planner`) found. On large maps there may be better plans.

Let ``A`` be the least cost of acting now, and ``Q`` the least cost of asking now. Then ``V = min(A, Q)``. The
**regret** of a decision is ``cost(decision) - V``, never below 0. If the judge is inexact and the decision is better
than every decision that the judge considered, the regret is 0.

A **tolerance** keeps rounding errors and equally good decisions from counting as mistakes:

- **over-asking**: the agent asked, and ``Q > A + tolerance``: acting was better than every question;
- **under-asking**: the agent acted, and ``A > Q + tolerance``: asking was better than every action;
- **wrong question**: the agent asked, asking was right (``Q <= A + tolerance``), but the regret of its question is
  above the tolerance;
- **wrong act**: the agent acted, acting was right (``A <= Q + tolerance``), but the regret of its action is above the
  tolerance.

Every step has at most one of these mistakes, and every step with a regret above the tolerance has one.

- **precision** of asking: of all questions asked, the share at moments where asking was right, ``Q <= A + tolerance``;
- **recall** of asking: of all moments that called for a question, ``A > Q + tolerance``, the share at which the agent
  asked;
- **F1**: the harmonic mean of precision and recall, ``2 * precision * recall / (precision + recall)``; 0 if both are 0.

If there is nothing to take a share of, the share is ``nan``, which is shown as a dash.

**The sum of regrets.** Under the judge ``optimal``, the expected sum of regrets over an agent's episodes is the agent's
expected cost minus the least expected cost that any agent can have. So every loss is attributed to one step, and luck
is not counted. If a goal that is still possible can never be reached after an action, the regret of the action is
infinite. Such steps are counted, but left out of sums.

**Which judge.** The judge ``auto`` is ``optimal`` if the problem is small enough, and otherwise ``planner``. If the
teammate did something that no goal explains, the belief changes to the kind ``robust``, which allows for random
actions. The judge still plans as if the teammate took a shortest path from then on.

**Limited questions.** If answers may be wrong or missing, the judge ``optimal`` allows only a limited number of
questions per episode. After the last of them the best decision is an action, so an agent that acts then has missed no
question. A question beyond the limit is still judged by its price and by what its answer tells: its regret is 0 if it
costs less than the best action; otherwise it is over-asking. For agents that keep to the limit, regrets add up to the
cost above this optimum. For other agents, the sum of regrets is at least that much.
"""
