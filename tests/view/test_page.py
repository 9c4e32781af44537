"""The page as a file: its content for all kinds of names."""

from __future__ import annotations

import base64
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from askwise import simulate
from askwise.domains.tool_fetching.generate import generate
from askwise.errors import InputError
from askwise.methods import Decision
from askwise.view.page import page_data, page_text, write_page
from tests.methods.asking import AsksHalf, Scripted
from tests.tool_fetching import workshop
from tests.view.episodes import asking, never, row_of


def embedded(page: str) -> dict[str, Any]:
    """Return the data in a page as a browser would read it."""
    found = re.search(r'<script type="application/json" id="episode">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_the_file_holds_the_page(tmp_path: Path) -> None:
    write_page(asking(), tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page_text(asking())


def test_nothing_is_left_to_fill_in_and_nothing_to_fetch() -> None:
    page = page_text(asking())
    assert not re.search("@[A-Z]+@", page)
    assert set(re.findall(r'(?:src|href)="([^"]*)"', page)) == {"data:,"}
    assert "default-src 'none'" in page
    assert "@import" not in page
    assert "url(" not in page


def test_frames_tell_the_episode() -> None:
    episode = asking()
    data = embedded(page_text(episode))
    assert data == json.loads(json.dumps(page_data(episode)))
    frames = data["frames"]
    assert len(frames) == len(episode.steps) + 1
    assert frames[0]["ask"] == [0]
    assert frames[0]["reply"] == "No"
    assert (frames[0]["price"], frames[0]["value"]) == (0.6, 1.5)
    assert [frame["cost"] for frame in frames[:4]] == [0, 0.6, 1.2, 2.2]
    assert frames[-1]["cost"] == pytest.approx(episode.cost)
    assert frames[-1]["teammate"] == frames[-1]["ego"] == [5, 4]
    assert (frames[-1]["carried"], data["goal"], data["goals"][2][0]) == ("C", 2, "C")
    assert (frames[2]["does"], frames[2]["why"]) == ("EAST", "EAST: only C is possible.")


def test_what_was_considered_is_told_whether_it_was_asked_or_not() -> None:
    cost = {"base": 0.5, "per_station": 0.1}
    asked = page_data(simulate(workshop(query_cost=cost), "ezq-exact", goal="C", seed=1))["frames"][0]
    assert (asked["considered"], asked["ask"], asked["price"]) == ([2], [2], 0.6)
    assert asked["value"] == pytest.approx(16 / 3)
    assert asked["runnerUp"][0].startswith("the same with ")
    assert asked["verdict"] == "proven optimal: no question is better"
    waiting = page_data(simulate(workshop(query_cost={"base": 9}), "ezq-exact", goal="C", seed=1))["frames"][0]
    assert "ask" not in waiting
    assert (waiting["does"], waiting["price"]) == ("NOOP", 9.0)
    assert waiting["considered"]
    acting = page_data(never())["frames"][0]
    assert not {"considered", "value", "price", "runnerUp", "verdict"} & set(acting)


def test_gate_and_zones_are_those_of_the_decision() -> None:
    episode = never()
    data = page_data(episode)
    for step, frame in zip(episode.steps, data["frames"], strict=False):
        gate = step.decision.gate
        assert gate is not None
        assert frame["gate"].startswith("open: " if gate.open else "closed: ")
        shown = [(pair.first, pair.second, pair.informed, pair.branching) for pair in step.decision.pairs]
        assert [tuple(row) for row in data["zones"][frame["zones"]]] == shown
    assert data["frames"][0]["gate"] == "open: no action is optimal for all 3: NORTH for 2, WEST for 2, EAST for 1"
    assert "gate" not in data["frames"][-1], "nothing is decided at the end"


def test_beliefs_are_sorted_and_kept_once() -> None:
    episode = never()
    data = page_data(episode)
    assert len(data["beliefs"]) < len(data["frames"])
    for step, frame in zip(episode.steps, data["frames"], strict=False):
        assert step.belief is not None
        stations, shares = data["beliefs"][frame["belief"]]
        assert shares == sorted(shares, reverse=True)
        told = np.zeros(3)
        told[stations] = shares
        assert told == pytest.approx(step.belief, rel=1e-3)


def test_the_picture_of_the_walls() -> None:
    walls = page_data(never())["walls"]
    picture = Image.open(io.BytesIO(base64.b64decode(walls.removeprefix("data:image/png;base64,")))).convert("RGBA")
    assert picture.size == (6, 5)
    solid = {(x, 4 - y) for x in range(6) for y in range(5) if picture.getpixel((x, y))[3] == 255}  # type: ignore[index]
    assert solid == {(3, 1), (3, 2)}
    assert page_data(simulate(row_of("A", "B"), seed=1))["walls"] is None


def test_an_agent_without_a_belief_has_neither_belief_nor_zones() -> None:
    episode = simulate(workshop(), Scripted(Decision(ask=(0,))), goal="B", seed=1, max_steps=2)
    for frame in page_data(episode)["frames"]:
        assert not {"belief", "zones"} & set(frame)


def test_large_instances_have_no_zones_and_say_so() -> None:
    episode = simulate(generate(width=150, stations=100, seed=1), "never", seed=1, max_steps=5)
    data = page_data(episode)
    assert data["zonesKnown"] is False
    assert all("zones" not in frame for frame in data["frames"])


def test_no_steps_at_all() -> None:
    episode = simulate(row_of("A"), "informed", seed=1, max_steps=1)
    assert len(page_data(episode)["frames"]) == 2


@pytest.mark.parametrize("name", ["</script><script>alert(1)</script>", "@DATA@", "<b>", "\ud800", "a\nb", "日本 & co"])
def test_names_cannot_break_the_page(name: str) -> None:
    episode = simulate(row_of(name, "B", "C"), AsksHalf(), goal=name, seed=1)
    page = page_text(episode)
    assert page.count("</script>") == 2
    page.encode("utf-8")
    assert "alert(1)<" not in page
    assert embedded(page)["goals"][0][1:] == [0, 0, 0]


def test_a_seed_larger_than_a_page_can_count_is_kept() -> None:
    seed = 2**100 + 1
    assert page_data(simulate(workshop(), seed=seed))["seed"] == str(seed)


def test_a_place_that_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        write_page(asking(), tmp_path / "nowhere" / "page.html")
    expected = "found no such file or directory; expected a place that can be written to"
    assert str(caught.value) == f"file {str(tmp_path / 'nowhere' / 'page.html')!r}: {expected}"
