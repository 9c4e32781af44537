"""Planning problems (PDDL) and goal recognition on them.

From files to answers, each arrow one function:

- `load` reads an archive, a folder or single files: a `Recognition`, with the goals that are thought possible;
- ``recognition.task`` is the problem as bits: operators, and states as rows of words (`Task`);
- `cones_of` finds all optimal plans of all goals: `Cones`, one model of all that an optimal actor may do;
- ``cones.divergence`` is EDP and WCD between goals, as in every other model.
"""

from askwise.pddl.archive import Recognition, load, recognition
from askwise.pddl.cones import Cones, cones_of
from askwise.pddl.limits import Limits
from askwise.pddl.task import Task

__all__ = ["Cones", "Limits", "Recognition", "Task", "cones_of", "load", "recognition"]
