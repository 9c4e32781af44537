"""A graph in letters: one line for each place, with who and what is there and where one can go from it."""

from __future__ import annotations

from askwise.text.wording import columns_of
from askwise.view.floor import Graph, Place
from askwise.view.layout.boxes import shortened
from askwise.view.scene import Scene
from askwise.view.textmarks import DIM, Mark, Paint, TextGround, agent_marks, goal_marks, painter

LONGEST_NAME = 26


def draw_graph(scene: Scene, ground: Graph, side: int, *, colour: bool, columns: int, rows: int) -> TextGround:
    """List the places of a graph, at most so many: the first of the scene's grounds (`side` 0) or the second (1)."""
    agents, goals = agent_marks(scene, side), goal_marks(scene, side, short=False)
    shown = _shown(ground, agents, goals, rows)
    ways = _ways_from(ground)
    names = {node: shortened(ground.nodes[node].name, LONGEST_NAME) for node in shown}
    wide = max(columns_of(name) for name in names.values())
    signs = {mark.sign for at in (ground.nodes[node].at for node in shown) for mark in _here(at, agents, goals)}
    lines = []
    nowhere = "not listed" if ground.n_hidden else "nowhere"
    paint = painter(colour)
    for node in shown:
        at, name = ground.nodes[node].at, names[node]
        agent, goal = agents.get(at), goals.get(at)
        called = f" [{goal.name}]" if goal and goal.name != ground.nodes[node].name else ""
        before = _sign(agent, paint) + _sign(goal, paint)
        told = f"{before} {paint(name, goal.colour if goal else '')}{' ' * (wide - columns_of(name))}"
        rest = shortened_end(f"{called} -> {', '.join(ways[node]) or nowhere}", columns - 3 - wide)
        lines.append(told + paint(rest, DIM))
    return TextGround(lines, signs, _remarks(ground, len(shown)))


def _here(at: Place, agents: dict[Place, Mark], goals: dict[Place, Mark]) -> list[Mark]:
    return [marks[at] for marks in (agents, goals) if at in marks]


def _sign(mark: Mark | None, paint: Paint) -> str:
    return " " if mark is None else paint(mark.sign, mark.colour)


def _remarks(ground: Graph, n_shown: int) -> list[str]:
    hidden = ground.n_states - n_shown
    return [f"{hidden} of {ground.n_states} states are not listed"] if hidden else []


def shortened_end(text: str, longest: int) -> str:
    """Return a text without its end if it is too long."""
    if columns_of(text) <= longest:
        return text
    while text and columns_of(text) > max(longest - 4, 0):
        text = text[:-1]
    return text.rstrip(" ,") + " ..."


def _shown(ground: Graph, agents: dict[Place, Mark], goals: dict[Place, Mark], rows: int) -> list[int]:
    """Return the nodes to list: all, or those that matter most, where the agents are, then goals, then what is near."""
    nodes = range(len(ground.nodes) - (1 if ground.n_hidden else 0))
    occupied = [node for node in range(len(ground.nodes)) if ground.nodes[node].at in agents]
    if len(nodes) <= rows:
        return sorted({*nodes, *occupied})
    near = [
        other
        for way in ground.ways
        for node, other in ((way.first, way.second), (way.second, way.first))
        if node in occupied
    ]
    targets = [node for node in nodes if ground.nodes[node].at in goals]
    ordered = dict.fromkeys([*occupied, *targets, *near])
    return sorted(list(ordered)[: max(rows, 1)])


def _ways_from(ground: Graph) -> list[list[str]]:
    """Return for each node where one can go, with the names of the actions if they are not all the same."""
    found: list[list[str]] = [[] for _ in ground.nodes]
    plain = len({name for way in ground.ways for name in (*way.there, *way.back)}) < 2
    for way in ground.ways:
        for source, target, actions in ((way.first, way.second, way.there), (way.second, way.first, way.back)):
            if actions:
                name = shortened(ground.nodes[target].name, LONGEST_NAME)
                found[source].append(name if plain else f"{name} ({'/'.join(actions)})")
    return found
