"""Pages of graphs and of two floors in a real browser: correct positions, no errors, escaped names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import askwise
from askwise.core.episode import Episode
from askwise.view.page import page_data, page_text, write_page
from askwise.view.scene import ego_marks, teammate_marks
from askwise.view.scene_builder import scene_at
from tests.browser import Visit, browser, visit
from tests.view.episodes import asking
from tests.view.floors import ALL, graph_and_map, hostile, kitchen, large, played, two_maps, ward

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as started:
        yield started


def opened(chromium: Browser, tmp_path: Path, episode: Episode, **options: Any) -> Any:
    write_page(episode, tmp_path / "page.html")
    return visit(chromium, tmp_path / "page.html", **options)


def middle(page: Visit, selector: str) -> tuple[float, float]:
    box = page.page.locator(selector).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(("width", "scheme"), [(1366, "light"), (390, "dark")])
def test_every_moment_is_shown(chromium: Browser, tmp_path: Path, name: str, width: int, scheme: str) -> None:
    episode = played(ALL[name]())
    with opened(chromium, tmp_path, episode, width=width, scheme=scheme) as page:
        for k in range(len(episode.steps) + 1):
            scene = scene_at(episode, k)
            assert page.page.locator("#map").get_attribute("data-frame") == str(k)
            for who, figure in (("teammate", scene.teammate), ("ego", scene.ego)):
                x, y = (f"{side:g}" for side in figure.at)
                assert page.page.locator(f"#{who}").get_attribute("data-cell") == f"{x},{y}"
            spots = [*teammate_marks(scene), *ego_marks(scene)]
            out = sum(spot.probability(scene) == 0 for spot in spots)
            assert page.page.locator("#map .goal").count() == len(spots)
            assert page.page.locator("#map .goal.out").count() == out
            page.page.keyboard.press("ArrowRight")
        assert page.errors == []
        assert page.requests == [(tmp_path / "page.html").as_uri()]
        assert page.page.evaluate("document.documentElement.scrollWidth") <= width


def test_an_agent_stands_on_its_node(chromium: Browser, tmp_path: Path) -> None:
    with opened(chromium, tmp_path, played(ward())) as page:
        agent, node = middle(page, "#teammate circle"), middle(page, '[data-node="desk"] .dot-of')
        assert agent == pytest.approx(node, abs=1)


def test_a_picture_says_in_words_where_everybody_is(chromium: Browser, tmp_path: Path) -> None:
    with opened(chromium, tmp_path, played(graph_and_map())) as page:
        assert page.page.locator("#map-title").text_content() == "teammate at desk; ego agent at (2, 1)"
        assert page.page.locator('[data-node="hall"] title').text_content() == "hall"
        titles = page.page.locator(".way title").all_text_contents()
        assert "desk → hall: go\nhall → desk: back" in titles
        assert "corridor → laundry: chute" in titles
        assert page.page.locator(".way.one polygon").count() == 1


def test_two_grounds_lie_side_by_side_or_one_below_the_other(chromium: Browser, tmp_path: Path) -> None:
    with opened(chromium, tmp_path, played(two_maps())) as page:
        left, right = (middle(page, f".ground >> nth={k}") for k in (0, 1))
        assert left[0] + 100 < right[0]
        page.page.set_viewport_size({"width": 390, "height": 800})
        page.wait_until("corners[1][1] > corners[0][1]")
        above, below = (middle(page, f".ground >> nth={k}") for k in (0, 1))
        assert above[1] + 50 < below[1]
        assert page.page.locator("#map .agent").count() == 2
        assert page.errors == []


def test_hostile_names_are_mere_text(chromium: Browser, tmp_path: Path) -> None:
    episode = played(hostile(), goal=0)
    with opened(chromium, tmp_path, episode) as page:
        assert page.errors == []
        assert page.page.locator("#map b, #map img, #map i, main img").count() == 0
        names = page.page.locator(".node title").all_text_contents()
        assert "</script><b>" in names
        assert "x" * 190 in names
        inside = page.page.evaluate(
            "[...document.querySelectorAll('.node-name')].every((t) => t.getBBox().x >= 0 "
            "&& t.getBBox().x + t.getBBox().width <= grounds[0].width)"
        )
        assert inside


def test_names_on_a_page_do_not_overlap(chromium: Browser, tmp_path: Path) -> None:
    code = """[...document.querySelectorAll('.node-name')].flatMap((one, k, all) => all.slice(k + 1).filter((other) => {
        const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
        const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top + 2 || b.bottom <= a.top + 2;
        return !apart && one.textContent !== other.textContent;
    }).map((other) => [one.textContent, other.textContent]))"""
    for problem in (ward(), graph_and_map()):
        with opened(chromium, tmp_path, played(problem)) as page:
            assert page.page.evaluate(code) == []


@pytest.mark.parametrize("width", [1366, 390])
def test_names_of_goals_are_shown_whole(chromium: Browser, tmp_path: Path, width: int) -> None:
    code = """[...document.querySelectorAll('#belief .name, .pair .names')].filter((one) =>
        one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1
    ).map((one) => one.textContent)"""
    examples = Path(__file__).parent.parent.parent / "examples"
    episode = askwise.simulate(examples / "ward.toml", "ezq", goal="plasma for Flo", seed=3)
    with opened(chromium, tmp_path, episode, width=width) as page:
        assert page.page.locator("#belief .name").count() == 6
        assert page.page.locator(".pair .names").count() > 2
        assert page.page.evaluate(code) == []


def test_a_large_graph_makes_a_small_page(chromium: Browser, tmp_path: Path) -> None:
    episode = played(large(10_000))
    with opened(chromium, tmp_path, episode) as page:
        assert page.errors == []
        assert page.page.locator(".node").count() < 80
    assert (tmp_path / "page.html").stat().st_size < 300_000


# -- as data -----------------------------------------------------------------------------------------------------


def test_pages_of_one_map_carry_nothing_for_graphs() -> None:
    plain, other = page_text(asking()), page_text(played(kitchen()))
    assert "graphOf" not in plain
    assert "graphOf" in other
    assert {"width", "height", "walls"} <= set(page_data(asking()))
    assert "grounds" not in page_data(asking())
