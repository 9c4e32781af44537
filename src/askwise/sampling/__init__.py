"""Estimates of the step at which an agent's actions rule out other goals, from runs of policies in an environment.

The environment only has to be one that can be stepped, and the policies may be learned. Theory:
`askwise.sampling.divergence`. Kinds of policies: `askwise.sampling.policies`.
"""

from askwise.sampling.divergence import sampled_divergence, sampled_edp
from askwise.sampling.online import OnlineRecogniser, recognise_online
from askwise.sampling.policies import GaussianPolicy, NoisyPolicy, VectorPolicy
from askwise.sampling.problem import SampledProblem
from askwise.sampling.results import SampledDivergence, SampledEdp
from askwise.sampling.rollouts import FromHere

__all__ = [
    "FromHere",
    "GaussianPolicy",
    "NoisyPolicy",
    "OnlineRecogniser",
    "SampledDivergence",
    "SampledEdp",
    "SampledProblem",
    "VectorPolicy",
    "recognise_online",
    "sampled_divergence",
    "sampled_edp",
]
