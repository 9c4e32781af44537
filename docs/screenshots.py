"""Takes the screenshots in ``docs/images`` anew: ``python docs/screenshots.py``, after a change of the pages shown.

Needs Chromium and the packages of the tests.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image

import askwise
from askwise.view.page import write_page

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
EXPLORED = {
    "explore": ("kitchen", 1280, 800),
    "explore-tools": ("workshop", 1400, 800),
    "explore-graph": ("ward", 1400, 680),
}
"""Pictures of the page Explore: the example, and the width and height of the window."""


@contextmanager
def studio() -> Iterator[str]:
    """Run a studio with the examples; yield the link that opens it."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "askwise", "studio", str(ROOT / "examples"), "--port", "0", "--no-browser"]
        started = subprocess.Popen([*command, "--out", folder], stdout=subprocess.PIPE, text=True)
        assert started.stdout is not None
        try:
            for line in started.stdout:
                if link := re.search(r"http://\S+", line):
                    yield link[0]
                    break
        finally:
            started.terminate()
            started.wait()


def save(taken: bytes, name: str) -> None:
    """Save a screenshot with a palette of 256 colours, which halves its size."""
    Image.open(io.BytesIO(taken)).convert("RGB").quantize(256).save(IMAGES / f"{name}.png", optimize=True)


def explore(open_page: Callable[..., Any], link: str) -> None:
    """Take the pictures of the page Explore, with the planner's recommendation."""
    page = open_page(*EXPLORED["explore"][1:])
    page.goto(link)
    for name, (example, width, height) in EXPLORED.items():
        page.set_viewport_size({"width": width, "height": height})
        page.goto(re.sub(r"/enter/.*", "/explore", link))
        page.select_option("#from", example)
        page.wait_for_timeout(500)
        page.select_option("#method", "planner")
        for field, position in (("#truth", 1), ("#other", 2)):  # the map shows how long these two look alike
            page.wait_for_timeout(500)
            page.select_option(field, index=position)
        page.wait_for_selector("#headline:has-text(':')", timeout=120_000)
        page.wait_for_selector("body[data-busy=no]", timeout=120_000)
        save(page.screenshot(), name)


def episode(open_page: Callable[..., Any]) -> None:
    """Take the picture of an episode's page, at its last question."""
    with tempfile.TemporaryDirectory() as folder:
        played = askwise.simulate(str(ROOT / "examples" / "workshop.json"), "planner", seed=3)
        write_page(played, Path(folder) / "episode.html")
        page = open_page(1280, 860)
        page.goto((Path(folder) / "episode.html").as_uri())
        for _ in range(played.questions[-1].t - 1):
            page.keyboard.press("ArrowRight")
        page.wait_for_timeout(500)
        save(page.screenshot(), "episode")


def main() -> None:
    """Take all screenshots."""
    from playwright.sync_api import sync_playwright

    sys.path.insert(0, str(ROOT))
    from tests.browser import FLAGS, find_browser

    with sync_playwright() as driver, studio() as link:
        browser = driver.chromium.launch(executable_path=find_browser(), args=list(FLAGS))

        def open_page(width: int, height: int) -> Any:
            return browser.new_page(viewport={"width": width, "height": height}, device_scale_factor=1.5)

        explore(open_page, link)
        episode(open_page)
        browser.close()


if __name__ == "__main__":
    main()
