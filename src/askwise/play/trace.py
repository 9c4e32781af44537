"""Traces: episodes as JSON files, ``askwise/trace@2``.

A trace is one object with the keys

- ``format``, ``method``, ``teammate``, ``seed``, ``goal``, ``finished`` and ``cost``;
- ``instance``, as in its own file, and ``answers``, the answer model;
- ``known_cost``, the least cost if the goal is known, and ``marginal_cost``, the cost beyond it, null if the episode
  was cut off;
- ``final``, the states of both agents at the end, and ``steps``, a list.

Each step has the keys

- ``t`` (its number), ``belief`` (the probability of each goal, or null), ``cost``, and the states of both agents before
  the step;
- ``action`` (the ego agent's) and the teammate's action, both null in a step with a question;
- ``ask`` and ``answer``, both null in a step without one. A question is a list of goals, answered by true or false, or
  a multiple-choice question (`askwise.core.question_json`). A refused answer is null;
- ``why``, the reason for the decision, and ``verdict``, how certain it is that no question is better (may be empty);
- ``considered`` (the best question, even if not asked), ``question_cost`` (its price) and ``value`` (the steps that it
  is expected to save), all null if no question was considered;
- ``runner_up``, the next best question and its net value, or null;
- ``gate``, the condition for asking and whether it was met, null if the agent shows no belief;
- ``pairs``, the pairs of goals between which the ego agent may be undecided longest (`askwise.methods.decision_json`),
  null if the agent shows no belief or the problem is very large.

Earlier files may lack ``gate`` and ``pairs``.

The states of both agents have the keys ``teammate`` and ``ego``. A state is a name (text or a number) or a cell
``[x, y]``. If the ego agent can carry things, the keys are the domain's words, such as ``worker`` and ``fetcher`` in
tool fetching, and ``holding``: the goal for which the ego agent carries something, or null. The domain's words are also
in the key of the teammate's action (``teammate_action`` or ``worker_action``), and in the key of the goals in
``runner_up`` (``goals`` or ``stations``).

Numbers are written in full, so a loaded episode equals the saved one. Files of ``askwise/trace@1`` can be loaded too.
They have no ``answers``, because all answers were true, and no multiple-choice questions.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from askwise.core.episode import Episode, Step
from askwise.core.problem import JointState, Problem, teammate_does, teammate_names
from askwise.core.question_json import (
    answers_from_json,
    answers_to_json,
    question_from_json,
    question_to_json,
    reply_from_json,
)
from askwise.core.side import Side, place_and_load, place_name, state_at
from askwise.domains.registry import Domain, domain_of
from askwise.domains.registry import from_json as instance_from_json
from askwise.domains.stated.sides import name_to_json, read_state_name
from askwise.errors import InputError
from askwise.methods import Decision, Situation
from askwise.methods.decision_json import (
    gate_from_json,
    gate_to_json,
    pairs_from_json,
    pairs_to_json,
    runner_up_from_json,
    runner_up_to_json,
)
from askwise.model import GridWorld
from askwise.text.data import parse_json
from askwise.text.files import read_text, whole_file
from askwise.text.reading import Field, read_cost, read_finite, refuse_blank
from askwise.types import FloatArray

FORMAT = "askwise/trace@2"
EARLIER = "askwise/trace@1"
MOST_STEPS = 10_000_000


def to_json(episode: Episode) -> dict[str, Any]:
    """Return the trace of an episode as a JSON-compatible dict; the domain of its problem must be registered."""
    domain = domain_of(episode.problem, "episode")
    return {
        "format": FORMAT,
        "instance": domain.write(episode.problem),
        "answers": answers_to_json(episode.problem.answers),
        "method": episode.method,
        "teammate": episode.teammate,
        "seed": episode.seed,
        "goal": episode.goal_name,
        "finished": episode.finished,
        "cost": episode.cost,
        "known_cost": episode.known_cost,
        "marginal_cost": episode.marginal_cost if episode.finished else None,
        "final": state_to_json(domain, episode.problem, episode.final),
        "steps": [_step_to_json(domain, episode.problem, step) for step in episode.steps],
    }


def save(episode: Episode, path: str | Path) -> None:
    """Write the trace of an episode to a file; the file appears only when it is complete."""
    with whole_file(path) as temporary:
        temporary.write_text(json.dumps(to_json(episode), ensure_ascii=False) + "\n", encoding="utf-8")


def load(path: str | Path) -> Episode:
    """Return the episode in a trace file; raise `InputError` if the file is invalid."""
    text = read_text(path)
    refuse_blank(text, f"file {str(path)!r}", f"a trace, {FORMAT} (askwise run --trace writes one)")
    return from_json(parse_json(text))


def from_json(data: Any, *, problem: Problem | None = None) -> Episode:
    """Return the episode in a trace; raise `InputError` if the trace is invalid.

    Args:
        data: the parsed JSON of the trace.
        problem: the problem, as `problem_from_json` returns it; by default read from `data`, which takes longer.
    """
    root, _ = _checked(data)
    problem = problem_from_json(data) if problem is None else problem
    domain = domain_of(problem, "instance")
    seed = root.child("seed")
    goal = root.child("goal").text(problem.goals)
    episode = Episode(
        problem=problem,
        method=root.child("method").text(),
        teammate=root.child("teammate").text(),
        goal=problem.goals.index(goal),
        seed=None if seed.value is None else seed.whole(0),
        steps=tuple(_step_from_json(domain, problem, step) for step in root.child("steps").elements()),
        final=state_from_json(domain, problem, root.child("final").object(_state_keys(domain, problem), [])),
        known_cost=read_cost(root.child("known_cost")),
        finished=root.child("finished").truth(),
    )
    _check_sums(root, episode)
    return episode


def problem_from_json(data: Any) -> Problem:
    """Return the problem in the parsed JSON of a trace, with the answer model of the trace.

    Pass it to `from_json` to read several traces of one problem faster.
    """
    root, earlier = _checked(data)
    instance = instance_from_json(root.child("instance"))
    problem: Problem = domain_of(instance, "instance").problem(instance)
    return problem if earlier else problem.with_answers(answers_from_json(root.child("answers")))


def _checked(data: Any) -> tuple[Field, bool]:
    """Check the format and the keys of a trace; return its contents, and whether the format is ``askwise/trace@1``.

    If a key had another name in early files, the returned contents have its present name.
    """
    if isinstance(data, dict) and "optimal_cost" in data:  # the earlier name
        data = {"known_cost" if key == "optimal_cost" else key: value for key, value in data.items()}
    root = Field("", data).object()
    if root.has("format"):
        root.child("format").text([FORMAT, EARLIER])
    earlier = root.has("format") and root.value["format"] == EARLIER
    keys = ["format", "instance", *([] if earlier else ["answers"]), "method", "teammate", "seed", "goal"]
    root.object([*keys, "finished", "cost", "known_cost", "marginal_cost", "final", "steps"], [])
    return root, earlier


def _check_sums(root: Field, episode: Episode) -> None:
    slack = 1e-9 * max(1.0, episode.cost)
    stated = root.child("cost")
    if abs(read_cost(stated) - episode.cost) > slack:
        raise InputError("cost", stated.value, f"{episode.cost}, the sum of the costs of the steps")
    marginal = root.child("marginal_cost")
    if not episode.finished:
        if marginal.value is not None:
            raise marginal.refuse("null, because the episode was cut off")
    elif abs(read_finite(marginal) - episode.marginal_cost) > slack:
        raise marginal.refuse(f"{episode.marginal_cost}, the cost minus the known cost")
    for k, step in enumerate(episode.steps):
        if step.t != k + 1:
            raise InputError(f"steps[{k}].t", step.t, f"{k + 1}, steps are numbered in order")


# -- states --------------------------------------------------------------------------------------------------------


def state_to_json(domain: Domain, problem: Problem, state: JointState) -> dict[str, Any]:
    """Return the states of both agents as a JSON-compatible dict, with the keys that the domain uses in traces.

    If the ego agent can carry things, the key ``holding`` has the goal for which it carries something, or None.
    """
    named = [
        name_to_json(place_name(problem.teammate, state.teammate), "teammate_model"),
        name_to_json(place_name(problem.ego, state.ego), "ego_model"),
    ]
    if problem.ego.loads:
        _, load = place_and_load(problem.ego, state.ego)
        named.append(None if load < 0 else problem.goals[load])
    return dict(zip(_state_keys(domain, problem), named, strict=True))


def state_from_json(domain: Domain, problem: Problem, given: Field) -> JointState:
    """Return the states of both agents from a JSON object that has the keys of `state_to_json`.

    Other keys of the object are ignored.
    """
    teammate, ego, *holding = (given.child(key) for key in _state_keys(domain, problem))
    places = _place(problem.teammate, teammate), _place(problem.ego, ego)
    load = next((_index(each, problem.goals) for each in holding if each.value is not None), -1)
    return JointState(state_at(problem.teammate, places[0]), state_at(problem.ego, places[1], load))


def _state_keys(domain: Domain, problem: Problem) -> tuple[str, ...]:
    """Return the keys of both agents' states in traces, and ``holding`` if the ego agent can carry things."""
    words = domain.vocabulary()
    return (words.teammate, words.ego, "holding") if problem.ego.loads else ("teammate", "ego")


def _place(side: Side, given: Field) -> int:
    model = side.model
    if isinstance(model, GridWorld):
        return model.state(given.cell(model.width, model.height), given.path)
    return model.state(read_state_name(given), given.path)


# -- steps -------------------------------------------------------------------------------------------------------


def _teammate_key(domain: Domain) -> str:
    return f"{domain.vocabulary().teammate}_action"


def _step_to_json(domain: Domain, problem: Problem, step: Step) -> dict[str, Any]:
    decision, answer = step.decision, step.answer
    names, done = problem.goals, step.teammate_action
    return {
        "t": step.t,
        **state_to_json(domain, problem, step.state),
        "belief": None if step.belief is None else dict(zip(names, step.belief.tolist(), strict=True)),
        "action": None if decision.action is None else problem.ego.actions.names[decision.action],
        _teammate_key(domain): None if done is None else teammate_does(problem, step.state.teammate, done),
        "ask": None if decision.ask is None else question_to_json(problem, decision.ask),
        "answer": None if answer is None else answer.reply,
        "why": decision.why,
        "value": decision.value,
        "question_cost": decision.cost,
        "considered": None if decision.considered is None else question_to_json(problem, decision.considered),
        "runner_up": runner_up_to_json(problem, decision, domain.vocabulary().goals),
        "verdict": decision.verdict,
        "cost": step.cost,
        **_grounds_to_json(problem, decision.situation),
    }


def _grounds_to_json(problem: Problem, situation: Situation | None) -> dict[str, Any]:
    if situation is None:
        return {"gate": None, "pairs": None}
    pairs = pairs_to_json(problem, situation.pairs) if situation.affordable else None
    return {"gate": gate_to_json(problem, situation.gate), "pairs": pairs}


def _step_from_json(domain: Domain, problem: Problem, given: Field) -> Step:
    teammate = _teammate_key(domain)
    keys = ["t", *_state_keys(domain, problem), "belief", "action", teammate, "ask", "answer", "why", "value"]
    keys += ["question_cost", "considered", "runner_up", "verdict"]
    given.object([*keys, "cost"], ["gate", "pairs"])
    _check_kind(given, teammate)
    cost = read_cost(given.child("cost"))
    ask = given.child("ask")
    asked = None if ask.value is None else question_from_json(problem, ask)
    action = given.child("action")
    done = given.child(teammate)
    value, price, considered = (given.child(key) for key in ("value", "question_cost", "considered"))
    state, belief = state_from_json(domain, problem, given), _belief_from_json(problem, given.child("belief"))
    decision = Decision(
        action=None if action.value is None else _index(action, problem.ego.actions.names),
        ask=asked,
        why=given.child("why").text(),
        value=None if value.value is None else value.number(),
        cost=None if price.value is None else read_cost(price),
        considered=None if considered.value is None else question_from_json(problem, considered),
        runner_up=runner_up_from_json(problem, given.child("runner_up"), domain.vocabulary().goals),
        verdict=given.child("verdict").text(),
        situation=None if belief is None else _situation_from_json(problem, state, belief, given),
    )
    return Step(
        t=given.child("t").whole(1, MOST_STEPS),
        state=state,
        belief=belief,
        decision=decision,
        teammate_action=None if done.value is None else _index(done, teammate_names(problem, state.teammate)),
        answer=None if asked is None else reply_from_json(problem, asked, given.child("answer")),
        cost=cost,
    )


def _situation_from_json(problem: Problem, state: JointState, belief: FloatArray, given: Field) -> Situation:
    stated = {key: given.child(key) for key in ("gate", "pairs") if given.has(key) and given.value[key] is not None}
    return Situation(
        problem,
        state,
        belief,
        gate=gate_from_json(problem, stated["gate"]) if "gate" in stated else None,
        pairs=pairs_from_json(problem, stated["pairs"]) if "pairs" in stated else None,
    )


def _check_kind(given: Field, teammate: str) -> None:
    """Raise `InputError` unless a step of a trace is either an action of both agents or a question with its answer.

    Args:
        given: the step, a JSON object.
        teammate: the key of the teammate's action in this object.
    """
    is_null = {key: given.value[key] is None for key in ("action", teammate, "ask", "answer")}
    asks = not is_null["ask"]
    for key, null in is_null.items():
        belongs = (key in ("ask", "answer")) == asks
        if key == "answer" and asks:
            continue  # checked where it is read
        if null == belongs:
            kind = "a question" if asks else "a step without a question"
            raise given.child(key).refuse(f"{'a value' if belongs else 'null'} in {kind}")


def _belief_from_json(problem: Problem, given: Field) -> FloatArray | None:
    if given.value is None:
        return None
    given.object(problem.goals, [])
    return np.array([given.child(name).number() for name in problem.goals])


def _index(given: Field, names: tuple[str, ...]) -> int:
    return names.index(given.text(names))
