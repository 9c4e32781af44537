"""Open the studio: people play problems in the browser, or take part in a study.

PROBLEMS is a problem file of any domain, a folder of them, or a study with people (askwise new
--kind study-with-people writes one); without it there are examples.
The command prints a link that opens the studio once and keeps running until Ctrl-C. Whatever
was played is in the folder --out, and goes on when the studio is started again.

  askwise studio kitchen.toml
  askwise studio examples/ --port 9000
  askwise studio study.toml --out out/study
  askwise studio examples/ --host 192.168.1.20
  askwise studio kitchen.toml --method mine.py:Likeliest

The studio listens on this computer only, unless --host names another address of it. Whoever
comes in needs the link, which is void after its first use.
"""

from __future__ import annotations

import argparse

from askwise.text.reading import parse_number, parse_whole


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise studio``."""
    parser.add_argument("path", metavar="PROBLEMS", nargs="?", help="a problem file, or a folder of them")
    parser.add_argument("--out", metavar="DIR", default="out/studio", help="keeps what is played (%(default)s)")
    parser.add_argument("--host", metavar="ADDRESS", default="127.0.0.1", help="where to listen (%(default)s)")
    parser.add_argument("--port", metavar="N", default="8765", help="port, 0 for any that is free (%(default)s)")
    parser.add_argument("--url", metavar="URL", help="the address browsers use, if a proxy stands before the studio")
    parser.add_argument(
        "--method", metavar="PLACE", action="append", default=[], help="offer an agent of your own, FILE.py:CLASS"
    )
    parser.add_argument("--workers", metavar="N", help="processes that think (default: one for each core)")
    parser.add_argument("--time-limit", metavar="S", default="300", help="seconds for one decision (%(default)s)")
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser")


def run(options: argparse.Namespace) -> int:
    """Run ``askwise studio``."""
    from askwise.studio.server import ServerOptions, serve

    how = ServerOptions(
        path=options.path,
        out=options.out,
        host=options.host,
        port=parse_whole(options.port, "--port"),
        url=options.url,
        methods=tuple(options.method),
        workers=None if options.workers is None else parse_whole(options.workers, "--workers", 1),
        decision=parse_number(options.time_limit, "--time-limit", above=0),
        browse=not options.no_browser,
    )
    try:
        serve(how)
    except KeyboardInterrupt:
        print("\nThe studio is closed.")
    return 0
