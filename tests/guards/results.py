"""What guards record: each result as text, computed anew. `GUARDS` has them all, by the name of their file."""

from __future__ import annotations

import inspect
import re
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

import askwise
from askwise import Choice, Episode, Problem
from tests.guards import outputs
from tests.guards.problems import to_decide, to_solve, to_solve_with_noise

RECORDED = Path(__file__).parent / "recorded"

# -- decisions ---------------------------------------------------------------------------------------------------

PLAIN = ((1, None, None), (2, None, None), (3, None, None), (4, None, None), (5, None, "noisy:0.1"))
NOISY = (
    (1, "wrong:0.1,refused:0.2", None),
    (2, "wrong:0.05,persistent", None),
    (3, "wrong:0.2,refused:0.1", "noisy:0.1"),
)
"""Episodes on each problem: seed, how questions are answered, how the teammate walks."""
CERTAIN = 0.999
"""An agent that believes in a goal this much only walks on; its decisions are not recorded."""


def decisions(method: str, episodes: tuple[tuple[int, str | None, str | None], ...]) -> Iterator[str]:
    """Yield a line for each decision of an agent that is not certain of the goal, and one for each episode."""
    for seed, answers, teammate in episodes:
        for name, make in to_decide(seed).items():
            episode = askwise.simulate(make(), method, teammate, seed=seed, answers=answers)
            told = f"{episode.teammate}, {episode.problem.answers}, goal {episode.goal_name}"
            yield f"== {name}, seed {seed}, {told}: cost {episode.cost!r}, with the goal known {episode.known_cost!r}"
            yield from _decided(episode)


def _decided(episode: Episode) -> Iterator[str]:
    problem = episode.problem
    for step in episode.steps:
        decision, belief = step.decision, step.belief
        assert belief is not None
        if belief.max() >= CERTAIN:
            continue
        done = problem.ego.actions.names[decision.action] if decision.action is not None else "asks"
        parts = [f"{step.t} {done}"]
        if decision.considered is not None:
            parts.append(f"{_named(problem, decision.considered)}: saves {decision.value!r} for {decision.cost!r}")
        if decision.runner_up is not None:
            parts.append(f"then {_named(problem, decision.runner_up[0])} {decision.runner_up[1]!r}")
        # No field of a decision has the costs of the plan. Its sentence has them, rounded; its words may change.
        # How many states a search visits depends on the last bits of logarithms, and these on the processor.
        verdict = re.sub(r" \([\d,]+ states searched\)", "", decision.verdict)
        parts += [" ".join(re.findall(r"\d+\.\d+", decision.why)), verdict]
        parts.append(f"believes {problem.goals[belief.argmax()]} {float(belief.max())!r}")
        yield "; ".join(filter(None, parts))


def _named(problem: Problem, question: object) -> str:
    if isinstance(question, Choice):
        return " | ".join(_named(problem, group) for group in question.groups)
    assert isinstance(question, tuple)
    return ",".join(problem.goals[goal] for goal in question)


# -- exact values ------------------------------------------------------------------------------------------------


def values(problems: Iterator[tuple[str, Problem]], questions: int | None) -> Iterator[str]:
    """Yield the exact expected marginal costs of the optimum, `ezq` and the planner."""
    for name, problem in problems:
        found = {"optimum": askwise.solve(problem, questions=questions, go_on=True).expected_marginal_cost}
        for method in ("ezq", "planner"):
            held = askwise.evaluate(problem, method, exact=True, questions=questions, go_on=True)
            found[method] = held.expected_marginal_cost
        yield f"{name}: " + ", ".join(f"{who} {float(cost)!r}" for who, cost in found.items())


# -- public names ------------------------------------------------------------------------------------------------


def public_names() -> Iterator[str]:
    """Yield every public name, with its signature if it can be called."""
    for name in sorted(askwise.__all__):
        yield name + _signature(getattr(askwise, name))


def public_members() -> Iterator[str]:
    """Yield the public members of public classes, and the functions of public modules, with signatures."""
    for name in sorted(askwise.__all__):
        thing = getattr(askwise, name)
        if inspect.isclass(thing):
            bare = dir(Exception) if issubclass(thing, Exception) else ()
            found = {key: inspect.getattr_static(thing, key) for key in dir(thing) if key not in bare}
        elif inspect.ismodule(thing):
            found = {key: value for key, value in vars(thing).items() if inspect.getmodule(value) is thing}
        else:
            continue
        yield from (f"{name}.{key}{_signature(found[key])}" for key in sorted(found) if not key.startswith("_"))


def _signature(thing: object) -> str:
    if inspect.isclass(thing):  # some classes are made in a way of their own, whose signature says nothing
        thing = thing.__init__
    if isinstance(thing, classmethod | staticmethod):
        thing = thing.__func__
    return str(inspect.signature(thing)) if inspect.isfunction(thing) else ""


# -- a small study -----------------------------------------------------------------------------------------------

STUDY = "study paper --instances 2 --priors far near --per-goal 0 0.2 --workers 1 --out {folder}"


@cache
def study() -> dict[str, str]:
    """Return summary.csv of the paper's study, made small, and what the command prints."""
    with tempfile.TemporaryDirectory() as folder:
        printed = outputs.run(STUDY, folder)
        return {"summary.csv": (Path(folder) / "summary.csv").read_text(encoding="utf-8"), "printed": printed}


# -- all of them -------------------------------------------------------------------------------------------------


def _lines(make: Callable[..., Iterator[str]], *arguments: object) -> Callable[[], str]:
    return lambda: "".join(f"{line}\n" for line in make(*arguments))


GUARDS: dict[str, Callable[[], str]] = {
    "decisions-planner.txt": _lines(decisions, "planner", PLAIN),
    "decisions-planner-light.txt": _lines(decisions, "planner-light", PLAIN),
    "decisions-planner-noisy.txt": _lines(decisions, "planner", NOISY),
    "values.txt": _lines(lambda: values(to_solve(), None)),
    "values-noisy.txt": _lines(lambda: values(to_solve_with_noise(), 3)),
    "public-names.txt": _lines(public_names),
    "public-members.txt": _lines(public_members),
    "summary.csv": lambda: study()["summary.csv"],
    "json/study.json": lambda: study()["printed"],
    **{f"json/{name}.json": partial(outputs.printed, call) for name, call in outputs.CALLS.items()},
}
