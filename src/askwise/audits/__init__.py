"""Auditing: what every decision of an episode or a conversation cost beyond the best one, given what was known.

**A moment** is what the agent knew before a step: where everybody was, and the belief that the one `Tracker` of askwise
has after all that was seen and heard until then. Whether things turned out well afterwards plays no part.

**A judge** values decisions: ``cost(d)`` is the expected cost, from that moment on, of deciding `d` now and going on as
the judge would,

    cost(act) = what the step adds            +  sum over what may be seen next of   P(seen)  * V(what is known then)
    cost(ask) = the price of the question     +  sum over what may be answered of    P(reply) * V(what is known then)

with `V` the judge's value of a moment. Both the decision that was taken and the others are valued like this, by the
same judge with the same `V`. Costs are counted beyond those of knowing the goal; that part is the same for all
decisions of a moment. For the judge ``optimal``, `V` is the exact optimum (`askwise.planning.exact`), for ``planner``
it is the value of the planner's plan (`askwise.planning.search`): the best that it found, on large maps not the least.

With ``A`` the least cost of acting, ``Q`` the least cost of asking, and ``V = min(A, Q)``:

- the **regret** of a step is ``cost(taken) - V``, never below 0. If a judge that is not exact finds the decision taken
  better than all that it thought of, that decision was the best, and its regret is 0.

With a **tolerance**, so that rounding and indifference are not mistakes:

- **over-asking**: it asked, and ``Q > A + tolerance``: no question was as good as acting;
- **under-asking**: it acted, and ``A > Q + tolerance``: no action was as good as asking;
- **wrong question**: it asked where asking was right (``Q <= A + tolerance``), and its regret is above the tolerance;
- **wrong act**: it acted where acting was right (``A <= Q + tolerance``), and its regret is above the tolerance.

Every step has at most one of these, and every step with a regret above the tolerance has one.

- **precision** of asking: of all questions asked, the share at moments where asking was right, ``Q <= A + tolerance``;
- **recall** of asking: of all moments that called for a question, ``A > Q + tolerance``, the share at which it asked;
- **F1**: their harmonic mean, ``2 * precision * recall / (precision + recall)``.

A share of nothing is not a number, and is shown as a dash.

**What the sum means.** Under the judge ``optimal`` the expected sum of regrets over an agent's episodes is its expected
cost less that of the optimum: what is lost in all is lost step by step, nothing is counted twice, luck is not counted
at all. An action after which a goal that is still possible can never be reached has an infinite regret; such steps are
counted, and left out of sums.

**Who judges.** ``auto`` takes the optimum where the problem is small enough for it, else the planner. Where the
teammate does what no goal explains, the belief goes on as ``robust``, and the judge looks ahead from where everybody
is, as if from then on the teammate took a shortest way. Where answers may be wrong or missing the optimum is that with
a limited number of questions in the whole episode. After the last of them the best decision is an action: an agent that
acts has missed no question. A question beyond the limit is still judged by its price and by what it tells: if it costs
less than the best action, its regret is 0, else it is over-asking. So regrets add up to the cost above that optimum for
agents that keep to the limit; for others their sum is at least that.
"""
