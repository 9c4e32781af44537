"""The page in a real browser: stepping, correct numbers, no errors, no requests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from askwise import simulate
from askwise.core.episode import Episode
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.methods import Decision
from askwise.text.wording import number
from askwise.view.page import write_page
from askwise.view.scene_builder import costs_before
from tests.browser import Visit, browser, visit
from tests.domains.toy import Sketch, plugged
from tests.methods.asking import AsksHalf, Scripted
from tests.tool_fetching import workshop
from tests.view.episodes import asking, row_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FloatRect


__all__ = ["plugged"]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as started:
        yield started


@pytest.fixture
def page(chromium: Browser, tmp_path: Path) -> Iterator[Visit]:
    """The open page of an episode with two questions; at the end of a test, it must not have reported errors."""
    write_page(asking(), tmp_path / "page.html")
    with visit(chromium, tmp_path / "page.html") as visited:
        yield visited
        assert visited.errors == []
        assert visited.requests == [(tmp_path / "page.html").as_uri()]


def check_frame(page: Visit, episode: Episode, k: int) -> None:
    """Check that all numbers on the page agree with moment `k` of the episode."""
    problem = episode.problem
    assert isinstance(problem, ToolFetching)
    n = len(episode.steps)
    joint = episode.final if k == n else episode.steps[k].state
    state = problem.decode(joint)
    assert page.page.locator("#map").get_attribute("data-frame") == str(k)
    assert page.text("#step") == (f"Step {k + 1} of {n}" if k < n else f"Done after {n} steps")
    assert page.text("#cost") == number(costs_before(episode)[k])
    assert page.page.locator("#scrub").input_value() == str(k)
    for who, cell in (("teammate", state.worker), ("ego", state.fetcher)):
        x, y = problem.grid.cells[cell].tolist()
        assert page.page.locator(f"#{who}").get_attribute("data-cell") == f"{x},{y}"
    held = "" if state.holding < 0 else problem.goals[state.holding]
    assert page.page.locator("#ego .load").get_attribute("data-load") == held
    belief = episode.steps[min(k, n - 1)].belief
    assert belief is not None
    before = " before this step" if k < n else ""
    assert page.text("#possible") == f"{(belief > 0).sum()} of {belief.size} possible{before}"
    assert page.page.locator("#map .goal.out").count() == page.page.locator("#belief li.out").count()
    assert page.page.locator("#belief li.out").count() == (belief == 0).sum()


def test_it_opens_at_the_first_step(page: Visit) -> None:
    check_frame(page, asking(), 0)
    assert page.text("#facts").split("\n")[0] == "6 x 5 cells, 2 walls, 3 stations, 2 toolboxes"
    assert page.page.title() == "C, asks the first half: tool fetching, step by step"
    assert page.text("#optimal") == "10"


def test_the_gate_is_told(page: Visit) -> None:
    assert page.text("#gate") == "Gate open: no action is optimal for all 3: NORTH for 2, WEST for 2, EAST for 1."
    for _ in range(3):
        page.page.click("#next")
    assert page.text("#gate") == "Gate closed: one goal is left."
    page.page.click("#last")
    assert page.page.locator("#gate").count() == 0


def test_coordinates_stand_beside_and_below_the_map(page: Visit) -> None:
    written = {side: page.page.locator(f"#coordinates .{side}") for side in ("below", "beside")}
    assert written["below"].all_text_contents() == list("012345")
    assert written["beside"].all_text_contents() == list("01234")
    worker, floor = (page.page.locator(which).bounding_box() for which in ("#teammate circle", "#map .floor"))
    first = {side: labels.first.bounding_box() for side, labels in written.items()}
    below, beside = first["below"], first["beside"]
    assert worker is not None
    assert floor is not None
    assert below is not None
    assert beside is not None
    # The worker is at (0, 0): the first coordinates are right below and right beside it, outside the map.
    assert middle(below)[0] == pytest.approx(middle(worker)[0], abs=2)
    assert middle(beside)[1] == pytest.approx(middle(worker)[1], abs=2)
    assert below["y"] >= floor["y"] + floor["height"] - 1
    assert beside["x"] + beside["width"] <= floor["x"] + 1


def middle(box: FloatRect) -> tuple[float, float]:
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_stepping_on_and_back(page: Visit) -> None:
    episode = asking()
    for k in range(1, len(episode.steps) + 1):
        page.page.click("#next")
        check_frame(page, episode, k)
    assert page.page.locator("#next").is_disabled()
    page.page.click("#previous")
    check_frame(page, episode, len(episode.steps) - 1)
    page.page.click("#first")
    check_frame(page, episode, 0)
    assert page.page.locator("#previous").is_disabled()
    page.page.click("#last")
    check_frame(page, episode, len(episode.steps))


def test_keys(page: Visit) -> None:
    episode = asking()
    keyboard = page.page.keyboard
    for key, k in (
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", 12),
        ("ArrowRight", 12),
        ("Home", 0),
    ):
        keyboard.press(key)
        check_frame(page, episode, k)


def test_keys_after_a_click_and_on_the_slider(page: Visit) -> None:
    page.page.click("#next")
    page.page.keyboard.press("Space")
    assert page.text("#play") == "Pause"
    page.page.keyboard.press("Space")
    assert page.text("#play") == "Play"
    page.page.focus("#scrub")
    page.page.keyboard.press("Home")
    page.page.keyboard.press("ArrowRight")
    check_frame(page, asking(), 1)


def test_a_button_in_focus_is_pressed_by_space(page: Visit) -> None:
    page.page.focus("#next")
    page.page.keyboard.press("Space")
    check_frame(page, asking(), 1)
    assert page.text("#play") == "Play"


def test_scrubbing(page: Visit) -> None:
    page.page.locator("#scrub").fill("7")
    check_frame(page, asking(), 7)


def stop_the_clock(page: Visit) -> None:
    """Replace the clock of the page by one that the test controls."""
    page.page.clock.install(time=0)
    page.page.clock.pause_at(1000)


def test_playing_goes_on_by_itself_to_the_end(page: Visit) -> None:
    episode = asking()
    stop_the_clock(page)
    page.page.click("#play")
    assert (page.text("#play"), page.page.locator("#play").get_attribute("aria-pressed")) == ("Pause", "true")
    # Questions stand for 2.4 s, other steps for 0.6 s.
    for passed, k in ((2300, 0), (200, 1), (2400, 2), (600, 3), (600, 4), (60_000, 12)):
        page.page.clock.run_for(passed)
        check_frame(page, episode, k)
    assert (page.text("#play"), page.page.locator("#play").get_attribute("aria-pressed")) == ("Play", "false")
    page.page.click("#play")
    check_frame(page, episode, 0)
    page.page.clock.run_for(2500)
    check_frame(page, episode, 1)


def test_the_speed_can_be_chosen(page: Visit) -> None:
    stop_the_clock(page)
    page.page.select_option("#speed", "4")
    page.page.click("#play")
    for passed, k in ((590, 0), (20, 1), (600, 2), (150, 3)):
        page.page.clock.run_for(passed)
        check_frame(page, asking(), k)


def test_pausing_stops_it(page: Visit) -> None:
    stop_the_clock(page)
    page.page.click("#play")
    page.page.clock.run_for(5000)
    page.page.click("#play")
    assert page.text("#play") == "Play"
    check_frame(page, asking(), 2)
    page.page.clock.run_for(60_000)
    check_frame(page, asking(), 2)


def test_a_step_by_hand_stops_it(page: Visit) -> None:
    stop_the_clock(page)
    page.page.click("#play")
    page.page.click("#next")
    assert page.text("#play") == "Play"
    page.page.clock.run_for(60_000)
    check_frame(page, asking(), 1)


def test_questions_and_answers(page: Visit) -> None:
    assert page.text("#question") == "Is it A?"
    assert page.text("#answer") == "No."
    assert "The question costs 0.6; no agent moves." in page.text("#happening")
    assert page.page.locator("#map .goal.asked").get_attribute("data-goal") == "A"
    assert page.page.locator("#belief li.asked").get_attribute("data-goal") == "A"
    assert page.page.locator("#ticks span").count() == 2
    page.page.keyboard.press("End")
    assert page.page.locator("#question").count() == page.page.locator(".asked").count() == 0


def shown_worth(page: Visit) -> list[tuple[str, str]]:
    """Return the facts about the question on the page, by name."""
    lines = page.text("#worth").split("\n")
    return list(zip(lines[::2], lines[1::2], strict=True))


def width_of(page: Visit, selector: str) -> float:
    box = page.page.locator(selector).bounding_box()
    assert box is not None
    return box["width"]


def test_the_worth_of_a_question(page: Visit) -> None:
    assert shown_worth(page) == [("expected to save", "1.5"), ("costs", "0.6"), ("net", "0.9, so it is asked")]
    assert width_of(page, "#worth .costs") / width_of(page, "#worth .saves") == pytest.approx(0.6 / 1.5, rel=0.02)
    page.page.keyboard.press("End")
    assert page.page.locator("#worth").count() == 0


def test_a_question_that_was_not_worth_its_price(chromium: Browser, tmp_path: Path) -> None:
    episode = simulate(workshop(query_cost={"base": 9}), "ezq-exact", goal="C", seed=1)
    decision = episode.steps[0].decision
    assert decision.runner_up is not None
    write_page(episode, tmp_path / "page.html")
    with visit(chromium, tmp_path / "page.html") as page:
        worth = dict(shown_worth(page))
        assert (worth["expected to save"], worth["costs"]) == ("5.33", "9")
        assert worth["net"] == "-3.67, so it is not asked"
        assert worth["runner-up"].endswith(f": net {decision.runner_up[1]:.2f}")
        assert worth["verdict"] == "proven optimal: no question is better"
        assert page.page.locator("#question").count() == 0
        assert page.errors == []


def test_belief_bars(page: Visit) -> None:
    rows = page.page.locator("#belief li")
    page.page.keyboard.press("ArrowRight")
    assert [row.inner_text().split() for row in rows.all()] == [
        ["?", "B", "T", "50", "%"],
        ["★", "C", "U", "50", "%"],
        ["A", "T", "out"],
    ]
    widths = page.page.eval_on_selector_all(
        "#belief .fill", "bars => bars.map(bar => bar.getBoundingClientRect().width)"
    )
    assert widths[0] == widths[1] > 20
    assert widths[2] < 2


def test_zones(page: Visit) -> None:
    pairs = page.page.locator("#zones .pair[data-branching]")
    shown = {
        pair.locator(".names").inner_text(): (
            pair.get_attribute("data-informed"),
            pair.get_attribute("data-branching"),
            pair.locator(".says").inner_text(),
        )
        for pair in pairs.all()
    }
    assert shown["A, C"] == ("6", "1", "steps 1–6")
    assert len(shown) == 3
    bars = {kind: page.page.locator(f"#zones .bar-{kind}").first.get_attribute("width") for kind in "ibq"}
    assert all(bars.values())
    page.page.keyboard.press("End")
    assert page.text("#zones") == "Only one goal is left."


def test_cost_beside_the_best_possible(page: Visit) -> None:
    page.page.keyboard.press("End")
    assert page.text("#cost-note") == "Marginal cost of not knowing the goal: 1.2"
    bar, moves, asked = (page.page.locator(f"#{part}").bounding_box() for part in ("cost-bar", "moves", "asking"))
    assert bar is not None
    assert moves is not None
    assert asked is not None
    assert asked["width"] / moves["width"] == pytest.approx(1.2 / 10, rel=0.05)
    assert moves["width"] + asked["width"] == pytest.approx(bar["width"], abs=3)


def test_everything_that_can_be_operated_has_a_name(page: Visit) -> None:
    for selector in ("button", "input", "select"):
        for found in page.page.locator(selector).all():
            labelled = found.get_attribute("aria-label") or found.inner_text()
            assert labelled.strip() or page.page.locator(f"label[for={found.get_attribute('id')}]").count() == 1
    assert page.page.locator("#map-title").text_content() == "Map: worker at 0, 0; fetcher at 2, 0 with empty hands"


def test_a_step_can_be_linked_to(page: Visit) -> None:
    page.page.evaluate("location.hash = '#5'; location.reload()")
    page.page.locator("#map[data-frame='4']").wait_for()
    page.requests.pop()


def place_of(page: Visit, selector: str) -> tuple[float, float]:
    """Return the centre of a mark in cells, from the lower left corner of the map."""
    floor, mark = (page.page.locator(name).bounding_box() for name in ("#map .floor", selector))
    assert floor is not None
    assert mark is not None
    cell = floor["width"] / 6
    left = mark["x"] + mark["width"] / 2 - floor["x"]
    up = floor["y"] + floor["height"] - mark["y"] - mark["height"] / 2
    return left / cell - 0.5, up / cell - 0.5


def test_marks_are_where_they_belong(page: Visit) -> None:
    for name, cell in (("A", (5, 0)), ("B", (1, 4)), ("C", (5, 4))):
        assert place_of(page, f'#map [data-goal="{name}"] .body') == pytest.approx(cell, abs=0.05)
    assert place_of(page, '#map [data-landmark="T"] rect') == pytest.approx((0, 2), abs=0.15)
    assert place_of(page, "#teammate circle") == pytest.approx((0, 0), abs=0.05)
    assert place_of(page, "#ego circle") == pytest.approx((2, 0), abs=0.05)
    page.page.keyboard.press("End")
    # In one cell the two stand aside for each other.
    assert place_of(page, "#teammate circle") == pytest.approx((4.8, 4.2), abs=0.05)
    assert place_of(page, "#ego circle") == pytest.approx((5.2, 3.8), abs=0.05)


# -- looks -------------------------------------------------------------------------------------------------------


def colour_of(page: Visit, selector: str, what: str) -> str:
    found = page.page.locator(selector).first.evaluate(f"made => getComputedStyle(made).{what}")
    assert isinstance(found, str)
    return found


def lightness(colour: str) -> int:
    return sum(int(part) for part in re.findall(r"\d+", colour)[:3])


def test_light_and_dark(chromium: Browser, tmp_path: Path) -> None:
    write_page(asking(), tmp_path / "page.html")
    floors, inks, sure = [], [], []
    for scheme in ("light", "dark"):
        with visit(chromium, tmp_path / "page.html", scheme=scheme) as page:
            page.page.keyboard.press("End")
            floors.append(lightness(colour_of(page, "body", "backgroundColor")))
            inks.append(lightness(colour_of(page, "body", "color")))
            sure.append(lightness(colour_of(page, '[data-goal="C"] .body', "fill")))
            assert page.errors == []
    # On paper the likeliest station is the darkest, on a dark screen the brightest.
    assert floors[0] > 600 > 150 > floors[1]
    assert inks[0] < 150 < 600 < inks[1]
    assert sure[0] < 200 < 500 < sure[1]


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (1920, 1080), (800, 900), (400, 800)])
def test_nothing_sticks_out_at_the_side(chromium: Browser, tmp_path: Path, width: int, height: int) -> None:
    given = generate(stations=50, walls=0.2, seed=7)
    write_page(simulate(given, AsksHalf(), seed=3), tmp_path / "page.html")
    with visit(chromium, tmp_path / "page.html", width=width, height=height) as page:
        assert page.page.evaluate("document.documentElement.scrollWidth") <= width
        if width > 1000:
            assert page.page.evaluate("document.documentElement.scrollHeight") <= height
        drawn = page.page.locator("#map").bounding_box()
        assert drawn is not None
        assert min(drawn["width"], drawn["height"]) > 300
        assert page.errors == []


# -- other episodes ----------------------------------------------------------------------------------------------


def other_episodes() -> dict[str, Episode]:
    return {
        "one station": simulate(row_of("A"), "never", seed=1),
        "no belief": simulate(workshop(), Scripted(Decision(ask=(0, 1))), goal="B", seed=1, max_steps=3),
        "cut off": simulate(workshop(), "never", goal="B", seed=1, max_steps=2),
        "markup in a name": simulate(row_of("</script><b>x</b>", "@DATA@", "C"), AsksHalf(), seed=1),
        "large": simulate(generate(width=150, stations=100, walls=0.1, seed=1), "never", seed=1, max_steps=30),
    }


@pytest.mark.parametrize("kind", ["one station", "no belief", "cut off", "markup in a name", "large"])
def test_other_episodes(chromium: Browser, tmp_path: Path, kind: str) -> None:
    episode = other_episodes()[kind]
    write_page(episode, tmp_path / "page.html")
    with visit(chromium, tmp_path / "page.html") as page:
        for k in range(min(len(episode.steps), 10)):
            assert page.text("#step") == f"Step {k + 1} of {len(episode.steps)}"
            page.page.keyboard.press("ArrowRight")
        page.page.keyboard.press("End")
        assert page.text("#cost") == number(episode.cost)
        said = page.text("main")
        assert ("This method shows no belief." in said) == (kind == "no belief")
        assert ("too large to compute zones" in said) == (kind == "large")
        assert (f"Stopped after {len(episode.steps)} steps" in said) == (not episode.finished)
        names = page.page.eval_on_selector_all("#map .goal", "made => made.map(one => one.dataset.goal)")
        assert sorted(names) == sorted(episode.problem.goals)
        assert page.errors == []
        assert len(page.requests) == 1


@pytest.mark.usefixtures("plugged")
def test_an_episode_of_another_domain(chromium: Browser, tmp_path: Path) -> None:
    """A domain with its own vocabulary, without loads and landmarks, with goals that share an ego target."""
    episode = simulate(Sketch("A..#B\n..W..\nF...C\n"), "ezq-exact", seed=2)
    write_page(episode, tmp_path / "page.html")
    with visit(chromium, tmp_path / "page.html") as page:
        assert page.text("h1") == "Two agents"
        assert page.text("#belief-card h2") == "Where is the teammate going?"
        assert page.text("#legend").split("\n")[:4] == ["T", "teammate", "E", "ego agent"]
        assert page.page.locator("#landmarks > *").count() == 0
        never = page.page.locator('#zones [data-branching="Infinity"]')
        assert never.locator(".says").all_text_contents() == ["—"]
        page.page.keyboard.press("End")
        assert "Both agents are in place for C." in page.text("#now")
        said = page.text("body").lower()
        assert not [word for word in ("worker", "fetcher", "station", "tool") if word in said]
        assert page.errors == []
