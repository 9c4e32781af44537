"""`askwise.ask`: what a method would do now, and why.

`ask` lets an agent observe the past of an episode, and then asks it for its decision. The past is either

- a `history`, the observations from the start on (`Episode.observations`). The agent decides at each of them again, so
  it has the same cached plans and random choices;
- or the teammate's current state (`teammate_at`) or all its actions (`seen`), and the answers (`answered`).

If only the teammate's current state is given, the teammate is assumed to have taken a shortest path (`likeliest_path`).
If the teammate draws its shortest plans uniformly, two kinds of belief are the same for all these paths. Let ``d`` be
the number of steps between states, ``P0`` the prior, and ``N_g`` the number of shortest paths to goal `g`:

- `elimination`: the goals with ``d(start, now) + d(now, g) = d(start, g)``, in proportion to ``P0(g)``;
- `bayes`: in proportion to ``P0(g) N_g(now) / N_g(start)``.

The third kind, `robust`, allows for detours and depends on the path.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise.core.answers import check_reply
from askwise.core.belief import Observation
from askwise.core.game import check_question, check_teammate_action
from askwise.core.problem import JointState, Problem, credible_goals, joint_state, teammate_names
from askwise.core.questions import Answer
from askwise.errors import InputError, did_you_mean
from askwise.methods import (
    Agent,
    Decision,
    KnowsGoal,
    agent_for,
    blaming,
    checked_decision,
    decision_and_belief,
    methods,
    start_agent,
)
from askwise.model import state_names, urop
from askwise.model.names import as_int
from askwise.seeds import Seed, spawn
from askwise.types import BoolArray, FloatArray, StateLike
from askwise.workers import heartbeat

GoalName = int | str
Answered = Answer | tuple[Iterable[GoalName] | GoalName, bool | None]
"""An answer, or a pair of the goals asked about (by name or index) and the reply: yes, no, or None for no answer."""


@dataclass(frozen=True, slots=True)
class InferredPath:
    """The shortest path that the teammate is assumed to have taken to its current state, and how many goals explain it.

    Attributes:
        start: first state of the path.
        explained: number of goals of positive prior for which every step is optimal.
        of: number of all goals of positive prior.
    """

    start: int
    explained: int
    of: int


@dataclass(frozen=True, slots=True, eq=False)
class Advice:
    """The decision that a method makes in a given situation, and its reason.

    Attributes:
        problem: the problem.
        method: name of the agent.
        state: the states of both agents.
        decision: the decision, why it was made, whether a question was allowed, and when it may pay off.
        belief: ``float64 [n_goals]``, None if the agent shows none.
        way: the assumed path; None unless only the teammate's current state was given.
    """

    problem: Problem
    method: str
    state: JointState
    decision: Decision
    belief: FloatArray | None
    way: InferredPath | None = None

    @property
    def ask(self) -> tuple[str, ...] | None:
        """Names of the goals to ask about; None if the decision is to act.

        If the question is a multiple-choice question about groups of goals, use `decision.ask` instead, which has the
        groups.
        """
        return None if self.decision.ask is None else tuple(self.problem.goals[goal] for goal in self.decision.ask)

    @property
    def action(self) -> str | None:
        """Name of the action to take; None if the decision is to ask."""
        action = self.decision.action
        return None if action is None else self.problem.ego.actions.names[action]

    @property
    def why(self) -> str:
        """The reason for the decision, in one sentence."""
        return self.decision.why

    @property
    def possible(self) -> BoolArray | None:
        """The goals that the agent considers possible, ``bool [n_goals]``; None if it shows no belief."""
        return None if self.belief is None else credible_goals(self.problem, self.belief)

    def __str__(self) -> str:
        what = f"do {self.action}" if self.ask is None else f"ask about {', '.join(self.ask)}"
        return f"{what}\n{self.why}"


def ask(
    problem: Problem,
    method: str | Agent = "planner",
    *,
    history: Iterable[Observation] = (),
    teammate_at: StateLike | None = None,
    seen: Sequence[StateLike] = (),
    ego_at: StateLike | None = None,
    answered: Iterable[Answered] = (),
    seed: Seed = 0,
    belief: str | None = None,
) -> Advice:
    """Return the decision of a method in the current situation, and its reason.

    Args:
        problem: the problem; `askwise.ask` also takes an instance of any domain, or the path of its file.
        method: the agent, or the name of its method (`askwise.methods.methods` lists them).
        history: what the agent observed at the start and after each step (`Episode.observations`); not together with
            `teammate_at`, `seen`, `ego_at` or `answered`.
        teammate_at: current state of the teammate; without `seen`, a shortest path to it is assumed.
        seen: all actions of the teammate, by name or index.
        ego_at: current state of the ego agent, by default its start.
        answered: all answers: each an `Answer`, or the goals asked about (names or indices) and True, False, or None
            for no answer.
        seed: seed of the agent's random choices; with `history`, use that of the episode.
        belief: ``elimination``, ``bayes`` or ``robust``, if `method` is a name. By default ``robust`` if the problem
            states policies for the teammate, otherwise that of the method.
    """
    agent = _asked(problem, method, belief=belief)
    name = start_agent(problem, agent, spawn(seed, 3)[2])
    heard, observations = list(answered), list(history)
    if not observations:
        path = _path(problem, teammate_at, seen)
        here = joint_state(problem, None, ego_at).ego
        observations = [*_observations(problem, path, here), *(_after(problem, path, here, each) for each in heard)]
        for t, observation in enumerate(observations[:-1], start=1):
            with blaming(agent, "watch", t), heartbeat.deciding:
                agent.watch(observation)
        inferred = None if seen or not path else _explained(problem, path)
        return _advice(problem, agent, observations, inferred, name)
    if teammate_at is not None or len(seen) or ego_at is not None or heard:
        raise InputError("history", "a history together with what was seen or answered", "one of the two")
    for t, observation in enumerate(observations[:-1], start=1):
        checked_decision(problem, agent, observation, t)
    return _advice(problem, agent, observations, None, name)


def _asked(problem: Problem, method: str | Agent, **options: Any) -> Agent:
    agent = agent_for(problem, method, **options)
    if isinstance(agent, KnowsGoal):
        others = [name for name in methods() if name != agent.name]
        found = f"{agent.name!r}, which knows the goal and has nothing to find out"
        raise InputError("method", found, f"one of {', '.join(map(repr, others))}")
    return agent


def _advice(
    problem: Problem, agent: Agent, observations: Sequence[Observation], path: InferredPath | None, name: str
) -> Advice:
    state, t = observations[-1].state, len(observations)
    decision, belief = decision_and_belief(problem, agent, observations[-1], t)
    return Advice(problem, name, state, decision, belief, path)


# -- the past ------------------------------------------------------------------------------------------------------

Steps = list[tuple[int, int]]
"""A path of the teammate: pairs of a state and the action taken there, from the start on."""


def _path(problem: Problem, teammate: StateLike | None, seen: Sequence[StateLike]) -> Steps:
    """Return the teammate's path to its current state as pairs of a state and an action, from the start on.

    The path has the actions `seen`, by name or index. If there are none, it is a likely path to the state `teammate`,
    or empty if that is None.
    """
    if not len(seen):
        return [] if teammate is None else likeliest_path(problem, joint_state(problem, teammate, None).teammate)
    path: Steps = []
    here = problem.start.teammate
    for k, name in enumerate(seen, start=1):
        action = _action(problem, here, name, f"action {k} of those seen")
        check_teammate_action(problem, here, action, f"action {k} of those seen: the teammate")
        path.append((here, action))
        here = problem.teammate.next(here, action)
    if teammate is not None and joint_state(problem, teammate, None).teammate != here:
        where = problem.teammate.model.name(here)
        raise InputError("teammate", repr(teammate), f"{where!r}, where the actions seen lead, or nothing")
    return path


def likeliest_path(problem: Problem, end: int) -> Steps:
    """Return a likely shortest path of the teammate from its start to the state `end`: pairs of a state and an action.

    In every state, the action is the one with which most shortest paths to `end` begin.
    """
    model, here = problem.teammate.model, problem.start.teammate
    towards = urop(model, state_names(model, [end]))
    if not towards.defined[here]:
        where = (repr(model.name(state)) for state in (end, here))
        raise InputError("teammate", "{}, with no path to it from {}".format(*where), "a state that it can be in")
    path: Steps = []
    while here != end:
        path.append((here, int(towards.probabilities[here].argmax())))
        here = problem.teammate.next(*path[-1])
    return path


def _action(problem: Problem, teammate: int, given: StateLike, field: str) -> int:
    names = teammate_names(problem, teammate)
    number = names.index(given) if given and given in names else as_int(given)
    if number is None or not 0 <= number < len(names):
        allowed = f"one of {', '.join(repr(name) for name in names if name)}"
        raise InputError(field, repr(given), allowed + did_you_mean(str(given), names))
    return number


def _observations(problem: Problem, path: Steps, ego: int) -> Iterator[Observation]:
    """Yield the ego agent's observations of the teammate's path, as if the ego agent had stayed in its current state.

    `path` has pairs of a state of the teammate and its action; `ego` is the ego agent's current state.
    """
    yield Observation(JointState(problem.start.teammate, ego))
    for state, action in path:
        yield Observation(JointState(problem.teammate.next(state, action), ego), action)


def _after(problem: Problem, path: Steps, ego: int, given: Answered) -> Observation:
    """Return the observation that the ego agent makes when it hears an answer after the teammate's path.

    `ego` is the ego agent's current state. `given` is the answer, or a pair of the goals asked about and the reply.
    """
    teammate = problem.teammate.next(*path[-1]) if path else problem.start.teammate
    return Observation(JointState(teammate, ego), None, _answer(problem, given))


def _answer(problem: Problem, given: Answered) -> Answer:
    if isinstance(given, Answer):
        answer = given
    else:
        asked, yes = given
        if not isinstance(yes, bool | np.bool_ | None):
            expected = "True, False, or None for no answer, after the goals that were asked about"
            raise InputError("answers", repr(yes), expected)
        goals = [asked] if isinstance(asked, str | int) else list(asked)
        answer = Answer(tuple(_goal(problem, goal) for goal in goals), None if yes is None else bool(yes))
    check_question(problem, answer.asked, "answers: the ego agent")
    check_reply(answer, len(problem.goals))
    return answer


def _goal(problem: Problem, given: GoalName) -> int:
    number = problem.goals.index(given) if isinstance(given, str) and given in problem.goals else as_int(given)
    if number is None or not 0 <= number < len(problem.goals):
        shown = ", ".join(problem.goals[:5]) + (", ..." if len(problem.goals) > 5 else "")
        raise InputError("answers", repr(given), f"goals, some of {shown}" + did_you_mean(str(given), problem.goals))
    return number


def _explained(problem: Problem, path: Steps) -> InferredPath:
    """Return where a path of the teammate starts, and how many goals of positive prior explain the path.

    A goal explains the path if every step is optimal for it.
    """
    explained = problem.prior > 0
    of = int(explained.sum())
    for state, action in path:
        explained &= problem.teammate.optimal(state)[:, action]
    return InferredPath(problem.start.teammate, int(explained.sum()), of)
