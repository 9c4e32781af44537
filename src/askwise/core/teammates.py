"""Teammates: simulated agents that pursue a goal, whatever the ego agent does.

The paper's methods assume `Urop`; the others deviate from it. In a name, the part after the colon is a parameter:

===================  =================================================================================
``urop``             draws one of all shortest plans uniformly
``uniform``          chooses uniformly among the optimal actions of each step
``noisy:0.1``        like ``urop``, but takes a random available action with probability 0.1
``via:X,Y``          visits a cell first, then goes to its goal (``via`` alone draws a cell)
``boltzmann:2``      prefers actions that lead closer to the goal, more strongly for larger numbers
``policy``           follows the problem's policy for its goal; without one, acts like ``urop``
``plan:EAST,NORTH``  takes the actions listed, then continues like ``urop``
===================  =================================================================================
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence

import numpy as np

from askwise.core.problem import Problem, teammate_names
from askwise.errors import InputError, did_you_mean
from askwise.model import Policy, state_names, uniform_optimal, urop
from askwise.model.grid import state_text
from askwise.model.optimal import reachable
from askwise.text.reading import parse_cell
from askwise.types import FloatArray, StateLike


class Teammate(ABC):
    """The base class of simulated teammates, which act towards a goal that the ego agent does not know.

    Call `reset` before each episode, and `act` in every step in which no question is asked. A subclass that sets no
    `name` gets the name of the class in lower case.
    """

    name: str = "teammate"

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if "name" not in vars(cls):
            cls.name = cls.__name__.lower()

    def reset(self, problem: Problem, goal: int, rng: np.random.Generator) -> None:
        """Start an episode.

        Args:
            problem: the problem.
            goal: index of the teammate's goal.
            rng: the generator that `act` draws from.
        """
        self.problem = problem
        self.goal = goal
        self.rng = rng

    @abstractmethod
    def act(self, state: int) -> int:
        """Return the action that the teammate takes in `state`, as an index into ``problem.teammate.actions.names``."""

    def errs(self, problem: Problem, goal: int) -> bool:  # noqa: ARG002 - subclasses use them
        """Return whether the teammate may deviate from the shortest plans for a goal (by index); True if unknown."""
        return True

    def available(self, state: int) -> list[int]:
        """Return the indices of the actions available in `state` after which the teammate can still reach its goal."""
        problem = self.problem
        following = [problem.teammate.next(state, action) for action in range(len(problem.teammate.actions.names))]
        return [a for a, there in enumerate(following) if there >= 0 and problem.teammate.steps(there)[self.goal] >= 0]

    def draw(self, probabilities: FloatArray) -> int:
        """Draw an action with the given probabilities, ``float64 [n_actions]``, and return its index.

        This takes exactly one number from the random generator.
        """
        left = self.rng.random()
        last = 0
        for action, probability in enumerate(probabilities.tolist()):
            if probability > 0:
                left -= probability
                last = action
                if left < 0:
                    break
        # Probabilities may sum to slightly less than 1; the rest belongs to the last possible action.
        return last

    def __repr__(self) -> str:
        return f"<teammate {self.name}>"


class _ByPolicy(Teammate):
    """A base class of teammates that follow one policy for their goal.

    A subclass sets `policy_of`, a function that returns the policy, given the model and the names of the goal's states.
    """

    policy_of: Callable[..., Policy]

    def reset(self, problem: Problem, goal: int, rng: np.random.Generator) -> None:
        """Start an episode with a goal, given by index; compute the policy for this goal. `act` draws from `rng`."""
        super().reset(problem, goal, rng)
        model = problem.teammate.model
        self.policy = type(self).policy_of(model, state_names(model, problem.teammate.targets(goal)))

    def errs(self, problem: Problem, goal: int) -> bool:  # noqa: ARG002
        """Return False: the teammate never deviates from shortest plans for its goal."""
        return False

    def act(self, state: int) -> int:
        """Draw an action from the goal's policy in `state`; return an index into ``problem.teammate.actions.names``."""
        return self.draw(self.policy.probabilities[state])


class Urop(_ByPolicy):
    """A teammate that draws one of all shortest plans uniformly (UROP, the uniformly random optimal policy)."""

    name = "urop"
    policy_of = staticmethod(urop)


class Uniform(_ByPolicy):
    """A teammate that, in each step, chooses uniformly among the optimal actions.

    Unlike `Urop`, it does not draw all shortest plans with equal probability.
    """

    name = "uniform"
    policy_of = staticmethod(uniform_optimal)


class ByProblem(Teammate):
    """A teammate that follows the problem's policy for its goal; without one, it draws one of all shortest plans."""

    name = "policy"

    def errs(self, problem: Problem, goal: int) -> bool:  # noqa: ARG002
        """Return whether the teammate may deviate from shortest plans: True if the problem states policies for it."""
        return problem.policies is not None

    def act(self, state: int) -> int:
        """Draw an action in `state` from the problem's policy for the teammate's goal.

        Returns the index of the action in ``problem.teammate.actions.names``.
        """
        return self.draw(self.problem.teammate.policy(state)[self.goal])


class Noisy(Teammate):
    """A teammate that sometimes takes a random available action, and otherwise acts like `base`.

    Args:
        epsilon: probability of a random action, at least 0 and below 1.
        base: another teammate; None for `Urop`, which draws one of all shortest plans.
    """

    def __init__(self, epsilon: float = 0.1, base: Teammate | None = None) -> None:
        if not 0 <= epsilon < 1:
            raise InputError("noise of the teammate", epsilon, "a number from 0 and below 1")
        self.epsilon = epsilon
        self.base = base or Urop()
        self.name = f"noisy:{epsilon:g}"

    def reset(self, problem: Problem, goal: int, rng: np.random.Generator) -> None:
        """Start an episode with a goal, given by index, for this teammate and for the teammate `base`."""
        super().reset(problem, goal, rng)
        self.base.reset(problem, goal, rng)

    def errs(self, problem: Problem, goal: int) -> bool:
        """Return whether this teammate may deviate from the shortest plans for a goal, given by index.

        True if it takes random actions, or if `base`, the teammate that it otherwise acts like, may deviate from these
        plans.
        """
        return self.epsilon > 0 or self.base.errs(problem, goal)

    def act(self, state: int) -> int:
        """Return a random available action or the action of the teammate `base`.

        The action is an index into ``problem.teammate.actions.names``.
        """
        if self.rng.random() < self.epsilon:
            return int(self.rng.choice(self.available(state)))
        return self.base.act(state)


class Via(Teammate):
    """A teammate that takes a shortest path to a detour point, and then a shortest path to its goal.

    Args:
        point: the detour point, a state by name or index. None to draw one of the possible states in each episode.
    """

    def __init__(self, point: StateLike | None = None) -> None:
        self.point = point
        self.name = "via" if point is None else f"via:{state_text(point)}"

    def reset(self, problem: Problem, goal: int, rng: np.random.Generator) -> None:
        """Start an episode with a goal, given by index; draw the detour point from `rng` if none is given."""
        super().reset(problem, goal, rng)
        model = problem.teammate.model
        self.after = Urop()
        self.after.reset(problem, goal, rng)
        if self.point is not None:
            detour = model.state(self.point, "detour")
        else:
            there = reachable(model, problem.start.teammate)
            detour = int(rng.choice(np.flatnonzero(there & self.after.policy.defined)))
        self.there = urop(model, state_names(model, [detour]))
        if not (self.there.defined[problem.start.teammate] and self.after.policy.defined[detour]):
            raise InputError("detour", repr(model.name(detour)), "a state on some way from the start to the goal")
        self.detour, self.passed = detour, False

    def act(self, state: int) -> int:
        """Return an action towards the detour point or, after the teammate has visited that point, towards its goal.

        The action is an index into ``problem.teammate.actions.names``.
        """
        self.passed = self.passed or state == self.detour
        if self.passed:
            return self.after.act(state)
        return self.draw(self.there.probabilities[state])


class Boltzmann(Teammate):
    """A teammate that prefers actions which lead to its goal in fewer steps.

    The probability of an action is proportional to ``exp(-beta * steps)``. Here ``steps`` is the length of the shortest
    path to the goal that begins with this action.

    Args:
        beta: strength of the preference, above 0.
    """

    def __init__(self, beta: float = 2.0) -> None:
        if not 0 < beta < np.inf:
            raise InputError("rationality of the teammate", beta, "a finite number above 0")
        self.beta = beta
        self.name = f"boltzmann:{beta:g}"

    def act(self, state: int) -> int:
        """Draw the teammate's action in `state` and return its index in ``problem.teammate.actions.names``.

        Only at its goal can the teammate choose to stay.
        """
        problem = self.problem
        at_goal = problem.teammate.steps(state)[self.goal] == 0
        # Staying means having arrived, so it is only for the goal.
        actions = [a for a in self.available(state) if at_goal or a != problem.teammate.actions.stay]
        left = np.array([self._steps_after(state, a) for a in actions], dtype=np.float64)
        with np.errstate(over="ignore"):  # for a huge beta, worse actions get probability 0
            weights = np.exp(-self.beta * (left - left.min()))
        return actions[self.draw(weights / weights.sum())]

    def _steps_after(self, state: int, action: int) -> int:
        problem = self.problem
        steps = int(problem.teammate.steps(problem.teammate.next(state, action))[self.goal])
        # At the goal only staying is left to do; any other action delays it by a step.
        return steps if action == problem.teammate.actions.stay else steps + 1


class FixedPlan(Teammate):
    """A teammate that first takes the given actions, then draws one of all shortest plans to its goal, like `Urop`.

    Args:
        actions: names of the first actions, in order.
    """

    def __init__(self, actions: Sequence[Hashable]) -> None:
        self.actions = list(actions)
        self.name = "plan:" + ",".join(map(str, self.actions))

    def reset(self, problem: Problem, goal: int, rng: np.random.Generator) -> None:
        """Start an episode with a goal, given by index; raise an `InputError` if the plan cannot be carried out.

        `act` draws the actions after the end of the plan from `rng`.
        """
        super().reset(problem, goal, rng)
        self.after = Urop()
        self.after.reset(problem, goal, rng)
        self.plan = [action for _, action in self._trajectory(problem)]
        self.done = 0

    def errs(self, problem: Problem, goal: int) -> bool:
        """Return whether the fixed plan has an action that is not optimal for a goal, given by index.

        If the problem states policies, an action is optimal if the goal's policy may take it.
        """
        return not all(problem.teammate.optimal(state)[goal, action] for state, action in self._trajectory(problem))

    def _trajectory(self, problem: Problem) -> list[tuple[int, int]]:
        """Return the pairs (state, action) of the plan, as indices, from the teammate's start on.

        Raises an `InputError` if an action of the plan is not available.
        """
        trajectory, state = [], problem.start.teammate
        for k, name in enumerate(self.actions, start=1):
            names = teammate_names(problem, state)
            action = names.index(str(name)) if name and str(name) in names else -1
            following = problem.teammate.next(state, action) if action >= 0 else -1
            if following < 0:
                where = problem.teammate.model.name(state)
                raise InputError(f"action {k} of the plan", repr(name), f"an action available in {where}")
            trajectory.append((state, action))
            state = following
        return trajectory

    def act(self, state: int) -> int:
        """Return the next available action of the plan or, after its end, an action of a random shortest plan.

        The result is an index into ``problem.teammate.actions.names``. Actions that are not available are skipped.
        """
        while self.done < len(self.plan):
            action = self.plan[self.done]
            self.done += 1
            # As the base of a noisy teammate it may be off its plan; unavailable actions are skipped.
            if self.problem.teammate.next(state, action) >= 0:
                return action
        return self.after.act(state)


TEAMMATES: dict[str, Callable[[str], Teammate]] = {
    "urop": lambda _: Urop(),
    "uniform": lambda _: Uniform(),
    "noisy": lambda text: Noisy(_number(text, "noise of the teammate")) if text else Noisy(),
    "via": lambda text: Via(parse_cell(text, "detour")) if text else Via(),
    "boltzmann": lambda text: Boltzmann(_number(text, "rationality of the teammate")) if text else Boltzmann(),
    "policy": lambda _: ByProblem(),
    "plan": lambda text: FixedPlan([part.strip() for part in text.split(",") if part.strip()]),
}


def may_err(problem: Problem, given: str | Teammate) -> bool:
    """Return whether a teammate may deviate from the shortest plans for a goal that is possible under the prior.

    Args:
        problem: the problem.
        given: the teammate, or its name, such as ``noisy:0.2``.
    """
    teammate = make_teammate(given)
    return any(teammate.errs(problem, int(goal)) for goal in np.flatnonzero(problem.prior > 0))


def teammate_for(problem: Problem, given: str | Teammate | None) -> Teammate:
    """Return the teammate that a user chose, or the default teammate of the problem.

    Args:
        problem: the problem.
        given: a teammate, or its name, such as ``noisy:0.2``. None for a teammate that follows the problem's policies
            or, if there are none, draws one of all shortest plans.
    """
    if given is not None:
        return make_teammate(given)
    return Urop() if problem.policies is None else ByProblem()


def make_teammate(given: str | Teammate) -> Teammate:
    """Return the teammate that a name stands for; a `Teammate` is returned as is.

    After a colon, the name has a parameter, which ``noisy``, ``via`` and ``boltzmann`` may leave out.

    - ``urop``: draws one of all shortest plans uniformly;
    - ``uniform``: chooses uniformly among the optimal actions of each step;
    - ``noisy:0.2``: acts at random with probability 0.2, otherwise like ``urop``;
    - ``via:3,4``: first visits the cell in column 3 and row 4; ``via`` alone draws a cell;
    - ``boltzmann:2``: prefers short paths, more strongly for larger numbers;
    - ``policy``: follows the problem's policy; without one, acts like ``urop``;
    - ``plan:EAST,NORTH``: takes these actions, then acts like ``urop``.
    """
    if isinstance(given, Teammate):
        return given
    kind, _, parameter = str(given).partition(":")
    if kind not in TEAMMATES or (parameter and kind in ("urop", "uniform", "policy")):
        allowed = "one of " + ", ".join(map(repr, TEAMMATES))
        raise InputError("teammate", repr(given), allowed + did_you_mean(kind, TEAMMATES))
    return TEAMMATES[kind](parameter)


def _number(text: str, field: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(field, repr(text), "a number") from None
