"""How much of everything: sizes, rates and numbers that keep one browser from disturbing the others."""

from __future__ import annotations

LARGEST_MESSAGE = 16 * 1024
"""Bytes of one message on a socket."""
LARGEST_BODY = 1024 * 1024
"""Bytes of one request: a problem file that is uploaded."""
MOST_SOCKETS = 1000
MOST_CONNECTIONS = 500
"""Connections of one address that are no sockets. A browser has six at most, and closes them soon."""
REQUEST_SECONDS = 30.0
"""Within which a request must arrive whole."""
MOST_ROOMS = 2000
"""Rounds that are kept in the server's memory; others are read again when somebody comes back."""
MESSAGES_A_SECOND, MOST_MESSAGES_AT_ONCE = 20.0, 60.0
REQUESTS_A_SECOND, MOST_REQUESTS_AT_ONCE = 50.0, 300.0
"""Of one person who is known by a cookie, or of one address."""
MOST_KNOWN = 20_000
"""Browsers and addresses whose rates are remembered."""
ROUNDS_A_MINUTE, MOST_ROUNDS_AT_ONCE = 30.0, 60.0
"""New rounds of one person."""
PEOPLE_A_CORE = 50
"""People who may take part in a study at the same time for each core, unless it says otherwise. Two moves a second of
each take a quarter to a third of a core beside the methods that ``make bench`` measures (`benchmarks/studio.py`); the
rest is for those who come all at once, and for methods that think longer."""
MOST_PEOPLE = 1000
"""That a study may allow."""
