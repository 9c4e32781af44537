"""Layouts of graphs: deterministic, without overlaps, everything inside the drawing."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askwise import Model
from askwise.core.problem import joint_state
from askwise.text.wording import columns_of
from askwise.view import raster, text
from askwise.view.layout import MOST_DRAWN, Net, excerpt, lay_out
from askwise.view.layout.net import ELSEWHERE, Boxes, in_lines, shortened
from askwise.view.layout.placement import rising
from askwise.view.scene import DrawnGraph, Map, curve
from askwise.view.scene_builder import scene_of, start_scene
from tests.view.floors import both_ways, large, ward


@st.composite
def models(draw: st.DrawFn, most: int = 24) -> Model:
    """Generate graphs with parallel and one-way edges, loops, unconnected parts and long names."""
    n = draw(st.integers(1, most))
    width = draw(st.integers(1, 3))
    cells = st.integers(-1, n - 1)
    table = draw(st.lists(st.lists(cells, min_size=width, max_size=width), min_size=n, max_size=n))
    names = draw(st.lists(st.text(max_size=30), min_size=n, max_size=n, unique=True))
    return Model(np.array(table).reshape(n, width), states=names)


def loop(n: int) -> Model:
    return both_ways(*((f"stop {k}", "on", f"stop {(k + 1) % n}", "back") for k in range(n)))


def path(n: int) -> Model:
    return both_ways(*((f"cell {k}", "on", f"cell {k + 1}", "back") for k in range(n - 1)))


def tree(n: int) -> Model:
    return Model.from_edges([(f"n{(k - 1) // 3}", f"to {k % 3}", f"n{k}") for k in range(1, n)])


def boxes_of(graph: DrawnGraph) -> list[tuple[float, float, float, float]]:
    """Return the box of each node with its names: left, lower, right and upper side."""
    boxes = Boxes.of([node.lines for node in graph.nodes], [node.above for node in graph.nodes])
    sides = zip(graph.nodes, boxes.half_width, boxes.above, boxes.below, strict=True)
    return [(n.at[0] - half, n.at[1] - below, n.at[0] + half, n.at[1] + above) for n, half, above, below in sides]


def check(graph: DrawnGraph) -> None:
    """Check that nodes and names do not overlap, and that nodes, names and edges lie inside the drawing."""
    boxes = boxes_of(graph)
    for one, other in combinations(boxes, 2):
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart, (one, other)
    for left, low, right, high in boxes:
        assert 0 <= left < right <= graph.width
        assert 0 <= low < high <= graph.height
    for edge in graph.edges:
        start, end = graph.nodes[edge.first].at, graph.nodes[edge.second].at
        for k in range(11):
            x, y = curve(start, edge.through, end, k / 10)
            assert 0 <= x <= graph.width
            assert 0 <= y <= graph.height


@given(models(), st.data())
@settings(deadline=None)
def test_any_graph_has_room(model: Model, data: st.DataObject) -> None:
    net = Net.of(model)
    above = data.draw(st.dictionaries(st.integers(0, net.n - 1), st.text(max_size=20), max_size=4))
    graph = lay_out(net, data.draw(st.integers(0, net.n - 1)), above)
    check(graph)
    assert len(graph.nodes) == model.n_states
    assert all(math.isfinite(side) for node in graph.nodes for side in node.at)


@given(models())
@settings(deadline=None)
def test_the_ways_are_those_of_the_model(model: Model) -> None:
    graph = lay_out(Net.of(model))
    steps = {(s, int(t)) for s in range(model.n_states) for t in model.successor[s] if t >= 0 and t != s}
    drawn = {(edge.first, edge.second) for edge in graph.edges} | {
        (edge.second, edge.first) for edge in graph.edges if not edge.one_way
    }
    assert drawn == steps
    assert sum(len(edge.there) + len(edge.back) for edge in graph.edges) == sum(
        int(t) not in (-1, s) for s in range(model.n_states) for t in model.successor[s]
    )


@pytest.mark.parametrize("model", [loop(10), loop(31), path(9), path(60), tree(40), tree(120)], ids=repr)
def test_known_shapes_have_room(model: Model) -> None:
    check(lay_out(Net.of(model)))


def test_a_loop_is_round() -> None:
    graph = lay_out(Net.of(loop(12)))
    places = np.array([node.at for node in graph.nodes])
    radii = np.hypot(*(places - places.mean(axis=0)).T)
    assert radii.max() < 1.35 * radii.min()


def test_a_tree_has_a_layer_for_each_distance_and_no_crossings() -> None:
    graph = lay_out(Net.of(tree(25)))
    y = [node.at[1] for node in graph.nodes]
    assert len({round(value, 2) for value in y}) == 4
    lines = [(graph.nodes[edge.first].at, graph.nodes[edge.second].at) for edge in graph.edges]
    crossing = [
        (one, other)
        for one, other in combinations(lines, 2)
        if one[0][1] == other[0][1] and (one[0][0] - other[0][0]) * (one[1][0] - other[1][0]) < 0
    ]
    assert crossing == []


def test_a_long_way_is_folded() -> None:
    graph = lay_out(Net.of(path(40)))
    assert graph.width / graph.height < 4
    assert graph.width < 24


def test_the_drawing_of_a_problem_is_made_once() -> None:
    problem = ward()
    first, second = (scene_of(problem, problem.start) for _ in range(2))
    assert first.floor is second.floor


def test_labels_stand_nearer_to_where_their_action_is_taken() -> None:
    graph = lay_out(Net.of(both_ways(("a", "east", "b", "west"))))
    at = {label.text: label.at for label in graph.labels}
    places = {node.name: node.at for node in graph.nodes}
    assert math.dist(at["east"], places["a"]) < math.dist(at["east"], places["b"])
    assert math.dist(at["west"], places["b"]) < math.dist(at["west"], places["a"])


def test_actions_that_are_all_called_the_same_are_not_named() -> None:
    assert lay_out(Net.of(Model.from_edges([("a", "go", "b"), ("b", "go", "c"), ("c", "go", "a")]))).labels == ()


# -- large graphs ------------------------------------------------------------------------------------------------


def test_of_a_large_graph_a_part_is_drawn() -> None:
    problem = large(MOST_DRAWN + 1)
    floor = start_scene(problem).floor
    assert isinstance(floor, DrawnGraph)
    assert floor.n_states == MOST_DRAWN + 1
    assert len(floor.nodes) < 80
    assert floor.nodes[-1].name == f"{floor.n_hidden} more"
    shown = {node.name for node in floor.nodes}
    assert {"0", "1"} < shown
    assert {str(problem.teammate.model.name(int(problem.teammate.targets(k)[0]))) for k in range(4)} < shown
    check(floor)


def test_a_small_graph_is_drawn_whole() -> None:
    assert excerpt(large(MOST_DRAWN).teammate.model, 0, [5]) is None


def test_whoever_is_not_in_the_part_is_where_the_rest_is() -> None:
    problem = large(5_000)
    net = Net.of(problem.teammate.model, excerpt(problem.teammate.model, 0, [5]))
    outside = next(state for state in range(5_000) if state not in start_nodes(problem))
    scene = scene_of(problem, joint_state(problem, outside, 0))
    assert isinstance(scene.floor, DrawnGraph)
    assert scene.teammate.at == scene.floor.nodes[-1].at
    assert scene.teammate.place == str(outside)
    assert net.states[-1] == ELSEWHERE
    assert "more" in text.draw(scene)


def start_nodes(problem: object) -> set[int]:
    floor = start_scene(problem).floor
    assert isinstance(floor, DrawnGraph)
    return {int(node.name) for node in floor.nodes[:-1]}


def test_of_ten_thousand_states_as_few_are_laid_out_and_drawn() -> None:
    problem = large(10_000)
    scene = start_scene(problem, problem.prior)
    assert isinstance(scene.floor, DrawnGraph)
    assert len(scene.floor.nodes) < 80, "what is laid out decides how long it takes"
    assert "a graph of 10000 states" in scene.size
    assert len(text.draw(scene).splitlines()) < 120
    assert max(raster.draw(scene).shape) < 3000


def test_a_large_map_is_still_a_map() -> None:
    from askwise import FactoredProblem, GridWorld

    problem = FactoredProblem(
        {"a": (0, 0), "b": (299, 199)}, teammate_model=GridWorld(300, 200), start=((5, 5), (9, 9))
    )
    assert isinstance(start_scene(problem).floor, Map)


# -- names -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("hall", ("hall",)),
        ("medicine room", ("medicine", "room")),
        ("the_long_corridor_east", ("the_long_", "corrid..east")),
        ("Donaudampfschifffahrt", ("Donaud..ahrt",)),
        ("一二三四五六七八", ("一二三..七八",)),
    ],
)
def test_long_names_are_broken_and_shortened(name: str, lines: tuple[str, ...]) -> None:
    assert in_lines(name) == lines


@given(st.text(), st.integers(6, 30))
def test_shortened_names_are_short(name: str, longest: int) -> None:
    assert columns_of(shortened(name, longest)) <= longest


@given(st.lists(st.integers(-20, 20).map(lambda k: k / 4), min_size=1, max_size=12))
def test_places_rise_as_the_nearest_rising_numbers_do(wanted: list[float]) -> None:
    from scipy.optimize import isotonic_regression

    np.testing.assert_allclose(rising(np.array(wanted)), isotonic_regression(wanted).x, atol=1e-12)
