"""Nothing depends on the order in which Python keeps sets and dictionaries' hashes: not a drawing, an episode, a page.

What is to be compared is printed by two fresh processes with other hash seeds, all of it in one go: starting Python and
loading the package takes longer than most of it.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import askwise
from askwise.cli import main
from askwise.domains.tool_fetching.generate import generate
from askwise.view.layout import Net, lay_out
from askwise.view.page import page_text
from tests.core.test_teammates import EPISODES, golden_episode
from tests.envs import test_same_episodes
from tests.methods.test_golden import story
from tests.studies.studies import small
from tests.tool_fetching import workshop
from tests.view import test_floors_as_text, test_summary, test_text
from tests.view.episodes import asking
from tests.view.floors import played, two_maps, ward
from tests.view.test_layout import loop, path, tree

HASH_SEEDS = ("0", "4242")


def layouts() -> str:
    """The places of all nodes of some graphs."""
    models = (loop(9), path(30), tree(20), ward().teammate.model)
    return str([node.at for model in models for node in lay_out(Net.of(model)).nodes])


def printed_by(*command: str) -> str:
    """What a command prints about the workshop."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
        path = Path(folder) / "workshop.json"
        workshop(query_cost={"base": 0.5, "per_station": 0.1}).save(path)
        assert main([word.format(path) for word in command]) == 0
    return printed.getvalue()


def designs() -> str:
    """Designs of a map, and what is said about them."""
    office = Path(__file__).parent.parent / "examples" / "office.txt"
    return str([str(askwise.design(office, 2, minimise=minimise, limit=2000)) for minimise in ("wcd", "edp")])


PRINTED: dict[str, Callable[[], str]] = {
    "designs": designs,
    "maps in a terminal": test_text.drawings,
    "graphs in a terminal": test_floors_as_text.drawings,
    "accounts": test_summary.accounts,
    "layouts": layouts,
    "a page": lambda: page_text(asking()),
    "pages with graphs and two maps": lambda: page_text(played(ward())) + page_text(played(two_maps())),
    "episodes of teammates": lambda: "".join(map(golden_episode, EPISODES)),
    "episodes of agents": lambda: "".join(
        story(method) for method in ("baseline", "toolbox", "cost-prob", "ezq", "ezq-auto")
    ),
    "episodes of an environment": test_same_episodes.told,
    "askwise show": lambda: printed_by("show", "{}"),
    "askwise ask": lambda: printed_by("ask", "{}", "--method", "ezq-exact"),
    "a study's fingerprint": lambda: small().fingerprint,
    "an instance that was drawn": lambda: json.dumps(generate(size=12, stations=9, walls=0.2, seed=4).to_json()),
}


def print_all() -> None:
    """Print everything, as JSON."""
    print(json.dumps({name: make() for name, make in PRINTED.items()}))


@cache
def printed_with(hash_seed: str) -> dict[str, str]:
    """All that a fresh Python with that PYTHONHASHSEED prints."""
    root = Path(__file__).parents[1]
    search = os.pathsep.join([str(root), str(Path(askwise.__file__).parents[1])])
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": search}
    code = "import tests.test_hash_seed; tests.test_hash_seed.print_all()"
    done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=root, capture_output=True, check=True)
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("hash_seed", HASH_SEEDS)
def test_nothing_depends_on_the_hash_seed(hash_seed: str) -> None:
    found = printed_with(hash_seed)
    for name, make in PRINTED.items():
        assert found[name] == make(), name
