"""Lines to and from a process: whole, in order, however long; and its end is told."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import IO, Any, cast

import pytest

from askwise.studio.thinking.lines import Lines, LoopLines, ThreadLines
from askwise.workers.process import SupervisedProcess

ECHO = "import sys\nfor line in sys.stdin.buffer:\n    sys.stdout.buffer.write(line)\n    sys.stdout.flush()"
PATIENCE = 120


class Echo:
    """A process that says what it hears, in place of a `SupervisedProcess` one."""

    def __init__(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-c", ECHO], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    @property
    def streams(self) -> tuple[IO[bytes], IO[bytes]]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        return self.process.stdin, self.process.stdout

    def end_in_words(self) -> str:
        return f"ended with {self.process.wait(PATIENCE)}"

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in self.streams:
            stream.close()


@pytest.mark.parametrize("kind", [LoopLines, ThreadLines])
def test_lines_come_whole_and_in_order_and_an_end_is_told(kind: Any) -> None:
    sent = [b"%d\n" % n for n in range(50)] + [b"x" * 300_000 + b"\n", b"last\n"]  # longer than a pipe holds

    async def talk() -> tuple[list[bytes], str]:
        heard: asyncio.Queue[bytes] = asyncio.Queue()
        ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        echo = Echo()
        made = kind(asyncio.get_running_loop(), cast("SupervisedProcess", echo), heard.put_nowait, ended.set_result)
        lines: Lines = made
        for line in sent:
            lines.send(line)
        found = [await asyncio.wait_for(heard.get(), PATIENCE) for _ in sent]
        echo.process.kill()
        why = await asyncio.wait_for(ended, PATIENCE)
        lines.send(b"nobody hears this\n")
        return found, why

    found, why = asyncio.run(talk())
    assert [line.strip() for line in found] == [line.strip() for line in sent]
    assert why == "ended with -9"


@pytest.mark.parametrize("kind", [LoopLines, ThreadLines])
def test_who_closes_them_hears_of_no_end(kind: Any) -> None:
    async def talk() -> list[str]:
        ended: list[str] = []
        echo = Echo()
        lines: Lines = kind(asyncio.get_running_loop(), cast("SupervisedProcess", echo), lambda _: None, ended.append)
        lines.close()
        await asyncio.to_thread(echo.process.wait)
        return ended

    assert asyncio.run(talk()) == []
