"""Estimates, from sampled runs, of the step at which an agent's actions rule out the goals that it does not pursue.

No model is needed, only an environment that can be stepped and a policy for each goal, which may be learned.
`divergence` explains the theory, `policies` the kinds of policies.
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
