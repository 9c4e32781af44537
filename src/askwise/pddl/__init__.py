"""Planning problems (PDDL) and goal recognition on them.

The steps from files to results:

- `load` reads an archive, a folder or single files and returns a `Recognition`, with the candidate goals;
- ``recognition.task`` is the grounded problem: operators and states as bit vectors (`Task`);
- `cones_of` finds all optimal plans of all goals and returns them as one model, `Cones`;
- ``cones.divergence`` has the expected and the latest step at which an observer can tell two goals apart.
"""

from askwise.pddl.archive import Recognition, load, recognition
from askwise.pddl.cones import Cones, cones_of
from askwise.pddl.grounding import Limits
from askwise.pddl.task import Task

__all__ = ["Cones", "Limits", "Recognition", "Task", "cones_of", "load", "recognition"]
