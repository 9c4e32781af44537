"""A step, an answer, the end: stepped from outside."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable

import numpy as np
import pytest

import askwise
from askwise import simulate
from askwise.core.game import Game, InvalidDecision
from askwise.core.problem import Problem
from askwise.core.questions import Answer
from askwise.core.teammates import Urop
from askwise.domains.tool_fetching import ToolFetching
from askwise.errors import AskwiseError
from askwise.methods import make_agent
from askwise.seeds import spawn
from tests.graphs import random_problem
from tests.refused import assert_refused
from tests.tool_fetching import workshop

PROBLEMS: dict[str, Callable[[], Problem]] = {
    "tool fetching": lambda: ToolFetching(workshop(prior="far")),
    "coverage": lambda: askwise.Coverage("A..#.B\n..W...\n....F.\nC....A"),
    "graph": lambda: random_problem(4),
}


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("method", ["never", "baseline", "ezq", "planner"])
def test_stepped_from_outside_it_is_the_episode_that_simulate_plays(name: str, method: str) -> None:
    """A test is the teammate here, and the game is pickled between any two steps."""
    problem = PROBLEMS[name]()
    episode = simulate(problem, method, seed=7)
    _, for_teammate, for_agent = spawn(7, 3)
    teammate, agent = Urop(), make_agent(method)
    teammate.reset(problem, episode.goal, for_teammate)
    agent.reset(problem, for_agent)
    game = Game(problem, episode.goal)
    for step in episode.steps:
        assert game.state == step.state
        decision = agent.decide(game.observation)
        assert decision == step.decision
        if decision.ask is not None:
            game.ask(decision.ask)
        else:
            assert decision.action is not None
            game.act(decision.action, teammate.act(game.state.teammate))
        game = pickle.loads(pickle.dumps(game))
        assert (game.steps, game.step_cost, game.answer) == (step.t, step.cost, step.answer)
    assert game.finished
    assert game.over
    assert (game.state, game.cost, game.marginal_cost) == (episode.final, episode.cost, episode.marginal_cost)


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_game_that_does_not_know_the_goal_ends_where_the_one_that_does_ends(name: str) -> None:
    """As on a robot: a person moves and answers, and nobody tells the game what for."""
    problem = PROBLEMS[name]()
    for seed in range(5):
        episode = simulate(problem, "baseline", seed=seed)
        game = Game(problem)
        for step in episode.steps:
            assert not game.over
            if step.answer is not None:
                game.hear(step.answer)
            else:
                assert step.decision.action is not None
                assert step.teammate_action is not None
                game.act(step.decision.action, step.teammate_action)
        assert game.finished
        assert game.goal == episode.goal
        assert game.cost == episode.cost


def test_answers_are_truthful_and_nobody_moves() -> None:
    problem = ToolFetching(workshop(query_cost={"base": 0.5, "per_station": 0.25}))
    game = Game(problem, "B")
    seen = game.ask((0, 1))
    assert seen.answer == Answer((0, 1), True)
    assert seen.state == problem.start
    assert game.allowed.tolist() == [True, True, False]
    assert (game.cost, game.steps, game.finished) == (1.0, 1, False)
    assert math.isnan(game.marginal_cost)
    assert game.known_cost == 8


def test_it_is_cut_off() -> None:
    problem = ToolFetching(workshop())
    game = Game(problem, 0, max_steps=2)
    for _ in range(2):
        game.act(problem.ego.actions.stay, problem.teammate.actions.names.index("NOOP"))
    assert game.over
    assert game.truncated
    with pytest.raises(AskwiseError, match=r"^the game is cut off after 2 steps; start another one$"):
        game.ask((0,))


def test_what_can_be_done_now() -> None:
    problem = ToolFetching(workshop())
    game = Game(problem, 0)
    assert [problem.teammate.actions.names[a] for a in game.teammate_available()] == ["NORTH", "EAST", "NOOP"]
    assert problem.ego.actions.stay in game.ego_available()
    assert all(problem.ego.next(game.state.ego, a) >= 0 for a in game.ego_available())


FAULTS: dict[str, tuple[Callable[[Game], object], str]] = {
    "the ego agent leaves the map": (
        lambda game: game.act(2, 0),
        r"^step 1: the ego agent chose SOUTH, which is not available there$",
    ),
    "no such action": (
        lambda game: game.act(99, 0),
        r"^step 1: the ego agent chose action 99; expected a number from 0 to 7$",
    ),
    "the teammate leaves the map": (
        lambda game: game.act(4, 3),
        r"^step 1: the teammate chose WEST, which is not available there$",
    ),
    "a question about nothing": (
        lambda game: game.ask(()),
        r"^step 1: the ego agent asked about goals \[\]; expected some of 0 to 2, each once$",
    ),
    "a question about everything": (
        lambda game: game.ask((2, 0, 1)),
        r"^step 1: the ego agent asked whether it is one of all 3 goals; expected a question with two answers$",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_the_rules_do_not_allow_is_refused_and_changes_nothing(fault: str) -> None:
    attempt, message = FAULTS[fault]
    game = Game(ToolFetching(workshop()), 0)
    with pytest.raises(InvalidDecision, match=message):
        attempt(game)
    assert (game.steps, game.cost, game.state) == (0, 0.0, game.problem.start)


def test_a_game_that_does_not_know_the_goal_does_not_answer() -> None:
    game = Game(ToolFetching(workshop()))
    with pytest.raises(AskwiseError, match=r"^the game does not know the goal, so it cannot answer"):
        game.ask((0,))
    assert math.isnan(game.known_cost)
    assert np.all(game.allowed)


def test_it_takes_what_describes_a_problem_and_says_how_it_stands() -> None:
    game = Game(ToolFetching(workshop()), "A")
    assert repr(game) == "<Game: 0 steps, cost 0, running>"
    game.ask((0,))
    assert repr(game) == "<Game: 1 step, cost 0.5, running>"
    assert_refused(
        lambda: game.hear(True),  # type: ignore[arg-type]
        "answer: found True; expected an askwise.Answer: the question, and the reply to it",
    )
