"""What a method costs on average: exactly where that can be enumerated, else from samples; and the least possible."""

from askwise.evaluation.bounding import lower_bound
from askwise.evaluation.evaluating import evaluate
from askwise.evaluation.results import Evaluation
from askwise.evaluation.solving import solve

__all__ = ["Evaluation", "evaluate", "lower_bound", "solve"]
