"""`askwise.design`: which cells, edges or actions to forbid so that goals can be recognised earlier."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from askwise.designs.branch_and_bound import EQUAL, Progress
from askwise.designs.measures import expected_edp, pair_weights
from askwise.designs.paths import Removals, TeammatePaths, trip_steps
from askwise.designs.places import space_of_place
from askwise.designs.results import OBJECTIVES, OWN, Design, DesignState, DesignVerdict
from askwise.designs.search import DesignSearch
from askwise.designs.space import Space
from askwise.domains.registry import read_file
from askwise.errors import AskwiseError, InputError, did_you_mean
from askwise.model import Drawing
from askwise.model.names import as_int
from askwise.pddl.archive import ENDINGS, Recognition, load
from askwise.planning.exact import TooLarge
from askwise.text.data import looks_like_data
from askwise.text.files import find, read_text

BY = ("planner", "optimum")
Outcome = tuple[Removals, DesignVerdict, DesignSearch]


def design(
    problem: object,
    most: int | None = None,
    *,
    minimise: str = "wcd",
    by: str | None = None,
    budget: int = 0,
    forbid: Iterable[Hashable] | None = None,
    limit: int | None = None,
    progress: Progress | None = None,
) -> Design:
    """Return what to forbid so that goals can be recognised earlier, and the effect of forbidding it.

    On a map, cells become walls. On a graph, edges are closed. If both agents share the map or graph, this is for both.
    In a planning problem, actions such as ``stack a b`` are forbidden.

    Give either `most`, to search for the best design, or `forbid`, to see the effect of your own.

    Args:
        problem: a `Problem`; the contents of a problem file; a map drawn as text (`Drawing`); a planning problem
            (`askwise.pddl.load`); a `Space`; or the path of a file.
        most: largest number of things (cells, edges or actions) to forbid. Ties go to fewer things, then to shorter
            paths.
        minimise: ``wcd`` for the latest step at which two goals can be told apart (worst-case distinctiveness), minus 1
            for planning problems; ``edp`` for the expected step at which one goal is ruled out while another is
            pursued, both drawn from the prior; ``cost`` for the expected cost of not knowing the goal.
        by: for ``cost``, the ego agent: ``planner`` (default), or the best possible agent, ``optimum``, for small
            problems.
        budget: steps by which each agent's shortest path to each goal may grow.
        forbid: names of the things that your own design forbids.
        limit: largest number of designs to evaluate; None for a default that depends on the problem.
        progress: called with the number of designs so far, or None.

    Returns:
        The things to forbid, values before and after, the changed problem, and whether the design is proven to be best.
    """
    began = time.perf_counter()
    _check(most, minimise, by, budget, forbid, limit)
    by = (by or "planner") if minimise == "cost" else None
    space = space_of_given(problem)
    if minimise == "cost" and not space.plays:
        expected = "'wcd' or 'edp': the ego agent's goals are not defined (a problem file defines them: askwise new)"
        raise InputError("minimise", "'cost'", expected)
    space = _wide_enough(space, budget)
    options: dict[str, Any] = {"minimise": minimise, "by": by, "limit": limit, "progress": progress}
    try:
        if forbid is not None:
            found, verdict, search = _own(space, list(forbid), options)
        else:
            assert most is not None
            _check_most(space, most)
            found, verdict, search = _best(space, most, budget, options)
        before, after = (_state(search, things) for things in ((), found))
        if minimise == "wcd" and verdict.bound is not None:
            verdict = replace(verdict, bound=_as_prefix(space, verdict.bound))
    except TooLarge as error:
        raise AskwiseError(f"{error}; for larger problems use by='planner'") from None
    return Design(
        thing=space.thing,
        forbidden=tuple(space.names[thing] for thing in found),
        minimise=minimise,
        by=by,
        most=len(found) if most is None else most,
        budget=budget,
        goals=space.goals,
        prior=np.array(space.prior),
        left_out=space.left_out,
        before=before,
        after=after,
        verdict=verdict,
        both=space.both,
        prefix=space.prefix,
        changed=space.changed(found),
        given=space.changed(()),
        seconds=time.perf_counter() - began,
    )


def _wide_enough(space: Space, budget: int) -> Space:
    """Return a design space whose graph contains all paths that are at most `budget` steps longer than the shortest.

    This is `space` if possible. Raises an InputError if the graph cannot be widened.
    """
    if space.largest_budget is None or budget <= space.largest_budget:
        return space
    if space.widened is None:
        raise InputError("budget", budget, f"{space.largest_budget}: for {space.things}, longer paths are not known")
    return space.widened(budget)


def _check(most: Any, minimise: Any, by: Any, budget: Any, forbid: Any, limit: Any) -> None:
    if (most is None) == (forbid is None):
        raise InputError("most, forbid", "neither" if most is None else "both", "one of the two")
    if most is not None and (as_int(most) or 0) < 1:
        raise InputError("most", repr(most), "a whole number from 1")
    if minimise not in OBJECTIVES:
        allowed = "one of " + ", ".join(map(repr, OBJECTIVES))
        raise InputError("minimise", repr(minimise), allowed + did_you_mean(str(minimise), OBJECTIVES))
    if by is not None and by not in BY:
        raise InputError("by", repr(by), "one of " + ", ".join(map(repr, BY)) + did_you_mean(str(by), BY))
    if by is not None and minimise != "cost":
        raise InputError("by", repr(by), f"nothing, unless minimise is 'cost' (it is {minimise!r})")
    number = as_int(budget)
    if number is None or number < 0:
        raise InputError("budget", repr(budget), "a whole number from 0")
    if limit is not None and (as_int(limit) or 0) < 1:
        raise InputError("limit", repr(limit), "a whole number from 1")


def _check_most(space: Space, most: int) -> None:
    if most > len(space.names):
        n = len(space.names)
        found = f"{most} {space.thing if most == 1 else space.things}"
        raise InputError("most", found, f"at most {n}: no more {space.things} may be forbidden")


def _best(space: Space, most: int, budget: int, options: dict[str, Any]) -> Outcome:
    """Return the best design in a space; of several best designs, one that lengthens paths least.

    The search is repeated with smaller budgets, down to the smallest with an equally good design. `options` are further
    arguments of `DesignSearch`.

    Returns:
        Indices of the forbidden things; the verdict; and the search that found the things.
    """

    def within(steps: int) -> Outcome:
        search = DesignSearch(space, TeammatePaths(space, steps), budget=steps, **options)
        return *search.best(most), search

    found = within(budget)
    low, high = 0, min(budget, _growth(found))
    while low < high and found[1].proven:
        middle = (low + high) // 2
        other = within(middle)
        if other[1].proven and _as_good(other, found):
            found, high = other, min(middle, _growth(other))
        else:
            low = middle + 1
    return found


def _growth(found: Outcome) -> int:
    """Return the largest number of steps by which the design that was found lengthens an agent's path to a goal.

    `found` consists of the indices of the forbidden things, a verdict (not used), and the object that searched.
    """
    things, _, search = found
    grown = int((search.paths.steps(things) - search.paths.costs).max())
    return (
        grown
        if search.space.trips is None
        else max(grown, int((search.ego_steps(things) - search.ego_steps(())).max()))
    )


def _as_good(one: Outcome, other: Outcome) -> bool:
    same = abs(one[2].value_of(one[0]) - other[2].value_of(other[0])) <= EQUAL
    return same and len(one[0]) <= len(other[0])


# -- your own design ---------------------------------------------------------------------------------------------


def _own(space: Space, names: Sequence[Hashable], options: dict[str, Any]) -> Outcome:
    numbers = {name: number for number, name in enumerate(space.names)}
    found = []
    for name in names:
        known = tuple(name) if isinstance(name, list) else name
        if known not in numbers:
            shown = ", ".join(map(repr, space.names[:5])) + (", ..." if len(space.names) > 5 else "")
            article = "an" if space.thing[0] in "aeiou" else "a"
            raise InputError("forbid", repr(name), f"{article} {space.thing} that may be forbidden, one of {shown}")
        found.append(numbers[known])
    design = tuple(sorted(set(found)))
    # No limit: a shortest path has fewer steps than there are states.
    budget = space.graph.successor.shape[0] if space.largest_budget is None else space.largest_budget
    paths = TeammatePaths(space, budget)
    _refuse_cut_off(space, design, paths.steps(design), "teammate")
    if space.trips is not None:
        _refuse_cut_off(space, design, trip_steps(space.trips, design, len(space.names)), "ego agent")
    return design, DesignVerdict(False, OWN, None, 1), DesignSearch(space, paths, budget=budget, **options)


def _refuse_cut_off(space: Space, design: Removals, steps: Any, who: str) -> None:
    missing = np.flatnonzero(steps < 0)
    if missing.size:
        names = ", ".join(str(space.names[thing]) for thing in design)
        path = {None: "path", 0: "shortest plan"}.get(space.largest_budget, "plan within the budget")
        found = f"{names}, which leaves the {who} no {path} to goal {space.goals[int(missing[0])]}"
        raise InputError("forbid", found, f"{space.things} that leave a {path} to every goal")


# -- before and after --------------------------------------------------------------------------------------------


def _state(search: DesignSearch, things: Removals) -> DesignState:
    space, paths = search.space, search.paths
    edp, apart, steps = paths.divergence(things)
    ego = [] if space.trips is None else search.ego_steps(things).tolist()
    counted = np.outer(paths.counted, paths.counted) & ~np.eye(steps.size, dtype=np.bool_)
    # Goals that agree up to the end of a plan for both of them have this plan in common.
    never = counted & (apart == 1 + steps[:, None]) & (apart == 1 + steps[None, :])
    worst, value = float(apart[counted].max(initial=0.0)), search.value_of(things)
    return DesignState(
        value=_as_prefix(space, value) if search.minimise == "wcd" else value,
        wcd=_as_prefix(space, worst),
        edp=expected_edp(edp, pair_weights(space.prior)),
        costs=dict(zip(space.goals, steps.tolist(), strict=True)),
        ego_costs=dict(zip(space.goals, ego, strict=False)),
        told_apart=np.inf if never.any() else worst,
        never_apart=int(never.sum()),
        wcd_matrix=apart - 1 if space.prefix else apart,
        edp_matrix=edp,
    )


def _as_prefix(space: Space, worst: float) -> float:
    """Return the worst-case distinctiveness (WCD) to report if `worst` is the latest step that separates two goals.

    It is `worst`, or for planning problems the length of the longest common prefix of plans: ``worst - 1``, at least 0.
    """
    return max(worst - 1, 0.0) if space.prefix else worst


def space_of_given(given: object, progress: Callable[[str], None] | None = None) -> Space:
    """Return the design space of a problem: what may be forbidden in it, and the moves of the agents.

    Args:
        given: a problem, the contents of a problem file, a map drawn as text, a planning problem, the path of a file,
            or a `Space`, which is returned unchanged.
        progress: called with lines of text while plans are searched, or None.
    """
    if isinstance(given, Space):
        return given
    if isinstance(given, str | Path):
        given = _read(Path(given))
    if isinstance(given, Recognition):
        from askwise.designs.actions import space_of_actions

        return space_of_actions(given, progress)
    return space_of_place(given)


def _read(path: Path) -> object:
    if path.is_dir() or path.name.lower().endswith(ENDINGS):
        return load(path)
    path = find(path)
    text = read_text(path)
    if looks_like_data(text) or path.suffix.lower() == ".toml":
        return read_file(path)
    return Drawing.parse(text)
