"""`askwise.ask`: what a method would do now, and why.

An agent that has lived through an episode knows more than where everybody is: it has watched the teammate and heard
answers. `ask` lets an agent do the same and then asks it for its decision. What has happened is given in one of two
ways:

- as a `history` of observations, the ones that an agent made from the start on (`Episode.observations` has them). The
  agent decides at each of them, so that all it would have worked out or drawn at random by now is as it would be;
- as what the `teammate` was seen doing and what was answered. Only that matters for what an agent believes, not where
  the ego agent was meanwhile.

If only the state in which the teammate is now is given, it has come there by a shortest way. Which one is not known,
but for a teammate that draws its shortest plans uniformly it does not matter: every shortest way leaves the same
belief,

- `elimination`: the goals with ``d(start, now) + d(now, g) = d(start, g)``, at their prior odds;
- `bayes`: ``P(g) ~ P0(g) N_g(now) / N_g(start)``, with `N_g` the number of shortest ways to `g`.

For `robust`, which allows for detours, the way does matter: the agent watches the one that goes where most shortest
ways go.
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
"""An answer, or the goals asked about (by name or number) and whether the goal was among them."""


@dataclass(frozen=True, slots=True)
class InferredPath:
    """What the teammate has told by walking: where it came from, and how many of the possible goals explain that."""

    start: int
    explained: int
    of: int


@dataclass(frozen=True, slots=True, eq=False)
class Advice:
    """What a method would do at a moment, and why.

    Attributes:
        problem: what is played.
        method: name of the agent that was asked.
        state: where both agents are.
        decision: what it decided, with its reason, the gate and the zones of the pairs that matter.
        belief: ``float64 [n_goals]``, what it believes, None if it shows no belief.
        way: what was inferred from where the teammate is, None if nothing had to be.
    """

    problem: Problem
    method: str
    state: JointState
    decision: Decision
    belief: FloatArray | None
    way: InferredPath | None = None

    @property
    def ask(self) -> tuple[str, ...] | None:
        """Names of the goals to ask about (of a choice, `decision.ask` has the groups), None if it is better to act."""
        return None if self.decision.ask is None else tuple(self.problem.goals[goal] for goal in self.decision.ask)

    @property
    def action(self) -> str | None:
        """Name of the action to take, None if it is better to ask."""
        action = self.decision.action
        return None if action is None else self.problem.ego.actions.names[action]

    @property
    def why(self) -> str:
        """The reason, in one sentence."""
        return self.decision.why

    @property
    def possible(self) -> BoolArray | None:
        """``bool [n_goals]``: the goals that it still thinks possible, None if it shows no belief."""
        return None if self.belief is None else credible_goals(self.problem, self.belief)

    def __str__(self) -> str:
        what = f"do {self.action}" if self.ask is None else f"ask about {', '.join(self.ask)}"
        return f"{what}\n{self.why}"


def ask(
    problem: Problem,
    method: str | Agent = "ezq",
    *,
    history: Iterable[Observation] = (),
    teammate: StateLike | None = None,
    seen: Sequence[StateLike] = (),
    ego: StateLike | None = None,
    answers: Iterable[Answered] = (),
    seed: Seed = 0,
    belief: str | None = None,
) -> Advice:
    """Return what a method would do now, and why.

    Args:
        problem: what is played; `askwise.ask` also takes an instance of any domain, or the path of its file.
        method: the agent, or the name of one.
        history: all observations from the start on; then nothing else may be given.
        teammate: where the teammate is now; it came there by a shortest way, unless `seen` says how.
        seen: what the teammate did from the start on, actions by name or number.
        ego: where the ego agent is now, by default at its start.
        answers: what was asked and answered so far.
        seed: for methods that choose at random; the same as `simulate` makes the same choices.
        belief: the belief of an agent that is given by name, if not its default.
    """
    played = problem
    agent = _asked(played, method, belief=belief)
    name = start_agent(played, agent, spawn(seed, 3)[2])
    told, lived = list(answers), list(history)
    if not lived:
        way = _way(played, teammate, seen)
        here = joint_state(played, None, ego).ego
        lived = [*_seen_on(played, way, here), *(_after(played, way, here, each) for each in told)]
        for t, observation in enumerate(lived[:-1], start=1):
            with blaming(agent, "watch", t), heartbeat.deciding:
                agent.watch(observation)
        inferred = None if seen or not way else _explained(played, way)
        return _advice(played, agent, lived, inferred, name)
    if teammate is not None or len(seen) or ego is not None or told:
        raise InputError("history", "one, and beside it what was seen or answered", "the one or the other")
    for t, observation in enumerate(lived[:-1], start=1):
        checked_decision(played, agent, observation, t)
    return _advice(played, agent, lived, None, name)


def _asked(problem: Problem, method: str | Agent, **options: Any) -> Agent:
    agent = agent_for(problem, method, **options)
    if isinstance(agent, KnowsGoal):
        others = [name for name in methods() if name != agent.name]
        found = f"{agent.name!r}, which is told the goal and has nothing to find out"
        raise InputError("method", found, f"one of {', '.join(map(repr, others))}")
    return agent


def _advice(problem: Problem, agent: Agent, lived: Sequence[Observation], way: InferredPath | None, name: str) -> Advice:
    state, t = lived[-1].state, len(lived)
    decision, belief = decision_and_belief(problem, agent, lived[-1], t)
    return Advice(problem, name, state, decision, belief, way)


# -- what has happened -------------------------------------------------------------------------------------------

Steps = list[tuple[int, int]]
"""States of the teammate with what it did there, from the start on."""


def _way(problem: Problem, teammate: StateLike | None, seen: Sequence[StateLike]) -> Steps:
    """Return the way that the teammate took."""
    if not len(seen):
        return [] if teammate is None else likeliest_path(problem, joint_state(problem, teammate, None).teammate)
    way: Steps = []
    here = problem.start.teammate
    for k, name in enumerate(seen, start=1):
        action = _action(problem, here, name, f"action {k} of those seen")
        check_teammate_action(problem, here, action, f"action {k} of those seen: the teammate")
        way.append((here, action))
        here = problem.teammate.next(here, action)
    if teammate is not None and joint_state(problem, teammate, None).teammate != here:
        where = problem.teammate.model.name(here)
        raise InputError("teammate", repr(teammate), f"{where!r}, where the actions seen lead, or nothing")
    return way


def likeliest_path(problem: Problem, end: int) -> Steps:
    """Return the shortest way from the teammate's start that always goes on as most of them do."""
    model, here = problem.teammate.model, problem.start.teammate
    towards = urop(model, state_names(model, [end]))
    if not towards.defined[here]:
        where = (repr(model.name(state)) for state in (end, here))
        raise InputError("teammate", "{}, with no way to it from {}".format(*where), "a state that it can be in")
    way: Steps = []
    while here != end:
        way.append((here, int(towards.probabilities[here].argmax())))
        here = problem.teammate.next(*way[-1])
    return way


def _action(problem: Problem, teammate: int, given: StateLike, field: str) -> int:
    names = teammate_names(problem, teammate)
    number = names.index(given) if given and given in names else as_int(given)
    if number is None or not 0 <= number < len(names):
        allowed = f"one of {', '.join(repr(name) for name in names if name)}"
        raise InputError(field, repr(given), allowed + did_you_mean(str(given), names))
    return number


def _seen_on(problem: Problem, way: Steps, ego: int) -> Iterator[Observation]:
    """Iterate over what is seen of the teammate on its way; the ego agent is taken to be where it is now."""
    yield Observation(JointState(problem.start.teammate, ego))
    for state, action in way:
        yield Observation(JointState(problem.teammate.next(state, action), ego), action)


def _after(problem: Problem, way: Steps, ego: int, given: Answered) -> Observation:
    """Return the observation of an answer, heard where everybody is now."""
    teammate = problem.teammate.next(*way[-1]) if way else problem.start.teammate
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


def _explained(problem: Problem, way: Steps) -> InferredPath:
    """Return how many of the goals that the prior allows explain the way."""
    explained = problem.prior > 0
    of = int(explained.sum())
    for state, action in way:
        explained &= problem.teammate.optimal(state)[:, action]
    return InferredPath(problem.start.teammate, int(explained.sum()), of)
