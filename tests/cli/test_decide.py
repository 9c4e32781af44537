"""``askwise decide``: what it prints, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import Run, run_as_user
from tests.doc_pages import ROOT

TICKET = str(ROOT / "examples" / "decisions" / "ticket.toml")
SMALL = (
    '{"format": "askwise/decision@1", "belief": {"a": 0.6, "b": 0.4}, "questions": {"is=it a?": ["a"]}, "price": 0.1}'
)


def test_text(run: Run) -> None:
    out = run("decide", TICKET).assert_fine()
    assert out.startswith("do              ask 'Which export?'\nwhy             Acting now (hand it to a maintainer)")
    assert "verdict         exact\n" in out
    assert "├─ PDF (18 %): cache the PDF report" in out


def test_standard_input_and_json(run: Run) -> None:
    found = json.loads(run("decide", "-", "--json", stdin=SMALL).assert_fine())
    assert found["do"] == {"do": "ask", "name": "is=it a?", "loss": pytest.approx(0.1), "answers": ["yes", "no"]}
    assert found["verdict"]["text"] == "exact"


def test_going_on(run: Run) -> None:
    """Equals signs are part of names; what was heard is kept in the order it came."""
    found = json.loads(run("decide", "-", "--json", "--heard", "is=it a?=no", stdin=SMALL).assert_fine())
    assert (found["do"]["name"], found["belief"]) == ("b", {"a": 0.0, "b": 1.0})
    assert found["never_asking"] is None
    out = run(
        "decide", TICKET, "--heard", "Which export?=CSV", "--heard", "What do the logs show?=timeouts"
    ).assert_fine()
    assert "  acting now " in out
    assert "never asking" not in out
    assert "  never asking  19.25\n" in run("decide", TICKET).assert_fine()


def test_a_drawing(run: Run) -> None:
    out = run("decide", TICKET, "--svg", "plan.svg").assert_fine()
    assert out.endswith("\nWritten: plan.svg\n")
    assert Path("plan.svg").read_text().startswith("<svg ")
    json.loads(run("decide", TICKET, "--svg", "plan.svg", "--json").assert_fine())


def test_a_depth(run: Run) -> None:
    assert "verdict         searched 1 question ahead; at most " in run("decide", TICKET, "--depth", "1").assert_fine()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "FILE: found nothing; expected a decision file (askwise new --kind decision writes one)"),
        (["none.toml"], "file 'none.toml': found no such file or directory; expected a file that can be read"),
        ([TICKET, "--picture", "a.gif"], "file 'a.gif': found the ending '.gif'; expected one of .png, .svg, .pdf"),
        ([TICKET, "--depth", "x"], "--depth: found 'x'; expected a whole number from 0"),
        ([TICKET, "--heard", "CSV"], "--heard: found 'CSV'; expected QUESTION=ANSWER"),
        (
            [TICKET, "--heard", "Which export=CSV"],
            "--heard: found 'Which export'; expected one of 'Which export?', 'Does it end with an error?',"
            " 'What do the logs show?' (did you mean 'Which export?'?)",
        ),
        (
            [TICKET, "--heard", "Which export?=PDD"],
            "--heard: found 'PDD'; expected an answer to 'Which export?': 'CSV', 'PDF', 'none of these', 'no answer'"
            " (did you mean 'PDF'?)",
        ),
        (
            [TICKET, "--heard", "Which export?=CSV", "--heard", "Which export?=PDF"],
            "--heard: found 'Which export?' once more; expected each question once; it was answered already",
        ),
    ],
)
def test_refused(run: Run, options: list[str], message: str) -> None:
    run("decide", *options).assert_refused(f"askwise decide: {message}")


def test_a_file_of_another_kind(run: Run) -> None:
    Path("map.json").write_text('{"format": "askwise/tool-fetching@1", "map": ["A."]}')
    run("decide", "map.json").assert_refused(
        "askwise decide: file 'map.json': found an instance file; expected a decision file (askwise ask takes this one)"
    )


def test_the_file_is_named(run: Run) -> None:
    Path("mine.json").write_text(SMALL.replace("0.4", "0.5"))
    run("decide", "mine.json").assert_refused(
        "askwise decide: file 'mine.json', belief: found probabilities that sum to 1.1; expected probabilities that sum"
        " to 1; samples with weights, [[intent, weight], ...], need not"
    )


def test_rounded_probabilities_are_normalised_with_a_note(run: Run) -> None:
    belief = {"a": 0.333, "b": 0.333, "c": 0.333}
    text = {"format": "askwise/decision@1", "belief": belief, "loss": {"x": {"a": 0, "else": 9}, "y": 5}}
    Path("thirds.json").write_text(json.dumps(text))
    note = "the probabilities of the intents sum to 0.999; they were divided by this"
    assert f"note            {note}" in " ".join(run("decide", "thirds.json").assert_fine().splitlines()).replace(
        " " * 17, " "
    )
    found = json.loads(run("decide", "thirds.json", "--json").assert_fine())
    assert found["note"] == note
    assert found["belief"]["a"] == pytest.approx(1 / 3)


def test_without_box_characters(run: Run) -> None:
    plain = run_as_user("decide", str(TICKET), env={"PYTHONIOENCODING": "ascii"}).assert_fine()
    assert plain.isascii()
    assert "`- no answer (10 %): " in plain
    assert "\\u" not in plain
