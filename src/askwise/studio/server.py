"""The server process of the studio, a web server on which people play; it prints its link, and runs until Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import sys
import threading
import webbrowser
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from askwise.domains.registry import standalone
from askwise.errors import InputError
from askwise.studies.running.ownership import lock
from askwise.studio.security import LARGEST_MESSAGE
from askwise.text.files import examples_folder, find, make_folder, naming_file, read_text, reason
from askwise.text.reading import LONGEST_NAME
from askwise.workers.heartbeat import Limits

if TYPE_CHECKING:
    from askwise.studio.connections import Connections
    from askwise.studio.study.file import PeopleStudy


ENDINGS = (".toml", ".json")
MOST_FILES = 500


def problems_at(path: str | None) -> dict[str, str]:
    """Return the texts of problem files, as a dict by name.

    Files that a problem file refers to are included in its text. Unusable files in a folder are skipped, with a line on
    standard error.

    Args:
        path: a problem file or a folder; None for the examples of askwise.

    Raises:
        InputError: there are no usable files or too many, or the folder cannot be read.
    """
    place = examples_folder() if path is None else find(path)
    if place.is_dir():
        return _in_folder(place)
    return {place.stem[:LONGEST_NAME]: _text(place)}


def study_at(path: str | None) -> PeopleStudy | None:
    """Return the study with people that the file `path` describes.

    Return None if `path` is None, a folder, or a file of another kind.
    """
    from askwise.studio.study.file import is_people_study, read_people_study

    if path is None or Path(path).suffix.lower() != ".toml" or not Path(path).is_file():
        return None
    return read_people_study(path) if is_people_study(read_text(path)) else None


def _in_folder(folder: Path) -> dict[str, str]:
    try:
        found = sorted(each for each in folder.iterdir() if each.suffix.lower() in ENDINGS and each.is_file())
    except OSError as error:
        raise InputError(f"folder {str(folder)!r}", reason(error), "a folder that can be read") from None
    if not found:
        raise InputError(f"folder {str(folder)!r}", "no .toml or .json file", "problem files (askwise new writes one)")
    if len(found) > MOST_FILES:
        raise InputError(f"folder {str(folder)!r}", f"{len(found)} files", f"at most {MOST_FILES}")
    stems = Counter(each.stem for each in found)
    texts, refused = {}, []
    for each in found:
        name = each.stem if stems[each.stem] == 1 else each.name
        try:
            texts[name[:LONGEST_NAME]] = _text(each)
        except InputError as error:
            refused.append(error)
    if not texts:
        raise refused[0]
    for why in refused:
        print(f"askwise studio: skipped {why}", file=sys.stderr)
    return texts


def _text(path: Path) -> str:
    with naming_file(str(path)):
        return standalone(path)


LOOPBACK = ("127.0.0.1", "localhost")
EVERYWHERE = ("0.0.0.0", "::")


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """The options of the command ``askwise studio``, which starts the web server on which people play.

    Attributes:
        path: a problem file, a folder of them, or the file of a study with people; None for the examples.
        out: the folder for all data.
        host: the network address.
        port: the port; 0 for any free one.
        url: the public address, such as ``https://lab.example.org``, behind a proxy.
        methods: your own agents for people to choose, as ``FILE.py:Class``.
        workers: number of worker processes; None for one per core.
        decision: time limit of one decision, in seconds.
        browse: whether to open the link in a browser.
    """

    path: str | None = None
    out: str = "out/studio"
    host: str = "127.0.0.1"
    port: int = 8765
    url: str | None = None
    methods: tuple[str, ...] = ()
    workers: int | None = None
    decision: float = 300.0
    browse: bool = True


def serve(how: ServerOptions) -> None:
    """Run the studio's web server until Ctrl-C, and print the link that opens it.

    All data are stored in the folder ``how.out``, which is locked while the server runs.

    Raises:
        InputError: an option or problem file is wrong, the address or the folder is in use, or packages are missing.
        KeyboardInterrupt: Ctrl-C was pressed, and the server has shut down.
    """
    try:
        import uvicorn
    except ImportError:
        raise InputError("packages", "some missing", "pip install '.[studio]' in askwise's folder") from None
    from askwise.studio.connections import Connections

    hosts_of(how, how.port)  # refuse wrong options before anything is opened
    study = study_at(how.path)
    library = problems_at(how.path) if study is None else study.problems
    folder = make_folder(how.out)
    with lock(folder), _listening(how) as listener:
        logging.basicConfig(level=logging.WARNING, format="askwise studio: %(message)s", stream=sys.stderr)
        connections = Connections() if how.url is None else Connections(most=None)
        config = uvicorn.Config(
            app=lambda *_: None,
            http=connections.protocol,  # type: ignore[arg-type]  # it calls what it is given
            ws="websockets-sansio",
            ws_max_size=LARGEST_MESSAGE,
            ws_ping_interval=20.0,
            ws_per_message_deflate=False,  # messages of about 1 kB: compressing costs more than sending
            log_level="warning",
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=2,
        )
        asyncio.run(_run(uvicorn.Server(config), connections, listener, how, folder, library, study))


@contextlib.contextmanager
def _listening(how: ServerOptions) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in how.host else socket.AF_INET
    # asyncio sends small answers at once (TCP_NODELAY) only if the protocol is given.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((how.host, how.port))
        except (OSError, OverflowError, UnicodeError) as error:
            why = reason(error) if isinstance(error, OSError) else "no such address"
            where = f"{how.host}:{how.port}"
            raise InputError("--host, --port", f"{where} ({why})", "an address and a free port, or --port 0") from None
        made.listen(1024)  # so that the link works as soon as it is printed
        yield made
    finally:
        made.close()


async def _run(
    server: Any,
    connections: Connections,
    listener: socket.socket,
    how: ServerOptions,
    folder: Path,
    library: dict[str, str],
    study: PeopleStudy | None,
) -> None:
    from askwise.studio.app import make_app
    from askwise.studio.explore_routes import explore_routes
    from askwise.studio.pool import Pool
    from askwise.studio.security import Guard, Keys
    from askwise.studio.services import Services
    from askwise.studio.store import StudioStore

    store = StudioStore(folder)
    keys = Keys(store)
    pool = Pool(how.workers or os.cpu_count() or 1, Limits(decision=how.decision, episode=float("inf")))
    services = Services(store, keys, pool, library, how.methods, None if how.url is None else how.url.rstrip("/"))
    hosts = hosts_of(how, listener.getsockname()[1])
    asyncio.get_running_loop().set_exception_handler(connections.on_error)
    try:
        routes, people = explore_routes(), None
        if study is not None:
            from askwise.studio.study.people import People, links
            from askwise.studio.study_routes import study_routes

            services.study = study.name
            people = People(store, study)
            routes += study_routes(people, services)
        server.config.app = Guard(make_app(services, routes), hosts, keys)
        scheme = urlsplit(how.url).scheme if how.url else "http"
        public = f"{scheme}://{hosts[0]}"
        _announce(how, f"{public}/enter/{keys.new_link()}")
        if people is not None:
            print(f"Link for participants: {links(people, public)['join']}", flush=True)
        await server.serve([listener])
    finally:
        pool.close()
        store.close()


def hosts_of(how: ServerOptions, port: int) -> list[str]:
    """Return the hosts, as ``NAME:PORT``, under which browsers may reach the studio.

    The first one is part of the link that the studio prints.

    Raises:
        InputError: the public address, ``how.url``, is not valid.
    """
    found = []
    if how.url is not None:
        parts = urlsplit(how.url)
        if parts.scheme not in ("http", "https") or not parts.netloc or parts.path not in ("", "/"):
            raise InputError("--url", repr(how.url), "http://HOST or https://HOST, with a port if it has one")
        found.append(parts.netloc)
    if how.host in EVERYWHERE:
        found += [f"{name}:{port}" for name in (socket.gethostname(), socket.getfqdn())]
    elif how.host not in LOOPBACK:
        found.append(f"[{how.host}]:{port}" if ":" in how.host else f"{how.host}:{port}")
    found += [f"{name}:{port}" for name in LOOPBACK]
    return list(dict.fromkeys(found))


def _announce(how: ServerOptions, link: str) -> None:
    print(f"The studio is open: {link}")
    print("The link works once. Press Ctrl-C to stop the studio; unfinished rounds resume when you restart it.")
    print("The first decision of each method may take up to a minute, to compile it; later ones are fast.", flush=True)
    if how.browse:
        threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()
