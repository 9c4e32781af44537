"""Planning problems (PDDL) and goal recognition on them.

From files to results:

- `load` reads a problem with its candidate goals, a `Recognition`;
- ``recognition.task`` is the grounded problem, with operators and states as bits (`Task`);
- `cones_of` finds all optimal plans of all goals, as one model (`Cones`);
- ``cones.divergence`` has the expected and the latest step at which an observer can tell two goals apart.
"""

from askwise.pddl.archive import Recognition, load, recognition
from askwise.pddl.cones import Cones, cones_of
from askwise.pddl.grounding import Limits
from askwise.pddl.task import Task

__all__ = ["Cones", "Limits", "Recognition", "Task", "cones_of", "load", "recognition"]
