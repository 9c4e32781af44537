"""Simulation: a problem, a teammate and an agent play an `Episode`.

With the same seed, two agents meet the same goal and the same path of the teammate, whatever they ask.
"""

from __future__ import annotations

import numpy as np

from askwise.core.answers import AnswerModel
from askwise.core.episode import Episode, Step
from askwise.core.game import Game, InvalidDecision, goal_number
from askwise.core.problem import Problem
from askwise.core.question_json import parse_answers
from askwise.core.teammates import Teammate, teammate_for
from askwise.methods import Agent, Decision, agent_for, blaming, checked_name, decision_and_belief, start_agent
from askwise.methods.checked import blame
from askwise.methods.third_party import line_text, source_line
from askwise.model.names import as_int
from askwise.seeds import Seed, spawn
from askwise.types import FloatArray


def simulate(
    problem: Problem,
    method: str | Agent = "planner",
    teammate: str | Teammate | None = None,
    goal: int | str | None = None,
    seed: Seed = None,
    *,
    belief: str | None = None,
    max_steps: int | None = None,
    answers: str | AnswerModel | None = None,
) -> Episode:
    """Play one episode and return it.

    Args:
        problem: the problem; `askwise.simulate` also takes an instance of any domain, or the path of its file.
        method: the ego agent, or the name of its method (`askwise.methods.methods` lists them).
        teammate: the teammate, or its name (`askwise.core.teammates` lists them), such as ``noisy:0.1``. By default it
            follows the policies of the problem, or draws a shortest plan.
        goal: the teammate's goal, by name or index; by default drawn from the prior.
        seed: makes the episode repeatable.
        belief: ``elimination``, ``bayes`` or ``robust``, if `method` is a name. By default ``robust`` if the teammate
            may leave its shortest paths, otherwise that of the method.
        max_steps: the episode is cut off after so many steps; by default far more than needed.
        answers: an `AnswerModel`, or text such as ``wrong:0.05`` (see `answering`); by default that of the problem.
    """
    problem = answering(problem, answers)
    other = teammate_for(problem, teammate)
    # The stream for answers is spawned only if answers are random, so that other episodes keep their random numbers.
    for_goal, for_teammate, for_agent, *for_answers = spawn(seed, 3 if problem.answers.truthful else 4)
    truth = chosen_goal(problem, goal, for_goal)
    with blaming(other, "errs", kind="teammate"):
        errs = other.errs(problem, truth)
    player = agent_for(problem, method, belief=belief, errs=errs)
    with blaming(other, "reset", kind="teammate"):
        other.reset(problem, truth, for_teammate)
    names = start_agent(problem, player, for_agent, truth), checked_name(other, "teammate")
    game = Game(
        problem,
        truth,
        max_steps=max_steps,
        names=(f"agent {names[0]!r}", f"teammate {names[1]!r}"),
        answer_seed=for_answers[0] if for_answers else None,
    )
    steps = _play(game, player, other)
    return Episode(
        problem=problem,
        method=names[0],
        teammate=names[1],
        goal=truth,
        seed=as_int(seed),
        steps=tuple(steps),
        final=game.state,
        known_cost=game.known_cost,
        finished=game.finished,
    )


def answering(problem: Problem, answers: str | AnswerModel | None) -> Problem:
    """Return a copy of the problem with another answer model; if `answers` is None, return `problem` itself.

    As text, `answers` is ``truthful``, or parts separated by commas: ``wrong:E`` (the probability of a wrong answer),
    ``refused:R`` (of no answer), and ``persistent`` (the same question always gets the same answer).
    """
    if answers is None:
        return problem
    return problem.with_answers(parse_answers(answers) if isinstance(answers, str) else answers)


def _play(game: Game, player: Agent, other: Teammate) -> list[Step]:
    steps: list[Step] = []
    while not game.over:
        problem, seen, t = game.problem, game.observation, game.steps + 1
        decision, belief = decision_and_belief(problem, player, seen, t, steps[-1].belief if steps else None)
        steps.append(_step(game, decision, belief, other))
    return steps


def _step(game: Game, decision: Decision, belief: FloatArray | None, other: Teammate) -> Step:
    state = game.state
    if decision.ask is not None:
        game.ask(decision.ask)
    else:
        assert decision.action is not None
        action = _teammate_action(other, state.teammate, game.steps + 1)
        try:
            game.act(decision.action, action)
        except InvalidDecision as error:  # the teammate's action: the decision was checked before
            raise InvalidDecision(f"{error}{line_text(source_line(other, 'act'))}") from None
    return Step(game.steps, state, belief, decision, game.teammate_action, game.answer, game.step_cost)


def _teammate_action(other: Teammate, state: int, t: int) -> int:
    """Return the action that the teammate `other` chooses in its state `state` at step `t`.

    The action is not checked here: it may be unavailable in this state.
    """
    try:
        action = other.act(state)
        number = as_int(action)
    except BaseException as error:
        blame(other, "act", error, t, "teammate")
        raise
    return action if number is None else number


def chosen_goal(problem: Problem, goal: int | str | None, rng: np.random.Generator) -> int:
    """Return the index of a goal given by name or index; if `goal` is None, draw a goal from the prior."""
    if goal is None:
        return int(rng.choice(len(problem.goals), p=problem.prior))
    return goal_number(problem, goal)
