"""All results are as they were recorded; see `tests.guards` for how to record them anew."""

from __future__ import annotations

import pytest

from askwise.cli import COMMANDS, main
from tests.guards.outputs import CALLS
from tests.guards.results import GUARDS, RECORDED


@pytest.mark.parametrize("name", GUARDS)
def test_nothing_has_changed(name: str) -> None:
    assert GUARDS[name]().splitlines() == (RECORDED / name).read_text(encoding="utf-8").splitlines()


def test_nothing_is_recorded_that_no_guard_looks_at() -> None:
    found = {path.relative_to(RECORDED).as_posix() for path in RECORDED.rglob("*") if path.is_file()}
    assert found == set(GUARDS)


def test_every_command_that_prints_json_is_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    recorded = {call.split()[0] for call in CALLS.values()}
    # A study is recorded on its own. `tests/torture/test_reproduced.py` runs the whole of ``askwise reproduce``.
    recorded |= {"study", "reproduce"}
    found = set()
    for command in COMMANDS:
        with pytest.raises(SystemExit):
            main([command, "--help"])
        if "--json" in capsys.readouterr().out.partition("\noptions:")[2]:
            found.add(command)
    assert found == recorded


@pytest.mark.parametrize("name", [name for name in GUARDS if name.startswith("decisions")])
def test_there_are_500_decisions_of_each_planner(name: str) -> None:
    lines = (RECORDED / name).read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if not line.startswith("==")]) >= 500
