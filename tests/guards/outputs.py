"""What commands print with ``--json``, on the examples, without what depends on time."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import tempfile
from pathlib import Path
from typing import Any

from askwise.cli import main
from askwise.text import files

ROOT = Path(__file__).parents[2]
TIMED = ("seconds",)
"""Keys that are left out wherever they are."""

CALLS = {
    "ask-graph": "ask examples/ward.toml --method planner",
    "ask-map": "ask examples/kitchen.toml --seen EAST --answered toast,soup:no",
    "ask-noisy": "ask examples/kitchen.toml --method planner --answers wrong:0.1,refused:0.2",
    "ask-coverage": "ask examples/coverage.toml --method optimal",
    "ask-pddl": "ask examples/words.toml --method ezq-exact",
    "ask-tools": "ask examples/workshop.json --method cost-prob",
    "audit-conversations": "audit examples/conversations/returns.jsonl",
    "audit-episode": "audit {folder}/episode.json",
    "decide-robot": "decide examples/decisions/robot.toml",
    "decide-ticket": "decide examples/decisions/ticket.toml --heard 'Which export?=CSV'",
    "decide-travel": "decide examples/decisions/travel.toml",
    "decide-triage": "decide examples/decisions/triage.toml",
    "design-drawing": "design examples/two-goals.txt -k 2 --minimise edp",
    "design-graph": "design examples/ward.toml -k 1 --minimise cost --by optimum",
    "design-tools": "design examples/workshop.json --forbid 3,3",
    "design-pddl": "design examples/words -k 1",
    "edp-drawing": "edp examples/office.txt",
    "edp-graph": "edp examples/ward.toml --at 'corridor 1'",
    "edp-coverage": "edp examples/coverage.toml",
    "edp-tools": "edp examples/workshop.json",
    "edp-pddl": "edp examples/words --obs",
    "evaluate-exact": "evaluate examples/ward.toml --exact --bound",
    "evaluate-noisy": "evaluate examples/ward.toml --method planner --answers wrong:0.1 --exact --questions 2 --bound",
    "evaluate-episodes": "evaluate examples/workshop.json --method ezq-local --episodes 20 --seed 1",
    "evaluate-paths": "evaluate examples/coverage.toml --method planner --paths 2",
    "examples": "examples",
    "recognise": "recognise examples/words --complete",
    "recognise-robust": "recognise examples/words --belief robust",
    "run-graph": "run examples/ward.toml --seed 1 --method planner",
    "run-noisy": "run examples/kitchen.toml --seed 2 --teammate noisy:0.2 --answers wrong:0.1,refused:0.2",
    "run-tools": "run examples/workshop.json --seed 3 --method toolbox",
    "solve-graph": "solve examples/ward.toml",
    "solve-noisy": "solve examples/coverage.toml --questions 2",
}
"""The commands by the name of their file; ``{folder}`` is a folder with a trace of an episode in it."""


def printed(call: str) -> str:
    """Return what a command prints as JSON, indented."""
    with tempfile.TemporaryDirectory() as folder:
        if "{folder}" in call:
            run(f"run examples/ward.toml --seed 4 --method never --trace {folder}/episode.json")
        return run(call, folder)


def run(call: str, folder: str = "") -> str:
    """Run a command; return the JSON that it prints, indented, FOLDER for `folder`, EXAMPLES for the examples."""
    with contextlib.redirect_stdout(io.StringIO()) as shown, contextlib.chdir(ROOT):
        assert main([*shlex.split(call.format(folder=folder)), "--json"]) == 0, call
    text = shown.getvalue().replace(str(files.examples_folder()), "EXAMPLES")
    found = json.loads(text.replace(folder, "FOLDER") if folder else text)
    return json.dumps(_kept(found), indent=1, ensure_ascii=False)


def _kept(found: Any) -> Any:
    """Return what is compared: without times, and without the last digits, which depend on the processor."""
    if isinstance(found, dict):
        return {key: _kept(value) for key, value in found.items() if key not in TIMED}
    if isinstance(found, float):
        return float(f"{found:.12g}")
    return [_kept(value) for value in found] if isinstance(found, list) else found
