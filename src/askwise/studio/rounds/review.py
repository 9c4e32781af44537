"""After a round: what the planner, or the proven optimum, would have done and paid, where and why.

Two comparisons. *The same day*: another ego agent plays beside the same teammate, with the same goal, who walks as it
walked in the round (a person's way is done again as a plan). *At every step*: a judge watches the round as it was and
is asked before each step what it would do; where that is something else, its reason is told.

The judge is the optimum where it can be proven in a fraction of a second's worth of states, else the planner.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from askwise.core.answers import TRUTHFUL
from askwise.core.episode import Episode, Step
from askwise.core.problem import JointState, Problem, credible_goals, optimal_costs, teammate_does
from askwise.core.teammates import FixedPlan, Teammate
from askwise.errors import AskwiseError
from askwise.methods import AgentFailed, Decision, Situation, agent_for, decision_and_belief
from askwise.methods.optimal import Optimal
from askwise.methods.paper import Informed
from askwise.play.simulate import simulate
from askwise.studio.rounds.round import ROBUST, Round, belief_beside_people
from askwise.text.wording import number, printable
from askwise.types import FloatArray
from askwise.view.decision_text import question_to_text

SMALL = 20_000
"""States up to which the optimum is worked out for a review."""
MOST_DIFFERENCES = 40


def review(made: Round) -> tuple[Episode, dict[str, Any]]:
    """Return the round as an episode that tells what the judge would have done, and the comparison in numbers.

    In both, the cost with the goal known belongs to the walk that was walked. The comparison's ``optimal`` is the cost
    if the teammate had taken a shortest way, too.
    """
    episode = made.episode()
    judge, name = _judge(episode)
    # The robot has reasons and beliefs of its own, which are what the page should tell.
    told = episode if judge is None or made.robot is not None else _judged(episode, judge)
    known = _goal_known(episode)
    if known is not None:
        told = replace(told, optimal_cost=known)
    found = {
        "cost": episode.cost,
        "optimal": episode.optimal_cost,
        "known": known,
        "finished": episode.finished,
        "methods": _same_day(episode, [name] if judge is not None else []),
        "judge": name,
        "differences": [] if judge is None else _differences(episode, judge)[:MOST_DIFFERENCES],
    }
    return told, found


Judged = list[tuple[Decision, FloatArray | None]]


def _judge(episode: Episode) -> tuple[Judged | None, str]:
    """Return what the judge would do before each step, and its name; None if no judge can follow the round."""
    for name in ("optimal", "planner"):
        try:
            return _watched(episode, name), name
        except AskwiseError:
            continue  # too large to be solved, or a teammate that does what a belief cannot explain
    return None, ""


def _watched(episode: Episode, name: str) -> Judged:
    problem = episode.problem
    if name == "optimal":
        judge: Any = Optimal(belief=ROBUST, limit=SMALL)
    else:
        judge = agent_for(problem, name, belief=belief_beside_people(problem, name))
    judge.reset(problem, 0)
    found: Judged = []
    for t, seen in enumerate(episode.observations, start=1):
        found.append(decision_and_belief(problem, judge, seen, t))
    return found


def _same_day(episode: Episode, names: list[str]) -> list[dict[str, Any]]:
    found = []
    for name in dict.fromkeys([*names, "never"]):
        other = _played_by(name, episode)
        if other is not None:
            found.append(
                {"method": name, "cost": other.cost, "questions": len(other.questions), "finished": other.finished}
            )
    return found


def _goal_known(episode: Episode) -> float | None:
    """Return the cost for an ego agent that knows the goal, beside the same walk; None for an unfinished round."""
    other = _played_by(Informed.name, episode) if episode.finished else None
    return None if other is None or not other.finished else other.cost


def _played_by(name: str, episode: Episode) -> Episode | None:
    """Return the same day with another ego agent, None if that one cannot play it."""
    try:
        return simulate(
            episode.problem.with_answers(TRUTHFUL),
            Optimal(belief=ROBUST, limit=SMALL) if name == "optimal" else name,
            _as_it_walked(episode),
            episode.goal,
            episode.seed,
            belief=None if name == "optimal" else belief_beside_people(episode.problem, name),
        )
    except (AskwiseError, AgentFailed):
        return None


def _as_it_walked(episode: Episode) -> Teammate:
    walked = [
        teammate_does(episode.problem, step.state.teammate, step.teammate_action)
        for step in episode.steps
        if step.teammate_action is not None
    ]
    return FixedPlan(walked)


def _judged(episode: Episode, judged: Judged) -> Episode:
    """Return the person's episode with the judge's belief and reasons at each step."""
    steps = [
        _told(episode.problem, step, after, *seen)
        for step, after, seen in zip(episode.steps, _after(episode), judged, strict=True)
    ]
    return replace(episode, steps=tuple(steps))


def _after(episode: Episode) -> list[JointState]:
    """Return where both were after each step."""
    return [*(step.state for step in episode.steps), episode.final][1:]


def _told(problem: Problem, step: Step, after: JointState, best: Decision, belief: FloatArray | None) -> Step:
    own = step.decision
    why = best.why if _as_good(problem, step, after, best, belief) else f"Better: {best.why}"
    situation = best.situation or (None if belief is None else Situation(problem, step.state, belief))
    shown = replace(
        own,
        why=why,
        value=best.value,
        cost=best.cost if own.ask is None else own.cost,
        considered=best.considered,
        runner_up=best.runner_up,
        verdict=best.verdict,
        situation=situation,
    )
    return replace(step, decision=shown, belief=belief)


def _differences(episode: Episode, judged: Judged) -> list[dict[str, Any]]:
    problem = episode.problem
    return [
        {
            "t": step.t,
            "did": _in_words(problem, step.decision),
            "better": _in_words(problem, best),
            "why": printable(best.why),
        }
        for step, after, (best, belief) in zip(episode.steps, _after(episode), judged, strict=True)
        if not _as_good(problem, step, after, best, belief)
    ]


def _as_good(problem: Problem, step: Step, after: JointState, best: Decision, belief: FloatArray | None) -> bool:
    """Whether a decision was the judge's, or a move after which no possible goal is further away than after its."""
    own = step.decision
    if own.ask is not None or best.ask is not None:
        return own.ask is not None and best.ask is not None and set(own.ask) == set(best.ask)
    if own.action == best.action:
        return True
    assert best.action is not None
    # Where the teammate needs longer than the ego agent anyhow, many moves are as good as each other.
    otherwise = JointState(after.teammate, problem.ego.next(step.state.ego, best.action))
    later = optimal_costs(problem, after) > optimal_costs(problem, otherwise)
    return not bool((later if belief is None else later & credible_goals(problem, belief)).any())


def _in_words(problem: Problem, decision: Decision) -> str:
    if decision.ask is not None:
        price = "" if decision.cost is None else f" (price {number(decision.cost)})"
        return f"ask: {question_to_text(problem.goals, decision.ask)}{price}"
    assert decision.action is not None
    return printable(problem.ego.actions.names[decision.action])
