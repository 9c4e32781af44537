"""The result of a search for a design: classes, text, JSON, and the changed problem as a file."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from askwise.designs.measures import pair_weights
from askwise.domains.registry import domain_of, words_of
from askwise.frozen import freeze_fields
from askwise.model import Drawing
from askwise.pddl import archive as writing
from askwise.pddl.archive import Recognition
from askwise.text.data import json_text
from askwise.text.files import whole_file
from askwise.text.wording import Vocabulary, printable
from askwise.types import FloatArray

OBJECTIVES = {"wcd": "WCD", "edp": "expected EDP", "cost": "cost of not knowing"}
"""The values that can be minimised, and their names in texts."""
OWN = "your own design; optimality was not checked"
MOST_GOALS = 40
"""Largest number of goals that are listed."""


@dataclass(frozen=True)
class DesignState:
    """The values of a problem before or after a design: how soon goals are told apart, and how long the paths are.

    Attributes:
        value: the minimised value.
        wcd: worst-case distinctiveness, the latest step at which two goals are told apart; for planning problems, one
            less.
        edp: expected step at which one goal is ruled out while another is pursued, both drawn from the prior.
        told_apart: the latest step at which two goals are told apart; infinite if `never_apart` is above 0.
        never_apart: number of ordered pairs of goals with a whole shortest plan in common. In `wcd` and `edp`, the step
            after the end of this plan tells them apart.
        costs: steps of the teammate's shortest plan for each goal.
        ego_costs: steps of the ego agent's shortest path for each goal; empty if designs do not change them.
        wcd_matrix: ``float64 [n_goals (ruled out), n_goals (pursued)]``, `wcd` of each pair of goals.
        edp_matrix: ``float64 [n_goals (ruled out), n_goals (pursued)]``, expected step at which one goal is ruled out
            while the other is pursued.
    """

    value: float
    wcd: float
    edp: float
    told_apart: float
    never_apart: int
    costs: Mapping[str, int]
    ego_costs: Mapping[str, int]
    wcd_matrix: FloatArray = field(repr=False, compare=False)
    edp_matrix: FloatArray = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        freeze_fields(self, "costs", "ego_costs", "wcd_matrix", "edp_matrix")


@dataclass(frozen=True)
class DesignVerdict:
    """The verdict on a design: how it was found, and whether it is proven that no allowed design is better.

    Attributes:
        proven: whether no allowed design has a smaller value, or an equal value with fewer forbidden things.
        method: how the design was found, in words.
        bound: lower bound on the values of all allowed designs, or None.
        looked_at: number of designs evaluated.
        estimated: whether values are averages over episodes.
    """

    proven: bool
    method: str
    bound: float | None
    looked_at: int
    estimated: bool = False

    def __str__(self) -> str:
        if self.method == OWN:
            return OWN
        evaluated = f"{self.looked_at:,} design{'s' if self.looked_at != 1 else ''} evaluated"
        if self.proven:
            return f"proven optimal by {self.method}; {evaluated}"
        bound = "" if self.bound is None else f"; lower bound {self.bound:.6g}"
        values = "; values estimated from episodes" if self.estimated else ""
        return f"best design found; not proven optimal ({self.method}; {evaluated}{bound}{values})"


@dataclass(frozen=True)
class Design:
    """What to forbid so that goals can be recognised earlier, and the effect of forbidding it.

    Attributes:
        thing: what is forbidden: ``cell``, ``edge`` or ``action``.
        forbidden: names of the things to forbid.
        minimise: ``wcd``, ``edp`` (expected EDP) or ``cost`` (expected cost of not knowing the goal).
        by: for ``cost``, the ego agent: ``planner`` or ``optimum``; None for other values.
        most: largest number of forbidden things.
        budget: steps by which the shortest path to each goal may grow.
        goals: names of the goals.
        prior: ``float64 [n_goals]``, probability of each goal.
        left_out: names of unreachable goals, which are ignored.
        before: values before the design.
        after: values after the design.
        verdict: whether the design is proven to be best.
        both: whether things are forbidden for both agents.
        prefix: whether WCD (worst-case distinctiveness) is the number of common steps, one less than the step that
            tells goals apart.
        changed: the changed problem or instance.
        given: the original problem or instance.
        seconds: computing time.
    """

    thing: str
    forbidden: tuple[Hashable, ...]
    minimise: str
    by: str | None
    most: int
    budget: int
    goals: tuple[str, ...]
    prior: FloatArray = field(repr=False, compare=False)
    left_out: tuple[str, ...]
    before: DesignState
    after: DesignState
    verdict: DesignVerdict
    both: bool
    prefix: bool
    changed: Any = field(repr=False, compare=False)
    given: Any = field(repr=False, compare=False)
    seconds: float = field(compare=False)

    def __post_init__(self) -> None:
        freeze_fields(self, "prior")

    @property
    def gain(self) -> float:
        """The decrease of the minimised value: before the design minus after it."""
        return self.before.value - self.after.value

    def __str__(self) -> str:
        what = ", ".join(map(str, self.forbidden)) or "nothing"
        name = OBJECTIVES[self.minimise]
        return f"forbid {what}: {name} {self.before.value:.6g} -> {self.after.value:.6g} ({self.verdict})"


# -- text ---------------------------------------------------------------------------------------------------------


def to_text(design: Design) -> str:
    """Return a design as text: what to forbid, and the values before and after side by side."""
    words = words_of(design.given)
    lines = [f"forbid   {_listed(design)}", *_effect(design, words), ""]
    lines += _values(design)
    lines += ["", *_goals(design, words), "", f"verdict  {design.verdict}"]
    return "\n".join(lines) + "\n"


def _listed(design: Design) -> str:
    return ", ".join(named(name) for name in design.forbidden) or f"nothing: no {design.thing} would help"


def named(name: Hashable) -> str:
    """Return the name of a forbidden thing as text: a cell as ``(x, y)``, an edge as ``one --action--> other``.

    The name of an action is a text already.
    """
    if isinstance(name, tuple) and len(name) == 3:
        return printable("{} --{}--> {}".format(*name))
    return printable(str(name))


def _effect(design: Design, words: Vocabulary) -> list[str]:
    if not design.forbidden:
        return []
    ending = "" if len(design.forbidden) == 1 else "s"
    what = {"cell": f"wall{ending}", "edge": f"closed edge{ending}"}.get(
        design.thing, f"forbidden {design.thing}{ending}"
    )
    who = "both agents" if design.both else f"the {words.teammate} only"
    return [f"         {what} for {who}"]


def _values(design: Design) -> list[str]:
    before, after = design.before, design.after
    rows = [("WCD", before.wcd, after.wcd), (f"expected {_edp(design)}", before.edp, after.edp)]
    if design.prefix:
        rows.insert(1, ("told apart by step", before.told_apart, after.told_apart))
    if design.minimise == "cost":
        rows.append((f"{OBJECTIVES['cost']}, by {design.by}", design.before.value, design.after.value))
    width = max(len(name) for name, _, _ in rows) + 2
    lines = [" " * width + "  before     after"]
    lines += [f"{name:<{width}}{_number(name, one):>8}{_number(name, other):>10}" for name, one, other in rows]
    what = (
        "longest common prefix of optimal plans, in steps"
        if design.prefix
        else "the latest step that separates two goals"
    )
    return [*lines, "", f"WCD: {what}.", *_capped(design)]


def _edp(design: Design) -> str:
    return "EDP, capped" if design.before.never_apart or design.after.never_apart else "EDP"


def _capped(design: Design) -> list[str]:
    """Return lines that say how many pairs of goals are never told apart, and how these pairs count in the values.

    The list is empty if there are no such pairs, neither before nor after the design.
    """
    before, after = design.before.never_apart, design.after.never_apart
    if not before and not after:
        return []
    n = int(np.count_nonzero(design.prior))
    pairs = f"{before} of {n * (n - 1)} ordered pairs of goals before, {after} after"
    return [
        f"Capped: {pairs}, have a plan in common.",
        "They are never separated, and count up to the end of the plan.",
    ]


def _goals(design: Design, words: Vocabulary) -> list[str]:
    """Return the lines of a table of the goals: the agents' steps and the mean EDP, before and after the design.

    The mean EDP is the expected step at which another goal, drawn from the prior, is ruled out.
    """
    columns: list[tuple[str, list[tuple[str, str]]]] = [
        (f"{words.teammate}'s steps", _pairs(design, "costs")),
        (_edp(design), _alike(design)),
    ]
    if design.before.ego_costs:
        columns.insert(1, (f"{words.ego}'s steps", _pairs(design, "ego_costs")))
    names = [printable(goal) for goal in design.goals]
    first = max(len(words.goal), *(len(name) for name in names)) + 2
    widths = [max(18, len(title) + 2) for title, _ in columns]
    half = [width // 2 for width in widths]
    lines = [
        " " * first + "".join(title.rjust(width) for (title, _), width in zip(columns, widths, strict=True)),
        words.goal.ljust(first)
        + "".join("before".rjust(w - h) + "after".rjust(h) for w, h in zip(widths, half, strict=True)),
    ]
    for k, name in enumerate(names[:MOST_GOALS]):
        cells = "".join(
            rows[k][0].rjust(w - h) + rows[k][1].rjust(h) for (_, rows), w, h in zip(columns, widths, half, strict=True)
        )
        lines.append(name.ljust(first) + cells)
    if len(names) > MOST_GOALS:
        lines.append(f"... and {len(names) - MOST_GOALS} more (--json lists all)")
    lines += [f"left out, unreachable: {printable(goal)}" for goal in design.left_out]
    return lines


def _pairs(design: Design, which: str) -> list[tuple[str, str]]:
    before, after = getattr(design.before, which), getattr(design.after, which)
    return [(str(before[goal]), str(after[goal])) for goal in design.goals]


def _alike(design: Design) -> list[tuple[str, str]]:
    """Return, for each goal, its mean EDP before and after the design as a pair of texts.

    The mean EDP is the expected step at which another goal, drawn from the prior, is ruled out while this goal is
    pursued.
    """
    both = [alike(state, design.prior) for state in (design.before, design.after)]
    return [(_number("EDP", one), _number("EDP", other)) for one, other in zip(*both, strict=True)]


def alike(state: DesignState, prior: Any) -> list[float]:
    """Return for each goal the expected step at which another goal is ruled out if the teammate pursues this goal.

    The other goal is drawn from the prior. The value is ``nan`` if this goal, or all others, have a prior of 0.

    Args:
        state: values before or after a design.
        prior: probability of each goal.
    """
    weights = pair_weights(np.asarray(prior))
    shares = weights.sum(axis=0)
    total = (state.edp_matrix * weights).sum(axis=0)
    return [float(t / s) if s > 0 else math.nan for t, s in zip(total, shares, strict=True)]


def _number(name: str, value: float) -> str:
    if not math.isfinite(value):
        return "-" if math.isnan(value) else "never"
    return f"{value:.0f}" if name in ("WCD", "told apart by step") else f"{value:.3f}"


# -- JSON -------------------------------------------------------------------------------------------------------


def as_json(design: Design) -> dict[str, Any]:
    """Return a design as a JSON-compatible dict, as printed by ``--json``.

    Most keys are attributes of `Design` and of its verdict. The others are ``forbid`` (what to forbid), ``for_both``
    (whether for both agents), ``at_most`` (the largest number of things to forbid), ``wcd_convention`` (how WCD is
    counted, in words), ``before`` and ``after`` (dicts of values) and ``verdict`` (a text).
    """
    return {
        "forbid": [_json(name) for name in design.forbidden],
        "thing": design.thing,
        "for_both": design.both,
        "minimise": design.minimise,
        "by": design.by,
        "at_most": design.most,
        "budget": design.budget,
        "left_out": list(design.left_out),
        "wcd_convention": "longest common prefix" if design.prefix else "step that tells apart",
        "before": _state(design.before),
        "after": _state(design.after),
        "verdict": str(design.verdict),
        "proven": design.verdict.proven,
        "bound": design.verdict.bound,
        "looked_at": design.verdict.looked_at,
        "seconds": round(design.seconds, 3),
    }


def _json(name: Any) -> Any:
    return [_json(each) for each in name] if isinstance(name, tuple) else name


def _state(state: DesignState) -> dict[str, Any]:
    return {
        "value": state.value,
        "wcd": state.wcd,
        "edp": state.edp,
        "told_apart": state.told_apart if math.isfinite(state.told_apart) else None,
        "never_apart": state.never_apart,
        "costs": dict(state.costs),
        "ego_costs": dict(state.ego_costs),
    }


# -- files -------------------------------------------------------------------------------------------------------


def save(design: Design, path: str | Path) -> None:
    """Write the changed problem, in which the things of a design are forbidden, to a file.

    A drawing stays a drawing. An instance becomes TOML if the name ends in ``.toml``, otherwise JSON. A planning
    problem becomes an archive if the name has an ending of archives, such as ``.tar.bz2``, otherwise a folder.
    """
    if isinstance(design.changed, Recognition):
        writing.save(design.changed, path)
        return
    text = _text(design.changed, toml=Path(path).suffix.lower() == ".toml")
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _text(changed: Any, *, toml: bool) -> str:
    if isinstance(changed, Drawing):
        return f"{changed}\n"
    contents = domain_of(changed).write(changed)
    if not toml:
        return json_text(contents)
    from askwise.text.data import toml_text

    return toml_text(contents)
