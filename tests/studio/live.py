"""A studio in a separate process, and visitors who play without a browser."""

from __future__ import annotations

import http.client
import json
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
PATIENCE = 300
"""Seconds to wait for a reply: kernels may have to be compiled."""


class Studio:
    """A server started for a test.

    Attributes:
        host: its address, ``127.0.0.1:PORT``.
        link: the link that opens it once.
        origin: the address of its pages, ``http://127.0.0.1:PORT``, or the public one.
    """

    def __init__(self, out: Path, *arguments: str, path: Path | None = None, port: int = 0) -> None:
        self.out, self._arguments, self._path = out, arguments, path or _problems(out.parent / "problems")
        self._port = str(port)
        self.process: subprocess.Popen[str] | None = None
        self.start()

    def start(self) -> None:
        """Start the server; after a stop, again on the same port."""
        command = [sys.executable, "-m", "askwise.cli", "studio", str(self._path), "--out", str(self.out)]
        command += ["--port", self._port, "--no-browser", "--workers", "1", *self._arguments]
        self.log = (self.out.parent / f"{self.out.name}.log").open("ab")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"https?://\S+", line)
        assert found, f"{line!r} {self.logged()}"
        self.link = found[0]
        self.host = urlsplit(self.link).netloc
        self.origin = self.link.partition("/enter/")[0]
        self._port = self.host.rpartition(":")[2] if self._port == "0" else self._port

    def kill(self) -> None:
        """Kill the server, like a power cut."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self._reap()

    def close(self) -> None:
        """Stop the server, like Ctrl-C."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self._reap()

    def _reap(self) -> None:
        assert self.process is not None
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.log.close()

    def logged(self) -> str:
        """Return the text that the server logged."""
        return (self.out.parent / f"{self.out.name}.log").read_text(encoding="utf-8")

    def request(
        self, path: str, body: Any = None, *, cookie: str | None = None, headers: dict[str, str] | None = None,
        method: str | None = None, raw: bytes | None = None,
    ) -> tuple[int, dict[str, str], str]:  # fmt: skip
        """Send a request as a browser would; return status, headers and text."""
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE)
        sends = body is not None or raw is not None
        given = {"Origin": f"http://{self.host}", "Content-Type": "application/json"} if sends else {}
        if cookie is not None:
            given["Cookie"] = cookie
        given.update(headers or {})
        data = raw if raw is not None else json.dumps(body).encode() if body is not None else None
        try:
            connection.request(method or ("POST" if sends else "GET"), path, data, given)
            answer = connection.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read().decode()
        finally:
            connection.close()

    def enter(self) -> Visitor:
        """Follow the link; return the visitor with the cookie."""
        status, headers, _ = self.request(urlsplit(self.link).path)
        assert status == 303, status
        return Visitor(self, headers["set-cookie"].partition(";")[0])


class Visitor:
    """A person with a cookie."""

    def __init__(self, studio: Studio, cookie: str) -> None:
        self.studio, self.cookie = studio, cookie

    def ask(self, path: str, body: Any = None) -> Any:
        """Return the studio's JSON answer; fail if the request fails."""
        status, _, text = self.studio.request(path, body, cookie=self.cookie)
        assert status == 200, (status, text)
        return json.loads(text)

    def problem(self, name: str) -> int:
        """Return the number of a problem in the library."""
        return int(self.ask("/api/library")["problems"].index(name))

    def new_round(self, problem: str, **setup: Any) -> str:
        """Start a round of a problem in the library; return its name."""
        body = {"problem": self.problem(problem), "setup": setup}
        return str(self.ask("/api/rounds", body)["round"])

    def socket(self, name: str, **options: Any) -> ClientConnection:
        """Open the socket of a round."""
        given: dict[str, Any] = {"Cookie": self.cookie}
        given.update(options.pop("headers", {}))
        opened: ClientConnection = connect(
            f"ws://{self.studio.host}/play/{name}/socket",
            origin=options.pop("origin", f"http://{self.studio.host}"),
            additional_headers=given,
            open_timeout=PATIENCE,
            compression=None,
            **options,
        )
        return opened


def _problems(folder: Path) -> Path:
    """Return a folder with examples that are read quickly; a planning problem would slow down every start."""
    folder.mkdir(exist_ok=True)
    for name in ("coverage.toml", "kitchen.toml", "ward.toml", "workshop.json"):
        shutil.copyfile(EXAMPLES / name, folder / name)
    return folder


def heard(socket: ClientConnection) -> dict[str, Any]:
    """Return the next message on a socket."""
    found: dict[str, Any] = json.loads(socket.recv(timeout=PATIENCE))
    return found


def settled(socket: ClientConnection) -> dict[str, Any]:
    """Return the next message after which the person can act, or the round is over."""
    while True:
        message = heard(socket)
        if message.get("state") is None or message["state"]["phase"] != "thinking":
            return message


def send(socket: ClientConnection, n: int, user_input: Any) -> None:
    """Send input number `n`."""
    socket.send(json.dumps({"n": n, "input": user_input}))


def played(visitor: Visitor, name: str, inputs: list[Any]) -> dict[str, Any]:
    """Play a whole round; return the last message."""
    with visitor.socket(name) as socket:
        message = settled(socket)
        for n in range(message["n"], len(inputs)):
            send(socket, n, inputs[n])
            message = settled(socket)
            assert message["type"] == "state", message
    return message


def played_with_kills(visitor: Visitor, name: str, inputs: list[Any], kills: int, chance: random.Random) -> int:
    """Play a round while killing the server, mostly between a message and its acknowledgement.

    Return the number of kills.
    """
    killed = 0
    while True:
        with visitor.socket(name) as socket:
            n = settled(socket)["n"]
            last = len(inputs) if killed == kills else min(len(inputs), n + chance.randrange(3))
            for k in range(n, last):
                send(socket, k, inputs[k])
                settled(socket)
            if last == len(inputs):
                return killed
            send(socket, last, inputs[last])
            time.sleep(chance.choice([0.0, 0.0, 0.001, 0.003, 0.01, 0.05]))
            visitor.studio.kill()
        killed += 1
        visitor.studio.start()


@contextmanager
def studio(out: Path, *arguments: str, path: Path | None = None, port: int = 0) -> Iterator[Studio]:
    """Start a studio, and stop it afterwards."""
    started = Studio(out, *arguments, path=path, port=port)
    try:
        yield started
    finally:
        started.close()


def was_closed(socket: ClientConnection) -> int:
    """Return the code with which the studio closes a socket."""
    try:
        while True:
            socket.recv(timeout=PATIENCE)
    except ConnectionClosed as closed:
        return 0 if closed.rcvd is None else closed.rcvd.code
