"""The page "Run a study on a server", tried: its files for nginx, Caddy and systemd, with https and a real browser.

``make server`` unpacks Debian's nginx and Caddy and runs this. Where one of the programs is missing, its test is
skipped.
"""

from __future__ import annotations

import http.client
import os
import shlex
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.browser import browser
from tests.doc_pages import ROOT, blocks
from tests.studio.live import EXAMPLES, studio
from tests.studio.participants import TINY, load, write_study
from tests.studio.test_endings_in_browser import PHONE, STUDY, WIDE, Taker, overview
from tests.studio.test_in_browser import Visit

PAGE = ROOT / "docs" / "how-to" / "study-server.md"
NAME = "lab.example.org"
UNCHECKED = ssl.create_default_context()
UNCHECKED.check_hostname, UNCHECKED.verify_mode = False, ssl.CERT_NONE
STARTS = 20.0
"""Seconds for a proxy to start."""


def stated(name: str) -> str:
    """Return a file that the page states."""
    (found,) = (each.text for each in blocks(PAGE.read_text(encoding="utf-8")) if each.file == name)
    return found


def replaced(text: str, changes: dict[str, str]) -> str:
    """Return a text with parts replaced, all of which must be there."""
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed; make server unpacks nginx and Caddy")
    return found


@contextmanager
def running(command: list[str], port: int, log: Path) -> Iterator[None]:
    """Run a proxy until the end of the block; wait until it listens."""
    with log.open("wb") as written:
        process = subprocess.Popen(command, stdout=written, stderr=written, cwd=log.parent)
    try:
        give_up = time.monotonic() + STARTS
        while True:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < give_up, log.read_text()
            with socket.socket() as trial:
                if trial.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(STARTS)


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """Return a certificate for localhost, signed by itself, and its key."""
    made, key = tmp_path / "fullchain.pem", tmp_path / "privkey.pem"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    files = ["-keyout", str(key), "-out", str(made)]
    command = [program("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *files, *subject]
    subprocess.run(command, check=True, capture_output=True)
    return made, key


class Interrupted(Taker):
    """A participant whose studio is killed and started again in the middle of the first round."""

    killed = False

    def act(self, entered: dict[str, Any]) -> None:
        """See `Taker`."""
        if not self.killed:
            self.killed = True
            self.researcher.server.kill()
            self.page.wait_for_selector("body[data-line=broken]")
            self.researcher.server.start()
            self.page.wait_for_selector("body[data-line=open]")
            self.visit.errors.clear()  # the browser itself reports a line that cannot be opened
        super().act(entered)


def take_part(folder: Path, port: int, studio_port: int) -> None:
    """Have a person take part in a study behind the proxy that listens at a port, until the code."""
    for name, text in (
        ("kitchen.toml", (EXAMPLES / "kitchen.toml").read_text()),
        ("tiny.toml", TINY),
        ("study.toml", STUDY),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    url = f"https://localhost:{port}"
    insecure: dict[str, Any] = {"ignore_https_errors": True}  # the certificate is our own
    with (
        studio(folder / "out", "--url", url, path=folder / "study.toml", port=studio_port) as server,
        browser() as chromium,
    ):
        assert server.origin == url
        researcher = Visit(chromium, server, **WIDE, **insecure)
        assert overview(researcher)["join"].startswith(f"{url}/join/")
        taker = Interrupted(chromium, researcher, load(folder / "study.toml"), 1, "taps", **PHONE, **insecure)
        assert [each["secure"] for each in taker.visit.context.cookies()] == [True]
        taker.finish()
        assert taker.killed
        taker.ended("DONE1")
        assert [each["end"] for each in overview(researcher)["people"]] == ["finished"]


def request(port: int, path: str, *, secure: bool = True) -> tuple[int, str | None]:
    """Return the status of the answer to a request without a cookie, and the address that it leads to."""
    plain = http.client.HTTPConnection("localhost", port)
    connection = http.client.HTTPSConnection("localhost", port, context=UNCHECKED) if secure else plain
    with closing(connection):
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.headers["location"]


def test_nginx(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    nginx, plain, port, studio_port = program("nginx"), free_port(), free_port(), free_port()
    changes = {
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen 443 ": f"listen 127.0.0.1:{port} ",
        f"/etc/letsencrypt/live/{NAME}/fullchain.pem": str(certificate[0]),
        f"/etc/letsencrypt/live/{NAME}/privkey.pem": str(certificate[1]),
        NAME: "localhost",
        ":8765": f":{studio_port}",
    }
    (tmp_path / "study.conf").write_text(replaced(stated("study.conf"), changes))
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    folders = "".join(f"{kind}_temp_path {tmp_path / kind};\n" for kind in kinds)
    user = "user root;\n" if os.geteuid() == 0 else ""
    main = f"{user}daemon off;\nworker_processes 1;\npid {tmp_path / 'pid'};\nerror_log stderr;\nevents {{}}\n"
    (tmp_path / "nginx.conf").write_text(f"{main}http {{\n{folders}include {tmp_path / 'study.conf'};\n}}\n")
    command = [nginx, "-p", str(tmp_path), "-e", "stderr", "-c", str(tmp_path / "nginx.conf")]
    subprocess.run([*command, "-t"], check=True)
    with running(command, port, tmp_path / "nginx.log"):
        take_part(tmp_path, port, studio_port)
        assert request(plain, "/join/x?PID=1", secure=False) == (301, "https://localhost/join/x?PID=1")
        assert [request(port, "/join/x")[0] for _ in range(260)][-1] == 429, "limited for each address"


def test_caddy(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    caddy, port, studio_port = program("caddy"), free_port(), free_port()
    options = "{\n\tadmin off\n\tauto_https disable_redirects\n}\n"
    head = f"localhost:{port} {{\n\ttls {certificate[0]} {certificate[1]}"
    changes = {f"{NAME} {{": head, ":8765": f":{studio_port}"}
    (tmp_path / "Caddyfile").write_text(options + replaced(stated("Caddyfile"), changes))
    command = [caddy, "run", "--adapter", "caddyfile", "--config", str(tmp_path / "Caddyfile")]
    with running(command, port, tmp_path / "caddy.log"):
        take_part(tmp_path, port, studio_port)


def test_the_service(tmp_path: Path) -> None:
    """systemd finds no fault in the unit; its command opens the studio, and its signal stops it properly."""
    command = tmp_path / "env" / "bin" / "askwise"
    command.parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m askwise.cli "$@"\n')
    command.chmod(0o755)
    unit = replaced(stated("askwise-study.service"), {"/srv/study": str(tmp_path)})
    (tmp_path / "askwise-study.service").write_text(unit)
    entries = dict(line.split("=", 1) for line in unit.splitlines() if "=" in line)
    write_study(tmp_path).rename(tmp_path / "mine.toml")
    arguments = [*shlex.split(entries["ExecStart"]), "--port", str(free_port())]
    started = subprocess.Popen(arguments, cwd=entries["WorkingDirectory"], stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    assert f"https://{NAME}/enter/" in started.stdout.readline()
    started.send_signal(signal.Signals[entries["KillSignal"]])
    said, _ = started.communicate(timeout=60)
    assert (started.returncode, said.splitlines()[-1]) == (0, "The studio is closed.")
    checked = [program("systemd-analyze"), "verify", "--man=no", str(tmp_path / "askwise-study.service")]
    found = subprocess.run(checked, capture_output=True, text=True, check=False)
    assert (found.returncode, "askwise-study" in found.stderr) == (0, False), found.stderr
