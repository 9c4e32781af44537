"""Invalid messages for the studio's sockets: truncated, mistyped, nested, huge, binary."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from typing import Any

from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection

from tests.studio.live import Visitor, settled

ODD: list[Any] = [
    None, True, -1, 0, 1, 1.5, 1e308, 10**30, "", "EAST", "<script>alert(1)</script>", "\u0000", "\ud83d", [], {}, [[]],
    {"move": {}}, ["soup"], [None], {"groups": [], "names": []}, {"groups": [["A"], ["A"]], "names": []}, "x" * 5000,
]  # fmt: skip
MOST_TRIES = 50
KEYS = ["n", "input", "move", "answer", "ask", "stop", "type", "__proto__", "", "n\u0000"]


def fuzzed_messages(count: int, seed: int) -> Iterator[str | bytes]:
    """Yield messages that no round can apply: their numbers are far too large."""
    chance = random.Random(seed)
    makers = (_odd_object, _cut, _changed, _odd_input, _binary, _nested)
    return (chance.choice(makers)(chance) for _ in range(count))


def fuzz(visitor: Visitor, name: str, messages: Iterator[str | bytes]) -> int:
    """Send all messages to a round, on as many sockets as needed; return the number of messages sent."""
    waiting, sent = list(messages), 0
    while sent < len(waiting):
        with _opened(visitor, name) as socket:
            settled(socket)
            for message in waiting[sent : sent + 4]:  # the fifth that is nonsense closes the socket
                socket.send(message)
                sent += 1
                assert settled(socket)["type"] in ("refused", "behind")
    return sent


def _opened(visitor: Visitor, name: str) -> ClientConnection:
    """Open a socket; wait and retry if the studio's rate limit refuses it."""
    for _ in range(MOST_TRIES):
        try:
            return visitor.socket(name)
        except InvalidStatus:
            if "too many requests" not in visitor.studio.logged():
                raise
            time.sleep(0.2)
    raise AssertionError("the studio lets nobody in any more")


def _odd_object(chance: random.Random) -> str:
    return json.dumps({chance.choice(KEYS): chance.choice(ODD) for _ in range(chance.randrange(4))})


def _odd_input(chance: random.Random) -> str:
    user_input = {chance.choice(KEYS): chance.choice(ODD) for _ in range(chance.randrange(3))}
    return json.dumps({"n": chance.choice([10**6, 10**12, -3, "0", None]), "input": user_input})


def _cut(chance: random.Random) -> str:
    whole = json.dumps({"n": 10**6, "input": {"ask": ["soup", "pie"]}})
    return whole[: chance.randrange(len(whole))]


def _changed(chance: random.Random) -> str:
    letters = list(json.dumps({"n": 10**6, "input": {"move": "EAST"}}))
    for _ in range(chance.randrange(1, 4)):
        letters[chance.randrange(9, len(letters))] = chr(chance.randrange(32, 0x2FF))
    return "".join(letters)


def _binary(chance: random.Random) -> bytes:
    return chance.randbytes(chance.randrange(1, 200))


def _nested(chance: random.Random) -> str:
    return chance.choice(["[", '{"n":']) * chance.randrange(1, 3000)


def damage(whole: bytes, chance: random.Random) -> bytes:
    """Return the bytes of a file with some bits flipped, or a part overwritten, removed or cut off."""
    broken, at = bytearray(whole), chance.randrange(len(whole))
    kind = chance.choice(["flip", "flip", "letter", "zero", "drop", "cut"])
    if kind == "flip":
        for _ in range(chance.choice([1, 5, 50])):
            broken[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
    elif kind == "letter":  # in what looks like JSON, which no check of the file itself notices
        quotes = [k for k, byte in enumerate(whole) if byte in b'{"}']
        broken[chance.choice(quotes)] = ord(chance.choice('x1"['))
    elif kind == "zero":
        broken[at : at + chance.choice([16, 512, 4096])] = bytes(16)
    elif kind == "drop":
        del broken[at : at + 100]
    else:
        del broken[at:]
    return bytes(broken)
