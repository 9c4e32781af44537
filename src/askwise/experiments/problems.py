"""The problems of a task: its map in every setting that the study plays."""

from __future__ import annotations

import time

from askwise.domains.tool_fetching import ToolFetching
from askwise.experiments.study import Cell, StudyPrior, Task
from askwise.questions import QueryCost


class Problems:
    """The problems of a task: one for each prior and price, all on the tables of one map."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._plain: ToolFetching | None = None
        self.setup_seconds = 0.0
        self._made: dict[tuple[StudyPrior, QueryCost], ToolFetching] = {}

    def __call__(self, cell: Cell) -> ToolFetching:
        """Return the problem that a cell plays."""
        if self._plain is None:
            instance, start = self._task.instance(), time.perf_counter()
            self._plain = ToolFetching(instance)
            self._plain.teammate_matrices(self._plain.start.teammate)
            self._plain.ego_matrices(self._plain.start.ego)
            self.setup_seconds = time.perf_counter() - start
        cost = cell.query_cost(self._plain.instance)
        key = (cell.prior, cost)
        if key not in self._made:
            self._made[key] = self._plain.with_terms(cell.prior.of(self._plain.instance), cost)
        return self._made[key]
