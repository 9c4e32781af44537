"""A round in progress: an episode in which a person plays one of the two agents.

Random numbers are those of `askwise.simulate`: with the same seed, a person who acts like the simulated teammate gets
the same episode. A method that plays the ego agent decides right after each step (`Round.think`), before the person's
next move.

The person's *input* is a JSON object, such as ``{"move": "EAST"}``, ``{"ask": ["S1", "S2"]}``, ``{"answer": true}`` or
``{"stop": true}`` (see `Round.do`). The same inputs with the same setup give the same round.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from askwise.core.answers import truth
from askwise.core.episode import Episode, Step
from askwise.core.game import Game
from askwise.core.problem import Problem, teammate_names
from askwise.core.question_json import question_from_json, question_to_json, reply_from_json
from askwise.core.questions import Answer
from askwise.core.teammates import Teammate, teammate_for
from askwise.domains.registry import words_of
from askwise.errors import AskwiseError, InputError
from askwise.methods import (
    Agent,
    BeliefAgent,
    Decision,
    agent_for,
    blaming,
    decision_and_belief,
    make_agent,
    start_agent,
)
from askwise.methods.paper import Informed
from askwise.play.simulate import answering, chosen_goal
from askwise.seeds import spawn
from askwise.text.reading import Field
from askwise.text.wording import printable
from askwise.types import FloatArray
from askwise.view.decision_text import reply_to_text

ROLES = ("teammate", "ego")
ROBUST = "robust"


@dataclass(frozen=True, slots=True)
class Setup:
    """The setup of a round: everything that determines it except the person's inputs.

    Attributes:
        role: the person's role, ``teammate`` or ``ego``.
        method: the method, if the person plays the teammate.
        teammate: the simulated teammate, such as ``noisy:0.2``, if the person plays the ego agent; None for the
            problem's.
        goal: the teammate's goal; None to draw it from the prior.
        seed: seed of all random numbers.
        belief: the method's belief, ``elimination``, ``bayes`` or ``robust``; None to choose one that suits a person.
        answers: the answer model, such as ``wrong:0.05,refused:0.1``; None for the problem's.
        max_steps: the step limit; None for far more than needed.
    """

    role: str
    method: str = "planner"
    teammate: str | None = None
    goal: str | None = None
    seed: int = 0
    belief: str | None = None
    answers: str | None = None
    max_steps: int | None = None

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise InputError("role", repr(self.role), "one of " + ", ".join(map(repr, ROLES)))

    def to_json(self) -> dict[str, Any]:
        """Return the setup as a JSON-compatible dict, with the attributes as keys."""
        return asdict(self)

    @classmethod
    def from_json(cls, given: Field) -> Setup:
        """Read a setup from JSON; whether its method, goal and so on exist is checked only when the round starts."""
        optional = ("method", "teammate", "goal", "belief", "answers")
        given.object(["role"], [*optional, "seed", "max_steps"])
        texts = {key: given.child(key).text() for key in optional if given.has(key) and given.value[key] is not None}
        numbers = {}
        for key, lowest in (("seed", 0), ("max_steps", 1)):
            if given.has(key) and given.value[key] is not None:
                numbers[key] = given.child(key).whole(lowest, 2**63 - 1)
        return cls(given.child("role").text(ROLES), **texts, **numbers)  # type: ignore[arg-type]


def belief_with_people(problem: Problem, method: str) -> str | None:
    """Return the name of the belief that a method should use with a person; None for the method's own belief.

    The result is usually ``robust``, which allows for detours. Other beliefs could exclude the person's goal for good
    after a detour. The result is None for agents that

    - know the goal,
    - use no belief of askwise, or
    - change their belief after a detour, unless the problem states how the teammate acts.
    """
    if method == Informed.name:
        return None
    made = make_agent(method)
    if not isinstance(made, BeliefAgent):
        return None
    has_fallback = made.fallback is not None and problem.policies is None
    return None if has_fallback else ROBUST


PERSON = "person"
"""The person's name in traces."""

THINKING, MOVE, ANSWER, OVER = "thinking", "move", "answer", "over"
"""The phases of a round: it waits for the method, for a move or a question, for an answer, or it is over."""


class InputRefused(AskwiseError):  # noqa: N818 - it names what happened
    """Raised if an input of the person is not possible now.

    The message says why, in words for the person.
    """


class Round:
    """One episode in which a person plays the teammate or the ego agent.

    Args:
        problem: the problem.
        setup: the setup of the round.

    Attributes:
        robot: the `Agent` that plays the ego agent; None if the person does.
        other: the simulated teammate; None if the person plays it.
        method: the ego agent's method, or `PERSON`.
        walker: the kind of teammate, such as ``noisy:0.2``, or `PERSON`.
        game: the present state of the episode, and its rules.
        steps: the steps so far.
        stopped: whether the person has given up.
        decision: a pair: the ego agent's next decision, and its belief (or None); None before it has decided.
    """

    def __init__(self, problem: Problem, setup: Setup) -> None:
        self.setup = setup
        self.problem = problem = answering(problem, setup.answers)
        for_goal, for_teammate, for_agent, *for_answers = spawn(setup.seed, 3 if problem.answers.truthful else 4)
        goal = chosen_goal(problem, setup.goal, for_goal)
        self.robot: Agent | None = None
        self.other: Teammate | None = None
        self.method, self.walker = PERSON, PERSON
        if setup.role == "teammate":
            belief = setup.belief or belief_with_people(problem, setup.method)
            self.robot = agent_for(problem, setup.method, belief=belief)
            self.method = start_agent(problem, self.robot, for_agent, goal)
        else:
            self.other = teammate_for(problem, setup.teammate)
            with blaming(self.other, "reset", kind="teammate"):
                self.other.reset(problem, goal, for_teammate)
            self.walker = self.other.name
        self.game = Game(
            problem,
            goal,
            max_steps=setup.max_steps,
            names=("the robot", "you") if self.robot else ("you", "the teammate"),
            answer_seed=for_answers[0] if for_answers else None,
        )
        self.steps: list[Step] = []
        self.stopped = False
        self.decision: tuple[Decision, FloatArray | None] | None = None

    @property
    def goal(self) -> int:
        """The index of the teammate's goal."""
        assert self.game.goal is not None
        return self.game.goal

    @property
    def over(self) -> bool:
        """Whether the round has ended: finished, given up, or at its step limit."""
        return self.stopped or self.game.over

    @property
    def phase(self) -> str:
        """What the round waits for, as one of four words.

        `THINKING`: the method's decision. `MOVE`: a move or a question of the person. `ANSWER`: the person's answer to
        a question. `OVER`: nothing, the round has ended.
        """
        if self.over:
            return OVER
        if self.robot is None:
            return MOVE
        if self.decision is None:
            return THINKING
        return MOVE if self.decision[0].ask is None else ANSWER

    def think(self) -> None:
        """Let the method that plays the ego agent decide, if this is what the round waits for; otherwise do nothing."""
        if self.phase != THINKING:
            return
        assert self.robot is not None
        problem, seen, t = self.problem, self.game.observation, self.game.steps + 1
        before = self.steps[-1].belief if self.steps else None
        self.decision = decision_and_belief(problem, self.robot, seen, t, before)

    # -- inputs ----------------------------------------------------------------------------------------------------

    def do(self, user_input: Any) -> dict[str, Any]:
        """Apply an input of the person; return its result, as `outcome` does.

        The input is a JSON object with one key:

        - ``move``: the name of an action;
        - ``answer``: true, false, the index of a group of goals, or null for "I don't know";
        - ``ask``: a list of goals, or an object with ``groups`` (lists of goals) and ``names`` (of the groups, or
          empty);
        - ``stop``: any value; the person gives up.

        Raises:
            InputRefused: the round waits for another input; or the answer is untrue, and the problem has true answers.
            InputError: the input has another form, or names an impossible action or goal.
        """
        given = Field("message", user_input).object([], ["move", "answer", "ask", "stop"])
        if len(given.value) != 1:
            raise given.refuse("one of move, answer, ask, stop")
        if self.phase in (OVER, THINKING):
            raise InputRefused("The round is over." if self.over else "It is not your turn yet.")
        kind = next(iter(given.value))
        if kind == "stop":
            self.stopped = True
        elif kind == "answer":
            self._answer(given.child("answer"))
        elif kind == "ask":
            self._ask(given.child("ask"))
        else:
            self._move(given.child("move"))
        return self.outcome()

    def outcome(self) -> dict[str, Any]:
        """Return the result of the last input, as JSON.

        Keys: ``t`` (steps so far), ``state`` (the indices of the teammate's and the ego agent's states), ``cost`` (so
        far) and, after a question, ``asked`` (see `question_to_json`) and ``reply`` (True, False, the index of a group,
        or None for no answer).
        """
        state = self.game.state
        found: dict[str, Any] = {"t": self.game.steps, "state": [state.teammate, state.ego], "cost": self.game.cost}
        if self.game.answer is not None:
            found["asked"] = question_to_json(self.problem, self.game.answer.asked)
            found["reply"] = self.game.answer.reply
        return found

    def moves(self) -> list[int]:
        """Return the indices of the actions that the person can take now.

        A person who plays the teammate cannot take actions after which the goal would be unreachable.
        """
        if self.robot is None:
            return self.game.ego_available()
        problem, here = self.problem, self.game.state.teammate
        following = {action: problem.teammate.next(here, action) for action in self.game.teammate_available()}
        return [a for a, there in following.items() if problem.teammate.steps(there)[self.goal] >= 0]

    def _move(self, given: Field) -> None:
        if self.phase == ANSWER:
            raise InputRefused("Please answer the question first.")
        here = self.game.state.teammate
        names = self.problem.ego.actions.names if self.robot is None else teammate_names(self.problem, here)
        available = self.moves()
        action = names.index(given.text([names[k] for k in available]))
        if self.robot is not None:
            assert self.decision is not None
            ego_action = self.decision[0].action
            assert ego_action is not None
            self._stepped(lambda: self.game.act(ego_action, action))
            return
        assert self.other is not None
        with blaming(self.other, "act", self.game.steps + 1, kind="teammate"):
            walked = self.other.act(self.game.state.teammate)
        self.decision = Decision(action=action), None
        self._stepped(lambda: self.game.act(action, walked))

    def _ask(self, given: Field) -> None:
        if self.robot is not None:
            raise InputRefused("Only the ego agent may ask questions.")
        asked = question_from_json(self.problem, given)
        if len(set(asked)) != len(asked) or not len(asked):
            raise given.refuse("some goals, each once")
        price = self.problem.query_cost(asked)
        self.decision = Decision(ask=asked, considered=asked, cost=price), None
        self._stepped(lambda: self.game.ask(asked))

    def _answer(self, given: Field) -> None:
        if self.phase != ANSWER:
            raise InputRefused("There is no question to answer.")
        assert self.decision is not None
        asked = self.decision[0].ask
        assert asked is not None
        answer = reply_from_json(self.problem, asked, given)
        true = truth(asked, self.goal)
        if not self.problem.answers.fallible and answer.reply is not None and answer.reply != true:
            # A method that trusts every answer would rule the goal out for good.
            right = reply_to_text(self.problem.goals, Answer(asked, true))
            kind, name = words_of(self.problem).goal, printable(self.problem.goals[self.goal])
            raise InputRefused(f"Please answer truthfully: your {kind} is {name}, so the answer is {right}.")
        self._stepped(lambda: self.game.hear(answer))

    def _stepped(self, step: Any) -> None:
        assert self.decision is not None
        state, (decision, belief) = self.game.state, self.decision
        step()
        game = self.game
        self.steps.append(Step(game.steps, state, belief, decision, game.teammate_action, game.answer, game.step_cost))
        self.decision = None

    # -- what it was ----------------------------------------------------------------------------------------------

    def episode(self) -> Episode:
        """Return the steps so far as an `Episode`, also if the round is not over."""
        return Episode(
            problem=self.problem,
            method=self.method,
            teammate=self.walker,
            goal=self.goal,
            seed=self.setup.seed,
            steps=tuple(self.steps),
            final=self.game.state,
            known_cost=self.game.known_cost,
            finished=self.game.finished,
        )
