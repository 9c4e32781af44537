"""A headless Chromium for tests that look at pages, and what went wrong in it.

The browser is the one installed on this computer (Debian: ``apt-get install --no-install-recommends chromium``), driven
by the package ``playwright``. Where one of them is missing, tests that need it are skipped and say so.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PATIENCE = 120
"""Seconds after which a test gives up waiting."""
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find_browser() -> str | None:
    """Return the path of an installed Chromium, None if there is none."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


@contextmanager
def browser() -> Iterator[Browser]:
    """Start the browser; skip the test where that is impossible."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed")
    path = find_browser()
    if path is None:
        pytest.skip(f"no browser found, looked for {', '.join(NAMES)} (Debian: apt-get install chromium)")
    with sync_api.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            yield started
        finally:
            started.close()


@dataclass
class Visit:
    """An open page, the errors it reported, and every address that it asked for."""

    page: Page
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def text(self, selector: str) -> str:
        """Return the text of an element."""
        return self.page.locator(selector).inner_text()

    def wait_until(self, expression: str) -> None:
        """Wait until something is true on the page. (The driver's own way to wait is not allowed by our pages.)"""
        give_up = time.monotonic() + PATIENCE
        while not self.page.evaluate(expression):
            assert time.monotonic() < give_up, f"never true: {expression}"
            self.page.wait_for_timeout(10)


@contextmanager
def visit(
    browser: Browser, path: Path, *, scheme: str = "light", width: int = 1366, height: int = 768
) -> Iterator[Visit]:
    """Open a file; `scheme` is ``light`` or ``dark``."""
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",  # tests look at places, not at the way there
    )
    visited = Visit(context.new_page())
    visited.page.on("console", lambda message: _note(visited, message.type, message.text))
    visited.page.on("pageerror", lambda error: visited.errors.append(str(error)))
    visited.page.on("request", lambda request: visited.requests.append(request.url))
    visited.page.goto(path.as_uri())
    try:
        yield visited
    finally:
        context.close()


def _note(visited: Visit, kind: str, text: str) -> None:
    if kind in ("error", "warning"):
        visited.errors.append(text)
