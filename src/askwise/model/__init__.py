"""Models of what one agent can do: states and actions, grid maps, maps drawn as text, goals, and policies.

A policy gives each action in a state a probability. The theory is in section "Background" of the paper.
"""

from askwise.model.grid import Drawing, GridWorld, same_model
from askwise.model.model import Model
from askwise.model.optimal import boltzmann, uniform_optimal, urop
from askwise.model.policy import Policy, follow
from askwise.model.pursuit import Pursuit, goal_list, goal_states, state_names

__all__ = [
    "Drawing",
    "GridWorld",
    "Model",
    "Policy",
    "Pursuit",
    "boltzmann",
    "follow",
    "goal_list",
    "goal_states",
    "same_model",
    "state_names",
    "uniform_optimal",
    "urop",
]
