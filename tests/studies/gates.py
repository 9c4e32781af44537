"""A gate at which the agent `gated` of the tests waits before each episode: runs are held by it, not by time."""

from __future__ import annotations

import time
from pathlib import Path

from tests.studies.commands import PATIENCE


class Gate:
    """A folder with passes: each lets one episode through."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self._given = 0

    def let(self, episodes: int) -> None:
        """Let so many more episodes through."""
        for _ in range(episodes):
            (self.folder / f"{self._given}.pass").touch()
            self._given += 1

    def open(self) -> None:
        """Let everything through."""
        (self.folder / "open").touch()

    def wait_until_somebody_waits(self) -> None:
        """Wait until all passes are used, and the next episode waits for one."""
        give_up = time.monotonic() + PATIENCE
        waiting = self.folder / "waiting"
        waiting.unlink(missing_ok=True)
        while list(self.folder.glob("*.pass")) or not waiting.exists():
            assert time.monotonic() < give_up, "nobody comes to the gate"
            time.sleep(0.01)
