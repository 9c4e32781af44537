"""What the agent knew before each step of an episode."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from askwise.core.answers import same_question, same_reply
from askwise.core.belief import Tracker
from askwise.core.episode import Episode, Step
from askwise.core.game import after, check_ego_action, check_question, check_teammate_action
from askwise.core.problem import JointState, Problem
from askwise.core.questions import Answer, Question
from askwise.errors import AskwiseError, InputError
from askwise.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """What was known before a step.

    Attributes:
        state: where both agents were.
        belief: ``float64 [n_goals]``, probability of each goal.
        answers: what had been asked and answered, refusals included.
        explained: whether all that the teammate did is what some goal explains; else the belief allows for errors.
    """

    state: JointState
    belief: FloatArray
    answers: tuple[Answer, ...] = ()
    explained: bool = True

    def key(self, problem: Problem) -> Hashable:
        """Return what is equal for two moments of a problem that are judged alike."""
        where = self.state.teammate, self.state.ego
        if not self.explained or problem.policies is not None:
            return *where, self.belief.tobytes(), self.answers
        # A teammate that stays at its target shows its goal without going anywhere.
        possible = (self.belief > 0).tobytes()
        return (*where, possible) if problem.answers.truthful else (*where, possible, self.answers)

    def answered_before(self, problem: Problem, asked: Question) -> Answer | None:
        """Return the reply that a question would get again because errors persist, None if it is open."""
        if not problem.answers.persistent:
            return None
        n_goals = len(problem.goals)
        wanted = same_question(asked, n_goals)
        given = (answer for answer in self.answers if same_question(answer.asked, n_goals) == wanted)
        return next((same_reply(answer, asked) for answer in given), None)


def moments(episode: Episode) -> Iterator[tuple[Step, Moment]]:
    """Iterate over the steps of an episode, each with what was known before it."""
    problem = episode.problem
    tracker = Tracker(problem, "bayes", fallback="robust")
    for k, (step, seen) in enumerate(zip(episode.steps, episode.observations, strict=True)):
        field = f"steps[{k}]"
        _check(problem, episode, k, field)
        try:
            tracker.update(seen)
        except AskwiseError as error:
            raise InputError(field, f"what contradicts all before it ({error})", "an episode that can happen") from None
        belief = np.where(tracker.possible | (tracker.kind == "bayes"), tracker.probabilities, 0.0)
        yield step, Moment(step.state, belief, tuple(tracker.answers), tracker.kind == "bayes")


def _check(problem: Problem, episode: Episode, k: int, field: str) -> None:
    """Refuse a step that the rules do not allow, or that does not lead to the next one."""
    step = episode.steps[k]
    following = episode.steps[k + 1].state if k + 1 < len(episode.steps) else episode.final
    if step.decision.ask is not None:
        check_question(problem, step.decision.ask, f"{field}: the ego agent", may_be_empty=True)
        led = step.state
    else:
        check_ego_action(problem, step.state.ego, step.decision.action, f"{field}: the ego agent")
        check_teammate_action(problem, step.state.teammate, step.teammate_action, f"{field}: the teammate")
        assert step.decision.action is not None
        assert step.teammate_action is not None
        led = after(problem, step.state, step.decision.action, step.teammate_action)
    if led != following:
        raise InputError(field, "a step that does not lead to where everybody is after it", "an episode as it happened")
