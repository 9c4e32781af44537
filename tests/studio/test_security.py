"""Refused visitors and requests, and that they do not disturb others."""

from __future__ import annotations

import json
import socket as sockets
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import InvalidStatus

from askwise.studio.security import LARGEST_BODY, LARGEST_MESSAGE, MOST_MESSAGES_AT_ONCE
from askwise.studio.server import ServerOptions, hosts_of
from tests.studio.fuzzed import fuzz, fuzzed_messages
from tests.studio.live import Studio, Visitor, played, send, settled, studio, was_closed
from tests.studio.scripted import as_teammate, inputs, trace_of


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with studio(tmp_path_factory.mktemp("security") / "out") as started:
        yield started


@pytest.fixture(scope="module")
def visitor(server: Studio) -> Visitor:
    return server.enter()


@pytest.fixture(scope="module")
def round_name(visitor: Visitor) -> str:
    return visitor.new_round("coverage", role="teammate", method="never", seed=6)


def test_the_link_works_once(server: Studio, visitor: Visitor) -> None:
    status, headers, text = server.request(urlsplit(server.link).path)
    assert (status, "set-cookie" in headers) == (403, False)
    assert "This link is not valid" in text


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(server: Studio, visitor: Visitor) -> None:
    server.kill()
    server.start()  # a new link, and the old cookie goes on being good
    _, headers, _ = server.request(urlsplit(server.link).path)
    assert {"HttpOnly", "SameSite=lax", "Path=/"} <= {part.strip() for part in headers["set-cookie"].split(";")}
    assert headers["referrer-policy"] == "no-referrer"
    assert visitor.ask("/api/library")["problems"]


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:80", ""])
def test_another_host_is_refused(server: Studio, visitor: Visitor, host: str) -> None:
    status, _, text = server.request("/", cookie=visitor.cookie, headers={"Host": host})
    assert (status, "does not belong to this studio" in text) == (421, True)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "file://"])
def test_another_origin_is_refused(server: Studio, visitor: Visitor, round_name: str, origin: str) -> None:
    body = {"problem": 0, "setup": {"role": "ego"}}
    for path, sent in (("/api/rounds", body), ("/", None)):
        status, _, text = server.request(path, sent, cookie=visitor.cookie, headers={"Origin": origin})
        assert (status, "is not this studio" in text) == (403, True)
    with pytest.raises(InvalidStatus) as refused:
        visitor.socket(round_name, origin=origin)
    assert refused.value.response.status_code == 403


def test_no_origin_is_refused_where_something_changes(server: Studio, visitor: Visitor, round_name: str) -> None:
    status, _, text = server.request(
        "/api/rounds", cookie=visitor.cookie, method="POST", headers={"Content-Type": "application/json"}
    )
    assert (status, json.loads(text)) == (403, {"error": "no Origin"})
    with pytest.raises(InvalidStatus):
        visitor.socket(round_name, origin=None)


@pytest.mark.parametrize("cookie", [None, "askwise-0=x", "", "=;;,"])
def test_without_the_cookie_nothing_is_told(server: Studio, round_name: str, cookie: str | None) -> None:
    for path in ("/", f"/play/{round_name}", "/api/library", "/api/rounds", f"/api/rounds/{round_name}/trace"):
        assert server.request(path, cookie=cookie)[0] == 403, path
    assert server.request(f"/review/{round_name}", cookie=cookie)[0] == 404
    assert server.request("/api/rounds", {"problem": 0, "setup": {"role": "ego"}}, cookie=cookie)[0] == 403
    assert server.request("/static/play.js", cookie=cookie)[0] == 200, "scripts hold no secrets"
    with Visitor(server, cookie or "").socket(round_name) as socket:
        assert was_closed(socket) == 4404


def test_paths_lead_nowhere_else(server: Studio, visitor: Visitor) -> None:
    for path in ("/static/../app.py", "/static/%2e%2e%2fapp.py", "/static/home.html", "/static/x.js", "/play/../../x"):
        assert server.request(path, cookie=visitor.cookie)[0] in (403, 404), path


def test_every_answer_has_a_strict_policy(server: Studio, visitor: Visitor) -> None:
    for path in ("/", "/static/play.js", "/api/library", "/nowhere"):
        _, headers, _ = server.request(path, cookie=visitor.cookie)
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "unsafe" not in policy
        assert (headers["x-content-type-options"], headers["cache-control"]) == ("nosniff", "no-store")
        assert "server" not in headers


def test_what_is_too_large_is_refused(server: Studio, visitor: Visitor, round_name: str) -> None:
    status, _, text = server.request("/api/problems", cookie=visitor.cookie, raw=b" " * (LARGEST_BODY + 1))
    assert (status, json.loads(text)) == (413, {"error": f"more than {LARGEST_BODY} bytes"})
    with visitor.socket(round_name) as socket:
        settled(socket)
        socket.send("x" * (LARGEST_MESSAGE + 1))
        assert was_closed(socket) == 1009
    # One that does not say how long it is, and never ends.
    host, port = server.host.split(":")
    with sockets.create_connection((host, int(port)), timeout=20) as line:
        head = f"POST /api/problems HTTP/1.1\r\nHost: {server.host}\r\nOrigin: http://{server.host}\r\n"
        head += f"Cookie: {visitor.cookie}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        line.sendall(head.encode())
        said = b""
        line.settimeout(20)
        try:
            for _ in range(64):
                line.sendall(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
            said = line.recv(1000)
        except OSError:
            pass  # refused by closing: there is no need to be polite
        assert b" 200 " not in said


def test_only_json_is_taken(server: Studio, visitor: Visitor) -> None:
    for raw, kind in [
        (b"problem=0", "application/x-www-form-urlencoded"),
        (b'{"problem": 0}', "text/plain"),
        (b'{"text": "x", "text": "y"}', "application/json"),
        (b'{"text": NaN}', "application/json"),
        (b"\xff\xfe", "application/json"),
        (b"[" * 100_000, "application/json"),
        (b"[]", "application/json"),
    ]:
        status, headers, text = server.request(
            "/api/problems", cookie=visitor.cookie, raw=raw, headers={"Content-Type": kind}
        )
        assert status == 400, (raw[:20], text)
        assert set(json.loads(text)) == {"error"}
        assert headers["content-type"] == "application/json"


def test_fuzzed_messages_are_refused_and_the_round_goes_on(server: Studio, visitor: Visitor) -> None:
    simulated = as_teammate("coverage", "never", 7)
    script = inputs(simulated, "teammate")
    name = visitor.new_round("coverage", role="teammate", method="never", seed=7)
    assert fuzz(visitor, name, fuzzed_messages(150, seed=1)) == 150
    assert played(visitor, name, script)["state"]["phase"] == "over"
    assert visitor.ask(f"/api/rounds/{name}/trace") == trace_of(simulated)
    assert "Traceback" not in server.logged()
    assert "refused a message" in server.logged()


def test_too_many_messages_close_their_own_socket(visitor: Visitor, round_name: str) -> None:
    with visitor.socket(round_name) as socket:
        settled(socket)
        for _ in range(int(MOST_MESSAGES_AT_ONCE) + 40):
            send(socket, 10**6, {"stop": True})
        assert was_closed(socket) == 4429
    assert visitor.ask("/api/library")["problems"]


def test_somebody_elses_round_is_no_round(server: Studio, visitor: Visitor) -> None:
    with visitor.socket("nosuchround12345") as socket:
        assert was_closed(socket) == 4404
    assert "refused a socket: no such round, or it belongs to another person" in server.logged()


def test_names_by_which_browsers_may_know_it() -> None:
    assert hosts_of(ServerOptions(), 80) == ["127.0.0.1:80", "localhost:80"]
    assert hosts_of(ServerOptions(host="10.0.0.5"), 80)[0] == "10.0.0.5:80"
    assert hosts_of(ServerOptions(host="::1"), 80)[0] == "[::1]:80"
    assert hosts_of(ServerOptions(url="https://lab.example"), 80)[0] == "lab.example"
    assert "evil.example:80" not in hosts_of(ServerOptions(host="0.0.0.0"), 80)
