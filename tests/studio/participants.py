"""A study for tests, and participants without a browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from askwise import simulate
from askwise.api import as_problem
from askwise.core.episode import Episode
from askwise.domains.registry import read
from askwise.methods import make_agent
from askwise.studio.rounds.round import Setup, belief_with_people
from askwise.studio.study.file import PeopleStudy, read_people_study
from askwise.studio.study.flow import cells, screens, setup_of
from tests.studio.live import EXAMPLES, Studio, Visitor, played
from tests.studio.scripted import inputs

STUDY = """
format = "askwise/people-study@1"
name = "Help <b>wanted</b>"
seed = 5
role = "teammate"
design = "within"
rounds = 1
problems = ["coverage.toml", "tiny.toml"]
most_at_once = 6
consent = "Please agree.\\n\\nSecond paragraph."
instructions = ["Read this.", "And this."]

[check]
tries = 2
questions = [
  {text = "What do you do?", options = ["I walk", "I fly"], right = "I walk"},
  {text = "Who asks?", options = ["Nobody", "The robot"], right = "The robot"},
]

[practice]
rounds = 1
problem = "tiny"
condition = "quiet"

[conditions.curious]
method = "baseline"

[conditions.quiet]
method = "never"

[[questionnaires]]
use = "workload"
when = "after each condition"

[[questionnaires]]
use = "fluency"
when = "at the end"

[[questionnaires]]
name = "free"
title = "A last question"
when = "at the end"
items = [
  {name = "colour", text = "Which colour?", options = ["red", "blue"]},
  {name = "why", text = "Why?", kind = "text"},
  {name = "else", text = "Anything else?", kind = "text", optional = true},
]

[[hypotheses]]
claim = "curious < quiet in cost"

[analysis]
alpha = 0.1

[panel]
parameter = "PID"

[completion]
code = "C0DE"
link = "https://panel.example/done?cc={code}"
"""
TINY = """
format = "askwise/problem@1"
name = "Tiny"
[teammate]
start = "T"
map = "A.T.B"
[ego]
start = "E"
map = "A.E.B"
[goals.left]
teammate = "A"
ego = "A"
[goals.right]
teammate = "B"
ego = "B"
[query_cost]
base = 0.2
"""
ANSWERS: dict[str, Any] = {
    "check 1": "I walk", "check 2": "The robot", "colour": "blue", "why": "<i>because</i>", "else": None,
}  # fmt: skip


def write_study(folder: Path, text: str = STUDY) -> Path:
    """Write the study with its problems; return the file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "coverage.toml").write_text((EXAMPLES / "coverage.toml").read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "tiny.toml").write_text(TINY, encoding="utf-8")
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return folder / "study.toml"


class Taker:
    """A participant."""

    def __init__(self, server: Studio, join: str, panel: str | None = None) -> None:
        query = "" if panel is None else f"?PID={panel}"
        status, headers, text = server.request(f"{urlsplit(join).path}{query}")
        assert status == 303, text
        self.visitor = Visitor(server, headers["set-cookie"].partition(";")[0])
        self.api = f"/api{headers['location']}"

    def screen(self) -> dict[str, Any]:
        """Return the present screen."""
        found: dict[str, Any] = self.visitor.ask(self.api)
        return found

    def enter(self, screen: dict[str, Any], entry: Any) -> dict[str, Any]:
        """Leave a screen; return the next one."""
        found: dict[str, Any] = self.visitor.ask(self.api, {"n": screen["n"], "entry": entry})
        return found

    def go(self, study: PeopleStudy, number: int, cell: int, until: int = 1000) -> dict[str, Any]:
        """Go through the study up to a screen, walking like ``urop``; return the screen."""
        screen = self.screen()
        while screen["kind"] != "end" and screen["place"] < until:
            if screen["kind"] == "round" and not screen["over"]:
                at = screen["place"] - 1
                played(self.visitor, screen["round"], inputs(expected(study, number, cell, at), "teammate"))
            screen = self.enter(screen, entry_for(screen))
        return screen


def entry_for(screen: dict[str, Any]) -> Any:
    """Return the entry of a person who agrees and answers everything correctly."""
    if screen["kind"] == "consent":
        return {"agreed": True}
    if "items" not in screen:
        return {}
    return {"answers": {item["name"]: ANSWERS.get(item["name"], item["highest"]) for item in screen["items"]}}


def setup_at(study: PeopleStudy, number: int, cell: int, at: int) -> tuple[Setup, str]:
    """Return the setup of a person's round at a screen, and the name of its problem."""
    all_cells = cells(len(study.conditions), len(study.problems), within=study.design == "within")
    screen = screens(study, all_cells[cell])[at]
    return setup_of(study, screen, number, at), screen.problem


def expected(study: PeopleStudy, number: int, cell: int, at: int) -> Episode:
    """Return the episode of that round for a person who walks like ``urop``."""
    setup, name = setup_at(study, number, cell, at)
    problem = as_problem(read(study.problems[name]))
    belief = belief_with_people(problem, setup.method)
    agent = make_agent(setup.method, **({} if belief is None else {"belief": belief}))
    return simulate(problem, agent, "urop", None, setup.seed)


def overview(researcher: Visitor) -> dict[str, Any]:
    """Return the data of the researcher's page."""
    found: dict[str, Any] = researcher.ask("/api/study")
    return found


def load(path: Path) -> PeopleStudy:
    """Return the study in a file."""
    return read_people_study(path)


def as_json(text: str) -> Any:
    """Return the JSON in a text."""
    return json.loads(text)
