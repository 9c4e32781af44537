"""askwise: decide when to ask a teammate, and what to ask.

Every name in ``__all__`` is available as ``askwise.NAME``. Its module is imported at first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from askwise.api import ask as ask
    from askwise.api import evaluate as evaluate
    from askwise.api import lower_bound as lower_bound
    from askwise.api import simulate as simulate
    from askwise.api import solve as solve
    from askwise.audits.audit import audit as audit
    from askwise.audits.results import Audit as Audit
    from askwise.audits.results import AuditedEpisode as AuditedEpisode
    from askwise.audits.results import AuditedStep as AuditedStep
    from askwise.core.answers import AnswerModel as AnswerModel
    from askwise.core.belief import ContradictoryObservation as ContradictoryObservation
    from askwise.core.belief import Tracker as Tracker
    from askwise.core.episode import Episode as Episode
    from askwise.core.factored import FactoredProblem as FactoredProblem
    from askwise.core.game import Game as Game
    from askwise.core.problem import JointState as JointState
    from askwise.core.problem import Problem as Problem
    from askwise.core.questions import Answer as Answer
    from askwise.core.questions import Choice as Choice
    from askwise.core.questions import QueryCost as QueryCost
    from askwise.core.teammates import Teammate as Teammate
    from askwise.decisions.decide import Session as Session
    from askwise.decisions.decide import decide as decide
    from askwise.decisions.problem import DecisionProblem as DecisionProblem
    from askwise.decisions.recommendation import Recommendation as Recommendation
    from askwise.designs.design import design as design
    from askwise.designs.results import Design as Design
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
    from askwise.domains.stated.file import ProblemFile as ProblemFile
    from askwise.domains.tool_fetching import Instance as Instance
    from askwise.domains.tool_fetching import Prior as Prior
    from askwise.domains.tool_fetching import ToolFetching as ToolFetching
    from askwise.domains.tool_fetching.generate import generate as generate
    from askwise.errors import AskwiseError as AskwiseError
    from askwise.errors import InputError as InputError
    from askwise.errors import NotConvergedError as NotConvergedError
    from askwise.methods import Agent as Agent
    from askwise.methods import Decision as Decision
    from askwise.methods import Observation as Observation
    from askwise.model import Drawing as Drawing
    from askwise.model import GridWorld as GridWorld
    from askwise.model import Model as Model
    from askwise.model import Policy as Policy
    from askwise.model import boltzmann as boltzmann
    from askwise.model import follow as follow
    from askwise.model import uniform_optimal as uniform_optimal
    from askwise.model import urop as urop
    from askwise.pddl.recogniser import recognise as recognise
    from askwise.planning.bounds import Bound as Bound
    from askwise.planning.exact import TooLarge as TooLarge
    from askwise.planning.optimum import Solution as Solution
    from askwise.play import trace as trace
    from askwise.play.ask import Advice as Advice
    from askwise.play.evaluate import Evaluation as Evaluation
    from askwise.sampling.divergence import sampled_divergence as sampled_divergence
    from askwise.sampling.divergence import sampled_edp as sampled_edp
    from askwise.sampling.online import OnlineRecogniser as OnlineRecogniser
    from askwise.sampling.online import recognise_online as recognise_online
    from askwise.sampling.problem import SampledProblem as SampledProblem
    from askwise.sampling.results import SampledDivergence as SampledDivergence
    from askwise.sampling.results import SampledEdp as SampledEdp
    from askwise.studies.pipeline import study as study
    from askwise.types import Result as Result
    from askwise.types import Verdict as Verdict
    from askwise.view import plot as plot

_HOME = {
    "Advice": "askwise.play.ask",
    "Agent": "askwise.methods",
    "Answer": "askwise.core.questions",
    "AnswerModel": "askwise.core.answers",
    "AskwiseError": "askwise.errors",
    "Audit": "askwise.audits.results",
    "AuditedEpisode": "askwise.audits.results",
    "AuditedStep": "askwise.audits.results",
    "Bound": "askwise.planning.bounds",
    "Choice": "askwise.core.questions",
    "ContradictoryObservation": "askwise.core.belief",
    "Coverage": "askwise.domains.coverage",
    "Decision": "askwise.methods",
    "DecisionProblem": "askwise.decisions.problem",
    "Design": "askwise.designs.results",
    "Divergence": "askwise.divergence",
    "DpDistribution": "askwise.divergence",
    "Drawing": "askwise.model",
    "Episode": "askwise.core.episode",
    "Evaluation": "askwise.play.evaluate",
    "FactoredProblem": "askwise.core.factored",
    "Game": "askwise.core.game",
    "GridWorld": "askwise.model",
    "InputError": "askwise.errors",
    "Instance": "askwise.domains.tool_fetching",
    "JointState": "askwise.core.problem",
    "Model": "askwise.model",
    "NotConvergedError": "askwise.errors",
    "Observation": "askwise.methods",
    "OnlineRecogniser": "askwise.sampling.online",
    "Policy": "askwise.model",
    "Prior": "askwise.domains.tool_fetching",
    "Problem": "askwise.core.problem",
    "ProblemFile": "askwise.domains.stated.file",
    "QueryCost": "askwise.core.questions",
    "Recommendation": "askwise.decisions.recommendation",
    "Result": "askwise.types",
    "SampledDivergence": "askwise.sampling.results",
    "SampledEdp": "askwise.sampling.results",
    "SampledProblem": "askwise.sampling.problem",
    "Session": "askwise.decisions.decide",
    "Solution": "askwise.planning.optimum",
    "Teammate": "askwise.core.teammates",
    "TooLarge": "askwise.planning.exact",
    "ToolFetching": "askwise.domains.tool_fetching",
    "Tracker": "askwise.core.belief",
    "Verdict": "askwise.types",
    "Zone": "askwise.divergence",
    "Zones": "askwise.divergence",
    "ask": "askwise.api",
    "audit": "askwise.audits.audit",
    "boltzmann": "askwise.model",
    "decide": "askwise.decisions.decide",
    "design": "askwise.designs.design",
    "dp": "askwise.divergence",
    "dp_distribution": "askwise.divergence",
    "ecd": "askwise.divergence",
    "edp": "askwise.divergence",
    "evaluate": "askwise.api",
    "follow": "askwise.model",
    "generate": "askwise.domains.tool_fetching.generate",
    "lower_bound": "askwise.api",
    "recognise": "askwise.pddl.recogniser",
    "recognise_online": "askwise.sampling.online",
    "sampled_divergence": "askwise.sampling.divergence",
    "sampled_edp": "askwise.sampling.divergence",
    "simulate": "askwise.api",
    "solve": "askwise.api",
    "study": "askwise.studies.pipeline",
    "uniform_optimal": "askwise.model",
    "urop": "askwise.model",
    "wcd": "askwise.divergence",
    "zones": "askwise.divergence",
}

_MODULES = {"plot": "askwise.view.plot", "trace": "askwise.play.trace"}

__all__ = ["__version__", *_HOME, *_MODULES]


def __getattr__(name: str) -> object:
    if name not in _HOME and name not in _MODULES:
        raise AttributeError(f"module 'askwise' has no attribute {name!r}")
    if name in _MODULES:
        value: object = importlib.import_module(_MODULES[name])
    else:
        value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
