"""The review of a round: what other ego agents would have paid, and which decisions were mistakes.

For the other ego agents, the goal is the same, and the teammate repeats its moves of the round. A judge rates each
decision by its expected cost, given what the ego agent could know then. The judge is the exact optimum for small
problems, otherwise the planner.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from askwise.audits.judgement import SMALL, JudgeCache, Judgement, Taken
from askwise.audits.moments import Moment, moments
from askwise.audits.results import OVER_ASKING, UNDER_ASKING, WRONG_ACT, WRONG_QUESTION
from askwise.core.answers import TRUTHFUL
from askwise.core.episode import Episode, Step
from askwise.core.problem import Problem, teammate_does
from askwise.core.teammates import FixedPlan
from askwise.errors import AskwiseError
from askwise.methods import AgentFailed, Situation
from askwise.methods.paper import Informed
from askwise.methods.planning_agents import Optimal
from askwise.play.simulate import simulate
from askwise.studio.rounds.round import ROBUST, Round, belief_with_people
from askwise.text.wording import number, printable
from askwise.view.decision_text import question_to_text

MOST_MISTAKES = 40
"""Mistakes that the page lists; later ones are left out."""
REASONS = {
    OVER_ASKING: "No question was worth its price here",
    UNDER_ASKING: "A question was worth its price here",
    WRONG_QUESTION: "Another question was worth more",
    WRONG_ACT: "Another action was better",
}

JudgedStep = tuple[Step, Moment, Judgement]


def review(made: Round) -> tuple[Episode, dict[str, Any]]:
    """Return the round as an episode for the page that steps through it, and the review of the round as JSON.

    A judge (the exact optimum for small problems, otherwise the planner) rates the ego agent's decisions. If the person
    played the ego agent, the episode shows the judge's belief and verdicts.

    Keys of the review:

    - ``cost``, ``finished``: the cost of the round, and whether both agents reached their targets;
    - ``optimal``: the cost with the goal known and a shortest path of the teammate;
    - ``known``: the cost of an ego agent that knows the goal, with the teammate's moves of the round; None if the round
      or this agent does not finish. If not None, it is also the episode's `known_cost`;
    - ``methods``: results of the judge and of the method ``never`` with the same moves of the teammate: dicts with
      ``method``, ``cost``, ``questions`` (their number) and ``finished``;
    - ``judge``: its name; empty if no judge can rate this round;
    - ``differences``: the first `MOST_MISTAKES` mistakes: dicts with ``t`` (the step, from 1), ``did``, ``better``,
      ``why``.
    """
    episode = made.episode()
    judge, judged = _judged(episode)
    page = episode
    if judged and made.robot is None:  # a robot has its own beliefs and reasons, which the page should show
        page = replace(episode, steps=tuple(_explained(episode.problem, *each) for each in judged))
    known = _cost_with_goal_known(episode)
    if known is not None:
        page = replace(page, known_cost=known)
    mistakes = [_mistake(episode.problem, *each) for each in judged if each[2].fault]
    return page, {
        "cost": episode.cost,
        "optimal": episode.known_cost,
        "known": known,
        "finished": episode.finished,
        "methods": _same_walk(episode, [judge, "never"] if judge else ["never"]),
        "judge": judge,
        "differences": mistakes[:MOST_MISTAKES],
    }


# -- the same walk -----------------------------------------------------------------------------------------------


def _same_walk(episode: Episode, methods: list[str]) -> list[dict[str, Any]]:
    """Return the results of methods that play the ego agent while the teammate repeats its moves of the episode.

    They are dicts with ``method``, ``cost``, ``questions`` (their number) and ``finished``. Methods that fail are left
    out.
    """
    played = ((method, _played_by(method, episode)) for method in methods)
    return [
        {"method": method, "cost": other.cost, "questions": len(other.questions), "finished": other.finished}
        for method, other in played
        if other is not None
    ]


def _cost_with_goal_known(episode: Episode) -> float | None:
    """Return the cost of an ego agent that knows the goal while the teammate repeats its moves of the episode.

    Return None if the episode is unfinished, or if this ego agent does not finish.
    """
    other = _played_by(Informed.name, episode) if episode.finished else None
    return None if other is None or not other.finished else other.cost


def _played_by(method: str, episode: Episode) -> Episode | None:
    """Return the episode that `method` plays as ego agent while the teammate repeats its moves of `episode`.

    Returns None if the method fails, for instance because it cannot play this problem.
    """
    problem = episode.problem
    walk = [
        teammate_does(problem, step.state.teammate, step.teammate_action)
        for step in episode.steps
        if step.teammate_action is not None
    ]
    try:
        return simulate(
            problem.with_answers(TRUTHFUL),
            Optimal(belief=ROBUST, limit=SMALL) if method == "optimal" else method,
            FixedPlan(walk),
            episode.goal,
            episode.seed,
            belief=None if method == "optimal" else belief_with_people(problem, method),
        )
    except (AskwiseError, AgentFailed):
        return None


# -- step by step ------------------------------------------------------------------------------------------------


def _judged(episode: Episode) -> tuple[str, list[JudgedStep]]:
    """Return the name of the judge of the ego agent's decisions, and for each step a triple.

    A triple has the step, the situation before it, and the rating of its decision. Without a judge, both results are
    empty.
    """
    try:
        judges = JudgeCache(episode.problem, "auto")
        return judges.judge.name, [
            (step, moment, judges.judged(moment, _decision(step))) for step, moment in moments(episode)
        ]
    except AskwiseError:  # too large for every judge, or a teammate whose moves no belief can explain
        return "", []


def _decision(step: Step) -> Taken:
    taken = step.decision.action if step.decision.ask is None else step.decision.ask
    assert taken is not None
    return taken


def _mistake(problem: Problem, step: Step, _: Moment, judgement: Judgement) -> dict[str, Any]:
    return {
        "t": step.t,
        "did": _decision_text(problem, _decision(step)),
        "better": _decision_text(problem, judgement.best),
        "why": _reason(judgement),
    }


def _reason(judgement: Judgement) -> str:
    if math.isinf(judgement.regret):
        return "After this, a goal that was still possible can no longer be reached."
    return f"{REASONS[judgement.fault]}: {judgement.regret:.2f} lost in expectation."


def _explained(problem: Problem, step: Step, moment: Moment, judgement: Judgement) -> Step:
    """Return a copy of a person's step with the judge's belief (in `moment`) and verdict."""
    best, why = judgement.best, "No decision was better."
    if judgement.fault:
        why = f"Better: {_decision_text(problem, best)}. {_reason(judgement)}"
    decision = replace(
        step.decision,
        why=why,
        considered=None if isinstance(best, int) else best,
        situation=Situation(problem, step.state, moment.belief),
    )
    return replace(step, decision=decision, belief=moment.belief)


def _decision_text(problem: Problem, taken: Taken) -> str:
    if isinstance(taken, int):
        return printable(problem.ego.actions.names[taken])
    return f"ask: {question_to_text(problem.goals, taken)} (price {number(problem.query_cost(taken))})"
