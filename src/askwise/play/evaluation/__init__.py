"""What a method costs on average: exactly where that can be enumerated, else from samples; and the least possible."""

from askwise.play.evaluation.bounding import lower_bound
from askwise.play.evaluation.evaluating import evaluate
from askwise.play.evaluation.results import Evaluation
from askwise.play.evaluation.solving import solve

__all__ = ["Evaluation", "evaluate", "lower_bound", "solve"]
