"""Faults in the text of a problem file, in its tables and policies, and in its size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from askwise.domains import registry
from askwise.domains.stated import policies, reader
from askwise.errors import InputError
from tests.domains.stated.files import WARD, WARD_JSON, pol, read, ward
from tests.refused import assert_refused

# -- faults of the text ------------------------------------------------------------------------------------------

TOML = "expected TOML: key = value, [table]"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("format = ", f"line 1: found something that is not TOML (Invalid value); {TOML}"),
        (
            WARD.replace('start = "desk"', "start = desk"),
            f"line 5, column 9: found something that is not TOML (Invalid value); {TOML}",
        ),
        (
            WARD.replace("per_goal = 0.1", "base = 0.1"),
            f"line 27, column 11: found something that is not TOML (Cannot overwrite a value); {TOML}",
        ),
        (f"x = {'[' * 5000}", "file: found TOML nested too deeply; expected tables as documented"),
        (f"x = {'9' * 5000}", "file: found a value that is no number and no date; expected ordinary numbers"),
        (
            WARD_JSON.replace('"name": "ward",', '"name": ,'),
            "line 1, column 41: found something that is not JSON (Expecting value); expected one JSON object",
        ),
        (
            WARD_JSON.replace('"name": "ward",', '"name": "a", "name": "b",'),
            'key "name": found it twice in one object; expected each key once',
        ),
    ],
)
def test_faults_of_the_text(text: str, message: str) -> None:
    assert_refused(lambda: registry.read(text), message)


# -- faults of a table in a file ---------------------------------------------------------------------------------

TABLE = "teammate.policy.table"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "goal,state,action\n",
            f"{TABLE}, line 1: found 3 columns; expected 4: goal, state, action, probability",
        ),
        ("to room 1,desk,go,x\n", f'{TABLE}, line 1: found the probability "x"; expected a number from 0 to 1'),
        ("to room 1,desk,go,nan\n", f'{TABLE}, line 1: found the probability "nan"; expected a number from 0 to 1'),
        (
            "goal,state,action,probability\n\nto room 1,dusk,go,1\n",
            f"{TABLE}, line 3: found 'dusk'; expected a state of the graph, "
            '"desk", "hall", "room 1", "room 2" (did you mean \'desk\'?)',
        ),
        ("to room 3,desk,go,1\n", f'{TABLE}, line 1: found the unknown goal "to room 3"; expected the name of a goal'),
        ("", f'{TABLE}: found no rows for goal "to room 1"; expected rows for every goal'),
    ],
)
def test_faults_of_a_table(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "ways.csv").write_text(text)
    (tmp_path / "ward.toml").write_text(WARD.replace("[ego]", '[teammate.policy]\ntable = "ways.csv"\n\n[ego]'))
    assert_refused(lambda: registry.read_file(tmp_path / "ward.toml"), message)


@pytest.mark.parametrize("name", ["none.csv", "", "a\\u0000b", "."])
def test_a_table_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "ward.toml").write_text(WARD.replace("[ego]", f'[teammate.policy]\ntable = "{name}"\n\n[ego]'))
    with pytest.raises(InputError, match=r"^(file '|teammate\.policy\.table: )"):
        registry.read_file(tmp_path / "ward.toml")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [["to room 1", "desk", "go", 0.5], ["to room 2", "desk", "go", 1]],
            "teammate.policy.table: goal 'to room 1', policy in state 'desk': found probabilities that sum to 0.5; "
            "expected 1 (within 1e-09)",
        ),
        (
            [["to room 1", "desk", "go", 1], ["to room 2", "desk", "go", 1]],
            "teammate.policy: goal 'to room 1': found no action in 'hall'; "
            "expected an action in every state that it may reach",
        ),
        (
            [
                ["to room 1", "desk", "go", 1],
                ["to room 1", "hall", "right", 1],
                ["to room 1", "room 2", "STAY", 1],
                ["to room 2", "desk", "go", 1],
            ],
            "teammate.policy: goal 'to room 1': found no path to the goal from 'desk'; "
            "expected a path from every state that it may reach",
        ),
    ],
)
def test_policies_that_lead_nowhere(rows: list[Any], message: str) -> None:
    file = read(pol({"table": rows}))
    assert_refused(file.problem, message)


def test_noise_that_may_lead_into_a_dead_end() -> None:
    assert_refused(
        read(pol({"noisy": 0.1})).problem,
        "teammate.policy: goal 'to room 1': found no action in 'room 2'; "
        "expected an action in every state that it may reach",
    )


# -- limits ------------------------------------------------------------------------------------------------------


def test_sizes_have_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MOST_STATES", 3)
    assert_refused(lambda: read(ward()), "teammate.edges: found 4 states; expected at most 3")
    monkeypatch.setattr(reader, "MOST_STATES", 4)
    monkeypatch.setattr(reader, "MOST_ENTRIES", 15)
    assert_refused(
        lambda: read(ward()),
        "teammate.edges: found 4 states and 3 actions; expected a product of at most 15",
    )
    monkeypatch.setattr(reader, "MOST_ENTRIES", 16)
    monkeypatch.setattr(reader, "MOST_GOALS", 1)
    assert_refused(lambda: read(ward()), "goals: found 2 goals; expected at most 1")
    monkeypatch.setattr(reader, "MOST_GOALS", 2)
    monkeypatch.setattr(policies, "MOST_ENTRIES", 31)
    assert_refused(
        read(pol("uniform")).problem,
        "teammate.policy: found 2 policies over 4 states and 4 actions; expected a product of at most 31, or 'urop'",
    )
    monkeypatch.setattr(policies, "MOST_ENTRIES", 32)
    assert read(pol("uniform")).problem().policies is not None
