"""The running example of the paper that askwise implements: two goals, g1 and g2, on a grid of 9 x 7 cells.

Our copy of the paper lacks the figure of this grid. The numbers in the paper's text fit any row of g1 from 0
to 3; we use row 0. The expected divergence points that `figure` and `text` show depend on this choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from matplotlib.figure import Figure

from askwise.divergence import Divergence, Zones, dp, ecd, edp, zones
from askwise.model import GridWorld, follow, urop
from askwise.view import plot

GRID = GridWorld(9, 7)
GOALS = {"g1": (8, 0), "g2": (8, 6)}
TEAMMATE = (4, 3)
EGO_NEAR, EGO_FAR = (5, 4), (2, 4)
ECD_CELL = (7, 6)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A number that the paper states, and the same number as askwise computes it.

    Attributes:
        what: what the number is, in words.
        paper: the value in the paper, or a range such as ``t <= 5``.
        ours: the computed value in the same form.
    """

    what: str
    paper: str
    ours: str

    @property
    def agrees(self) -> bool:
        """Whether the value in the paper and the computed value are equal as texts."""
        return self.paper == self.ours


def divergence() -> Divergence:
    """Return the expected and latest steps at which g1 and g2 can be told apart on the grid of the paper's example."""
    return Divergence(GRID, GOALS)


def example_zones(ego: tuple[int, int]) -> Zones:
    """Return the zones of the paper's example: intervals of steps that say when a question may be worth its price.

    The teammate goes from `TEAMMATE` to g2, the ego agent from `ego` to g1. In the zone of information, both goals may
    still be possible. In the zone of branching, the ego agent may need different actions for them. The zone of querying
    is the intersection.
    """
    covering = Divergence(GRID, {"g1": GOALS["g2"], "g2": GOALS["g1"]})
    return zones(divergence(), covering, teammate_at=TEAMMATE, ego_at=ego, truth="g2", other="g1")


def comparisons() -> Iterator[Comparison]:
    """Yield each number that the paper states for its example of two goals on a grid, with the value from askwise."""
    near, far = example_zones(EGO_NEAR), example_zones(EGO_FAR)
    path = follow(GRID, TEAMMATE, ["EAST", "EAST", "NORTH"])
    rules_out = dp(urop(GRID, GOALS["g1"]), path)
    distinct = float(ecd(GRID, list(GOALS.values()), ECD_CELL))
    yield Comparison(f"divergence point of east, east, north from {TEAMMATE}", "3", f"{rules_out:g}")
    yield Comparison(f"Z_I, teammate at {TEAMMATE}", "t <= 5", str(near.information))
    yield Comparison(f"Z_B, ego agent at {EGO_NEAR}", "t >= 4", str(near.branching))
    yield Comparison(f"Z_Q, ego agent at {EGO_NEAR}", "4 <= t <= 5", str(near.querying))
    yield Comparison(f"Z_B, ego agent at {EGO_FAR}", "t >= 7", str(far.branching))
    yield Comparison(f"Z_Q, ego agent at {EGO_FAR}", "empty", str(far.querying))
    yield Comparison(f"ECD at {ECD_CELL}", "1.67", f"{distinct:.2f}")
    both = [float(edp(GRID, GOALS[a], GOALS[b], ECD_CELL)) for a, b in (("g1", "g2"), ("g2", "g1"))]
    differs = all(abs(value - distinct) > 1e-9 for value in (*both, sum(both) / 2))
    yield Comparison(f"ECD at {ECD_CELL} differs from both EDPs and their mean", "yes", "yes" if differs else "no")


def figure() -> Figure:
    """Draw the paper's example of two goals on a grid: a map of expected divergence points, and two timelines.

    Each cell shows EDP(g1 | g2) above EDP(g2 | g1). EDP(g1 | g2) is the expected step at which a teammate that goes
    from this cell to g2 first leaves all shortest plans for g1. Each timeline shows, for one start of the ego agent,
    when a question may be worth its price.
    """
    drawn = Figure(figsize=(10, 10.5), layout="constrained")
    grid = drawn.add_gridspec(2, 2, height_ratios=[7.2, 3.2])
    above = drawn.add_subplot(grid[0, :])
    plot.edp_map(divergence(), "g1", "g2", teammate=TEAMMATE, ego=EGO_NEAR, ax=above)
    above.set_title("upper value: EDP(g1 | g2), g2 is pursued; lower value: EDP(g2 | g1), g1 is pursued", fontsize=10)
    for column, ego in enumerate((EGO_NEAR, EGO_FAR)):
        ax = drawn.add_subplot(grid[1, column])
        plot.zone_timeline(example_zones(ego), horizon=9, ax=ax)
        ax.set_title(f"teammate at {TEAMMATE}, ego agent at {ego}", fontsize=9)
    return drawn


def edps() -> tuple[str, str]:
    """Return the expected divergence points EDP(g1 | g2) and EDP(g2 | g1) of the paper's example, as two texts.

    EDP(g1 | g2) is the expected step at which a teammate that goes from `TEAMMATE` to g2 first deviates from all
    shortest plans for g1. A text is a decimal number, followed by a fraction unless it is an integer.
    """
    table = divergence().edp_at(TEAMMATE)
    return _with_fraction(float(table[0, 1])), _with_fraction(float(table[1, 0]))


def _with_fraction(value: float) -> str:
    fraction = Fraction(value).limit_denominator(1000)
    is_fraction = abs(float(fraction) - value) < 1e-12 and fraction.denominator > 1
    return f"{value:.4f} = {fraction}" if is_fraction else f"{value:.4f}"


def text(rows: Sequence[Comparison]) -> str:
    """Return a text that compares the paper's numbers for its example with our numbers, a line for each of `rows`.

    The text also has the expected divergence points EDP(g1 | g2) and EDP(g2 | g1), and how many numbers agree.
    """
    there, back = edps()
    agreeing = sum(row.agrees for row in rows)
    lines = [f"{'':<58}{'paper':<14}askwise"]
    lines += [f"{r.what:<58}{r.paper:<14}{r.ours:<14}{'' if r.agrees else 'DIFFERS'}".rstrip() for r in rows]
    return "\n".join(
        [
            "The two-goal grid of the paper: 9 x 7 cells, goals g1 at (8, 0) and g2 at (8, 6)\n",
            *lines,
            f"\nExpected divergence points with the teammate at {TEAMMATE} (the figure is missing from our copy of the "
            "paper):",
            f"  EDP(g1 | g2) = {there}, EDP(g2 | g1) = {back}",
            f"\n{agreeing} of {len(rows)} numbers agree with the paper.",
        ]
    )
