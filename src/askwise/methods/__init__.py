"""Methods: agents that see a `Problem` and decide to act or to ask.

Other packages can add agents by name, with an entry point in the group ``askwise.methods`` that refers to a subclass of
`Agent` or to a function that returns an agent. An agent in a file of your own is named by its location,
``mine.py:Likeliest`` (`askwise.methods.third_party`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from askwise.core.decision import Decision, Gate, PairZones, Situation
from askwise.core.problem import Problem
from askwise.errors import AskwiseError, InputError, did_you_mean
from askwise.methods.base import Agent, Answer, BeliefAgent, KnowsGoal, Observation
from askwise.methods.checked import (
    AgentFailed,
    Interruption,
    blaming,
    checked_belief,
    checked_decision,
    checked_name,
    decision_and_belief,
    start_agent,
)
from askwise.methods.paper import Baseline, CostProb, Ezq, Informed, Never, Toolbox
from askwise.methods.third_party import (
    check_options,
    error_to_text,
    is_location,
    load_agent,
    made_agent,
    named_options,
    takes,
)
from askwise.workers import heartbeat

if TYPE_CHECKING:
    from askwise.methods.planning_agents import Optimal, PlannerAgent

__all__ = [
    "AGENTS",
    "Agent",
    "AgentFailed",
    "Answer",
    "Baseline",
    "BeliefAgent",
    "CostProb",
    "Decision",
    "Ezq",
    "Gate",
    "Informed",
    "Interruption",
    "KnowsGoal",
    "Never",
    "Observation",
    "Optimal",
    "PairZones",
    "PlannerAgent",
    "Situation",
    "Toolbox",
    "agent_for",
    "start_agent",
    "checked_belief",
    "blaming",
    "checked_name",
    "checked_decision",
    "make_agent",
    "methods",
    "decision_and_belief",
]


def _optimal(**options: Any) -> Agent:
    from askwise.methods.planning_agents import Optimal

    return Optimal(**options)


def _planner(**options: Any) -> Agent:
    from askwise.methods.planning_agents import PlannerAgent

    return PlannerAgent(**options)


# Agents that plan are imported when they are made: importing their kernels takes longer than a decision of the others.
AGENTS: dict[str, Callable[..., Agent]] = {
    "never": Never,
    "baseline": Baseline,
    "toolbox": Toolbox,
    "cost-prob": CostProb,
    "ezq": Ezq,
    "ezq-local": partial(Ezq, optimiser="local"),
    "ezq-exact": partial(Ezq, optimiser="exact"),
    "ezq-auto": partial(Ezq, optimiser="auto"),
    "optimal": _optimal,
    "planner": _planner,
    "planner-light": partial(_planner, setting="light"),
    "informed": Informed,
}
GROUP = "askwise.methods"


def __getattr__(name: str) -> Any:
    if name == "PlannerAgent":
        from askwise.methods.planning_agents import PlannerAgent

        return PlannerAgent
    if name == "Optimal":
        from askwise.methods.planning_agents import Optimal

        return Optimal
    raise AttributeError(f"module 'askwise.methods' has no attribute {name!r}")


def methods() -> dict[str, Callable[..., Agent]]:
    """Return all methods: for each name, the class or function that makes the agent.

    Methods of other installed packages (entry points ``askwise.methods``) are included.
    """
    found = dict(AGENTS)
    for point in entry_points(group=GROUP):
        found.setdefault(point.name, partial(_load, point))
    return found


def make_agent(given: str | Agent, **options: Any) -> Agent:
    """Return a new agent made from the name of its method; return an `Agent` object unchanged.

    Args:
        given: an agent, one of the names in `methods`, or the location of your own agent (``mine.py:Likeliest``).
            Options may follow a name: ``mine.py:Likeliest,enough=0.5``.
        options: options of the agent, such as ``belief``; ignored for an `Agent` object and for the name ``informed``.
    """
    if isinstance(given, Agent):
        return given
    stated: dict[str, Any] = {}
    if isinstance(given, str) and given not in AGENTS:
        given, stated = named_options(given)
        twice = next((key for key in stated if key in options), None)
        if twice is not None:
            raise InputError(twice, f"{stated[twice]!r} and {options[twice]!r}", "this option once")
        options |= stated
    known = methods() if isinstance(given, str) and given not in AGENTS else AGENTS
    if isinstance(given, str) and given not in known and is_location(given):
        return load_agent(given, **options)
    if not isinstance(given, str) or given not in known:
        allowed = "one of " + ", ".join(map(repr, known))
        raise InputError("method", repr(given), allowed + did_you_mean(str(given), known))
    if given == Informed.name:
        options = stated  # it knows the goal, so a belief that all methods get does not matter
    try:
        return known[given](**options)
    except TypeError as error:
        if not stated:
            raise
        raise InputError(f"method {given!r}", f"{error}", "options of this method") from None


def agent_for(problem: Problem, given: str | Agent, *, errs: bool = False, **options: Any) -> Agent:
    """Return the agent that plays a problem, with a belief that suits the teammate.

    If `errs` is True or the problem states the teammate's policies, ``robust`` replaces the method's default belief. A
    belief in `given` or `options`, an `Agent` object and a method of another package are not changed.

    Args:
        problem: the problem.
        given: the agent, or the name or location of its method.
        errs: whether the teammate may leave its shortest paths.
        options: options of an agent given by name; None is ignored. With an `Agent` object, other values raise
            `InputError`.
    """
    chosen = {key: value for key, value in options.items() if value is not None}
    if chosen and isinstance(given, Agent):
        key, value = next(iter(chosen.items()))
        raise InputError(key, f"{value!r} for an agent object", "this option only with an agent given by name")
    if (errs or problem.policies is not None) and _keeps_belief(given):
        chosen.setdefault("belief", "robust")
    return make_agent(given, **chosen)


def _keeps_belief(given: str | Agent) -> bool:
    """Return whether a method given by name or location accepts the option `belief`.

    False for agent objects, for ``informed``, for texts that already state the option, and for methods that other
    packages add by name.
    """
    if not isinstance(given, str):
        return False
    name, stated = named_options(given)
    if name == Informed.name or "belief" in stated:
        return False
    return name in AGENTS or (is_location(name) and takes(name, "belief"))


def _load(point: Any, **options: Any) -> Agent:
    field = f"method {point.name!r}"
    try:
        with heartbeat.loading:
            make = point.load()
    except (AskwiseError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise InputError(field, error_to_text(error), "an agent that can be made") from error
    check_options(make, options, field)
    return made_agent(make, options, field)
