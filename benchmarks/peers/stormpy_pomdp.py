"""Problems of askwise as POMDPs for the probabilistic model checker Storm (GPL; askwise itself never imports it).

The goal is hidden. The places of both agents, the number of questions asked and the last reply are observed. A PRISM
program states the rules; Storm computes the beliefs, so those of askwise are not used.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

from askwise.core.problem import Problem

try:
    import stormpy
    import stormpy.pomdp
except ImportError:  # optional: callers check `available` first
    stormpy = None

available = stormpy is not None

Asked = tuple[int, ...] | tuple[tuple[int, ...], ...]
"""The goals of a yes/no question, or the groups of a choice."""


def least_cost(problem: Problem, most: int) -> float:
    """Return the least expected cost with at most `most` questions, by unfolding all beliefs.

    Errors have to be independent, unless `most` is 1.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / "problem.prism"
        path.write_text(program(problem, most), encoding="utf-8")
        parsed = stormpy.parse_prism_program(str(path))
    formula = stormpy.parse_property('R{"cost"}min=? [F phase=2]', parsed)
    pomdp = stormpy.build_model(parsed, [formula])
    found = stormpy.pomdp.verify_with_belief_unfolding(pomdp, formula, environment=stormpy.environments.sound())
    if not found.completed_exploration:
        raise RuntimeError("Storm did not explore all beliefs")
    return float(found.value)


def program(problem: Problem, most: int) -> str:
    """Return a problem with at most `most` questions as a PRISM program."""
    start = problem.start
    teammate, ego = _reached(problem)
    asked = list(_questions(problem))
    used = [a for a in range(len(problem.ego.actions.names)) if any(problem.ego.next(here, a) >= 0 for here in ego)]
    lines = [
        "pomdp",
        "observables phase, w, e, q, r endobservables",
        "module problem",
        "  phase : [0..2] init 0;",
        f"  g : [0..{len(problem.goals) - 1}] init 0;",
        f"  w : [0..{max(teammate)}] init {start.teammate};",
        f"  e : [0..{max(ego)}] init {start.ego};",
        f"  q : [0..{most}] init 0;",
        f"  r : [0..{len(problem.goals) + 3}] init 0;",
        "  [draw] phase=0 -> " + " + ".join(_drawn(problem)) + ";",
        *(line for here in ego for line in _actions(problem, teammate, here)),
        *(line for k, question in enumerate(asked) for line in _asking(problem, k, question, most)),
        "  [over] phase=2 -> true;",
        "endmodule",
        'rewards "cost"',
        *(f"  [act{action}] phase=1 : 1;" for action in used),
        *(f"  [ask{k}] phase=1 : {_price(problem, question)!r};" for k, question in enumerate(asked)),
        "endrewards",
    ]
    return "\n".join(lines)


def _reached(problem: Problem) -> tuple[list[int], list[int]]:
    """Return the states that the teammate and the ego agent can reach."""
    found = []
    for start, following, n in (
        (problem.start.teammate, problem.teammate.next, len(problem.teammate.actions.names)),
        (problem.start.ego, problem.ego.next, len(problem.ego.actions.names)),
    ):
        seen, waiting = {start}, [start]
        while waiting:
            here = waiting.pop()
            onwards = {following(here, action) for action in range(n)} - {-1}
            waiting.extend(onwards - seen)
            seen |= onwards
        found.append(sorted(seen))
    return found[0], found[1]


def _drawn(problem: Problem) -> Iterator[str]:
    for goal, p in enumerate(problem.prior.tolist()):
        if p > 0:
            yield f"{p!r}:(phase'=1)&(g'={goal})"


def _actions(problem: Problem, teammate: list[int], here: int) -> Iterator[str]:
    """Yield a command for each ontic action of the ego agent in one state, each goal and each state of the teammate."""
    for action in range(len(problem.ego.actions.names)):
        there = problem.ego.next(here, action)
        if there < 0:
            continue
        for w in teammate:
            shares = problem.teammate.policy(w)
            for goal in range(len(problem.goals)):
                steps = [(k, float(share)) for k, share in enumerate(shares[goal]) if share > 0]
                if problem.prior[goal] == 0 or not steps:
                    continue
                guard = f"phase=1 & g={goal} & w={w} & e={here}"
                # Actions that lead to the same state need not be merged: Storm adds their probabilities.
                after = " + ".join(_step(problem, goal, w, there, k, share) for k, share in steps)
                yield f"  [act{action}] {guard} -> {after};"


def _step(problem: Problem, goal: int, w: int, ego: int, action: int, share: float) -> str:
    over = (
        action == problem.teammate.actions.stay
        and problem.teammate.steps(w)[goal] == 0
        and problem.ego.steps(ego)[goal] == 0
    )
    if over:
        return f"{share!r}:(phase'=2)&(g'=0)&(r'=0)&(q'=0)&(w'={problem.start.teammate})&(e'={problem.start.ego})"
    return f"{share!r}:(w'={problem.teammate.next(w, action)})&(e'={ego})&(r'=0)"


def _questions(problem: Problem) -> Iterator[Asked]:
    goals = [goal for goal in range(len(problem.goals)) if problem.prior[goal] > 0]
    for n in range(1, len(goals)):
        yield from combinations(goals, n)
    if problem.query_cost.per_option is not None:
        yield tuple((goal,) for goal in goals)


def _price(problem: Problem, asked: Asked) -> float:
    cost = problem.query_cost
    if isinstance(asked[0], tuple):
        assert cost.per_option is not None
        return float(cost.base + cost.per_option * len(asked))
    return float(cost(list(asked)))


def _asking(problem: Problem, k: int, asked: Asked, most: int) -> Iterator[str]:
    """Yield a command for each goal with the probabilities of the replies to a question; reply 1 is a refusal."""
    wrong, refused = problem.answers.wrong, problem.answers.refused
    for goal in range(len(problem.goals)):
        if isinstance(asked[0], tuple):
            true, n = next(j for j, group in enumerate(asked) if goal in group), len(asked)
        else:
            true, n = int(goal in asked), 2
        shares = [(1 - refused) * (1 - wrong if reply == true else wrong / (n - 1)) for reply in range(n)]
        replies = [(1, refused), *((2 + reply, share) for reply, share in enumerate(shares))]
        after = " + ".join(f"{share!r}:(r'={reply})&(q'=q+1)" for reply, share in replies if share > 0)
        yield f"  [ask{k}] phase=1 & g={goal} & q<{most} -> {after};"
