"""A gate at which the test agent `gated` waits before each episode, so that tests do not depend on time."""

from __future__ import annotations

import time
from pathlib import Path

from tests.studies.commands import PATIENCE


class Gate:
    """A folder of passes; each pass lets one episode through."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self._given = 0

    def let(self, episodes: int) -> None:
        """Let this many more episodes through."""
        for _ in range(episodes):
            (self.folder / f"{self._given}.pass").touch()
            self._given += 1

    def open(self) -> None:
        """Let all episodes through."""
        (self.folder / "open").touch()

    def wait_until_somebody_waits(self) -> None:
        """Wait until all passes are used and an episode waits for the next one."""
        give_up = time.monotonic() + PATIENCE
        waiting = self.folder / "waiting"
        waiting.unlink(missing_ok=True)
        while list(self.folder.glob("*.pass")) or not waiting.exists():
            assert time.monotonic() < give_up, "nobody comes to the gate"
            time.sleep(0.01)
