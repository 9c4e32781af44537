"""askwise: decide when to ask a teammate, and what to ask.

Everything listed in ``__all__`` can be used as ``askwise.NAME``. Names are loaded at first use, so that
``import askwise`` and ``askwise --help`` do not wait for compilers and plotting libraries.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from askwise.agents import Agent as Agent
    from askwise.agents import Decision as Decision
    from askwise.agents import Observation as Observation
    from askwise.answers import AnswerModel as AnswerModel
    from askwise.api import ask as ask
    from askwise.api import evaluate as evaluate
    from askwise.api import lower_bound as lower_bound
    from askwise.api import simulate as simulate
    from askwise.api import solve as solve
    from askwise.auditing.auditing import audit as audit
    from askwise.auditing.results import Audit as Audit
    from askwise.auditing.results import AuditedEpisode as AuditedEpisode
    from askwise.auditing.results import AuditedStep as AuditedStep
    from askwise.deciding import Advice as Advice
    from askwise.decisions.entry import decide as decide
    from askwise.decisions.problem import DecisionProblem as DecisionProblem
    from askwise.decisions.recommendation import Recommendation as Recommendation
    from askwise.decisions.session import Session as Session
    from askwise.designing.designing import design as design
    from askwise.designing.results import Design as Design
    from askwise.divergence import Divergence as Divergence
    from askwise.divergence import DpDistribution as DpDistribution
    from askwise.divergence import Zone as Zone
    from askwise.divergence import Zones as Zones
    from askwise.divergence import dp as dp
    from askwise.divergence import dp_distribution as dp_distribution
    from askwise.divergence import ecd as ecd
    from askwise.divergence import edp as edp
    from askwise.divergence import wcd as wcd
    from askwise.divergence import zones as zones
    from askwise.domains.coverage import Coverage as Coverage
    from askwise.domains.plain.file import ProblemFile as ProblemFile
    from askwise.domains.tool_fetching import Instance as Instance
    from askwise.domains.tool_fetching import Prior as Prior
    from askwise.domains.tool_fetching import ToolFetching as ToolFetching
    from askwise.domains.tool_fetching.generate import generate as generate
    from askwise.episode import Episode as Episode
    from askwise.errors import AskwiseError as AskwiseError
    from askwise.errors import InputError as InputError
    from askwise.errors import NotConvergedError as NotConvergedError
    from askwise.evaluation import Evaluation as Evaluation
    from askwise.factored import FactoredProblem as FactoredProblem
    from askwise.game import Game as Game
    from askwise.model import Drawing as Drawing
    from askwise.model import GridWorld as GridWorld
    from askwise.model import Model as Model
    from askwise.model import Policy as Policy
    from askwise.model import boltzmann as boltzmann
    from askwise.model import follow as follow
    from askwise.model import uniform_optimal as uniform_optimal
    from askwise.model import urop as urop
    from askwise.planning.bounds import Bound as Bound
    from askwise.planning.exact.optimal import Solution as Solution
    from askwise.planning.exact.size import TooLarge as TooLarge
    from askwise.problem import JointState as JointState
    from askwise.problem import Problem as Problem
    from askwise.query import ContradictoryObservation as ContradictoryObservation
    from askwise.questions import Answer as Answer
    from askwise.questions import Choice as Choice
    from askwise.questions import QueryCost as QueryCost
    from askwise.teammates import Teammate as Teammate
    from askwise.tracking import Tracker as Tracker
    from askwise.types import Result as Result
    from askwise.types import Verdict as Verdict

    from . import plot as plot
    from . import trace as trace

_HOME = {
    "Advice": "askwise.deciding",
    "Agent": "askwise.agents",
    "Answer": "askwise.questions",
    "AnswerModel": "askwise.answers",
    "AskwiseError": "askwise.errors",
    "Audit": "askwise.auditing.results",
    "AuditedEpisode": "askwise.auditing.results",
    "AuditedStep": "askwise.auditing.results",
    "Bound": "askwise.planning.bounds",
    "Choice": "askwise.questions",
    "ContradictoryObservation": "askwise.query",
    "Coverage": "askwise.domains.coverage",
    "Decision": "askwise.agents",
    "DecisionProblem": "askwise.decisions.problem",
    "Design": "askwise.designing.results",
    "Divergence": "askwise.divergence",
    "DpDistribution": "askwise.divergence",
    "Drawing": "askwise.model",
    "Episode": "askwise.episode",
    "Evaluation": "askwise.evaluation",
    "FactoredProblem": "askwise.factored",
    "Game": "askwise.game",
    "GridWorld": "askwise.model",
    "InputError": "askwise.errors",
    "Instance": "askwise.domains.tool_fetching",
    "JointState": "askwise.problem",
    "Model": "askwise.model",
    "NotConvergedError": "askwise.errors",
    "Observation": "askwise.agents",
    "Policy": "askwise.model",
    "Prior": "askwise.domains.tool_fetching",
    "Problem": "askwise.problem",
    "ProblemFile": "askwise.domains.plain.file",
    "QueryCost": "askwise.questions",
    "Recommendation": "askwise.decisions.recommendation",
    "Result": "askwise.types",
    "Session": "askwise.decisions.session",
    "Solution": "askwise.planning.exact.optimal",
    "Teammate": "askwise.teammates",
    "TooLarge": "askwise.planning.exact.size",
    "ToolFetching": "askwise.domains.tool_fetching",
    "Tracker": "askwise.tracking",
    "Verdict": "askwise.types",
    "Zone": "askwise.divergence",
    "Zones": "askwise.divergence",
    "ask": "askwise.api",
    "audit": "askwise.auditing.auditing",
    "boltzmann": "askwise.model",
    "decide": "askwise.decisions.entry",
    "design": "askwise.designing.designing",
    "dp": "askwise.divergence",
    "dp_distribution": "askwise.divergence",
    "ecd": "askwise.divergence",
    "edp": "askwise.divergence",
    "evaluate": "askwise.api",
    "follow": "askwise.model",
    "generate": "askwise.domains.tool_fetching.generate",
    "lower_bound": "askwise.api",
    "plot": "askwise.plot",
    "simulate": "askwise.api",
    "solve": "askwise.api",
    "trace": "askwise.trace",
    "uniform_optimal": "askwise.model",
    "urop": "askwise.model",
    "wcd": "askwise.divergence",
    "zones": "askwise.divergence",
}

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'askwise' has no attribute {name!r}")
    home = importlib.import_module(_HOME[name])
    value = home if _HOME[name] == f"askwise.{name}" else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
