"""Studies with people on a real server: the whole study, kills, balance, pilots, the researcher's page, the report."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import polars as pl
import pytest
from scipy import stats

from askwise import trace
from askwise.studio.study.file import FAILED_CHECK, LEFT, PeopleStudy
from askwise.studio.study.report import write_people_report
from askwise.studio.study.texts import package_texts
from askwise.studio.study_routes import GOODBYES
from tests.studio.live import Studio, Visitor, played, settled, studio
from tests.studio.participants import STUDY, Taker, entry_for, expected, load, overview, write_study
from tests.studio.scripted import inputs, trace_of


@contextmanager
def opened(home: Path) -> Iterator[tuple[Studio, Visitor]]:
    with studio(home / "out", path=home / "study.toml") as started:
        yield started, started.enter()


# Tests come in any order, so those that share a study add a place or two to it and depend on nobody else who came.
@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("study")


@pytest.fixture(scope="module")
def study(home: Path) -> PeopleStudy:
    return load(write_study(home))


@pytest.fixture(scope="module")
def shared(home: Path, study: PeopleStudy) -> Iterator[tuple[Studio, Visitor]]:
    with opened(home) as both:
        yield both


@pytest.fixture
def server(shared: tuple[Studio, Visitor]) -> Studio:
    return shared[0]


@pytest.fixture
def researcher(shared: tuple[Studio, Visitor]) -> Visitor:
    return shared[1]


def rows_in(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def row_of(researcher: Visitor, number: int) -> dict[str, object]:
    return next(row for row in overview(researcher)["people"] if row["number"] == number and not row["pilot"])


def numbers(researcher: Visitor) -> set[int]:
    """Return the numbers of all participants, without pilots."""
    return {int(row["number"]) for row in overview(researcher)["people"] if not row["pilot"]}


def check_against_the_export(export: Path, report: Path) -> None:
    """The report's numbers are those that the exported CSV files give, computed in another way."""
    done = {
        row["person"] for row in rows_in(export / "people.csv") if (row["pilot"], row["end"]) == ("false", "finished")
    }
    costs: dict[str, list[float]] = {}
    for row in rows_in(export / "rounds.csv"):
        if row["person"] in done and (row["pilot"], row["practice"]) == ("false", "false"):
            costs.setdefault(row["condition"], []).append(float(row["cost"]))
    seconds: dict[str, dict[str, list[float]]] = {}
    for row in rows_in(export / "inputs.csv"):
        if row["person"] in done and (row["pilot"], row["practice"], row["kind"]) == ("false", "false", "move"):
            seconds.setdefault(row["condition"], {}).setdefault(row["person"], []).append(float(row["seconds"]))
    found = {(row["measure"], row["condition"]): row for row in rows_in(report / "measures.csv")}
    for condition, values in costs.items():
        row, reach = found["cost", condition], stats.sem(values) * stats.t.ppf(0.975, len(values) - 1)
        assert float(row["mean"]) == pytest.approx(np.mean(values))
        assert float(row["low"]) == pytest.approx(np.mean(values) - reach)
        means = [np.mean(each) for each in seconds[condition].values()]
        assert float(found["seconds per move", condition]["mean"]) == pytest.approx(np.mean(means))
    gaps = np.subtract(costs["curious"], costs["quiet"])
    (row,) = (row for row in rows_in(report / "comparisons.csv") if row["measure"] == "cost")
    assert float(row["mean"]) == pytest.approx(gaps.mean())
    assert float(row["effect"]) == pytest.approx(gaps.mean() / gaps.std(ddof=1))
    assert float(row["p paired t"]) == pytest.approx(stats.ttest_1samp(gaps, 0).pvalue)
    (decided,) = rows_in(report / "hypotheses.csv")
    less = stats.ttest_1samp(gaps, 0, alternative="less").pvalue
    assert decided["claim"] == "curious < quiet in cost"
    assert float(decided["p"]) == pytest.approx(less)
    assert decided["verdict"] == ("supported" if less < 0.1 else "not supported")
    book = {(row["file"], row["column"]) for row in rows_in(export / "codebook.csv")}
    for name in ("people", "answers", "pages", "inputs", "rounds"):
        columns = pl.read_parquet(export / f"{name}.parquet").columns
        assert {(name, column) for column in columns} == {each for each in book if each[0] == name}
        with (export / f"{name}.csv").open(encoding="utf-8") as file:
            assert next(csv.reader(file)) == columns


def check_the_report(home: Path) -> None:
    """The report compares the four people who finished with simulations."""
    counted = write_people_report(home / "out")
    assert (counted["people who finished"], counted["rounds"]) == (4, 8)
    report = home / "out" / "report"
    page = (report / "report.html").read_text(encoding="utf-8")
    assert "Help &lt;b&gt;wanted&lt;/b&gt;" in page
    assert not [word for word in ("per-station", "instances", "worker", "prior ") if word in page]
    rows = {(row["measure"], row["condition"]): row for row in rows_in(report / "measures.csv")}
    # These people walked like the simulated teammate, so they cost the same.
    for condition in ("curious", "quiet"):
        assert rows["cost", condition]["mean"] == rows["cost, simulated", condition]["mean"]
    check_against_the_export(home / "out" / "export", report)
    export = home / "out" / "export"
    answers = rows_in(export / "answers.csv")
    own = [row for row in answers if (row["person"], row["pilot"]) == ("1", "false")]
    assert {row["answer"] for row in own if row["questionnaire"] == "workload" and row["item"] == "mental"} == {"100"}
    score = [row["answer"] for row in own if row["questionnaire"] == "workload" and row["item"] == "score"]
    assert [float(each) for each in score] == [pytest.approx(500 / 6)] * 2, "performance is turned round"
    assert [row["answer"] for row in own if row["item"] == "why"] == ["<i>because</i>"]
    people = rows_in(export / "people.csv")
    assert [row["end"] for row in people if row["pilot"] == "false"][:4] == ["finished"] * 4
    assert trace.load(next((export / "traces").glob("person-2-round-1-*.json"))).finished


def test_the_whole_way_with_the_server_killed_in_between(tmp_path: Path) -> None:
    study = load(write_study(tmp_path))
    with opened(tmp_path) as (server, researcher):
        go_the_whole_way(server, researcher, study, tmp_path)


def go_the_whole_way(server: Studio, researcher: Visitor, study: PeopleStudy, home: Path) -> None:
    """All rounds are equal to those of `simulate`, and four people get four different cells."""
    join = overview(researcher)["join"].partition("?")[0]
    people = [Taker(server, join, f"panel-{k}") for k in range(4)]
    cells = [int(str(row_of(researcher, number)["cell"])) for number in range(1, 5)]
    assert sorted(cells) == [0, 1, 2, 3]
    first = people[0].screen()
    assert (first["kind"], first["title"], first["place"], first["of"]) == ("consent", study.name, 1, 12)
    for number, (taker, cell) in enumerate(zip(people, cells, strict=True), start=1):
        taker.go(study, number, cell, until=7)
    server.kill()
    server.start()
    for number, (taker, cell) in enumerate(zip(people, cells, strict=True), start=1):
        screen = taker.go(study, number, cell)
        assert (screen["kind"], screen["code"]) == ("end", "C0DE")
        assert screen["link"] == "https://panel.example/done?cc=C0DE"
        assert row_of(researcher, number)["end"] == "finished"
    assert overview(researcher)["counts"] == [1, 1, 1, 1]
    files = researcher.ask("/api/study/export", {})["files"]
    traces = [name for name in files if name.startswith("traces/person-1-")]
    assert len(traces) == 3
    found = [json.loads((home / "out" / "export" / name).read_text()) for name in traces]
    wanted = [trace_of(expected(study, 1, cells[0], at)) for at in (4, 5, 7)]
    assert found == json.loads(json.dumps(wanted))
    check_the_report(home)


def test_who_comes_twice_is_one_person(server: Studio, researcher: Visitor) -> None:
    view = overview(researcher)
    join = view["join"].partition("?")[0]
    earlier = numbers(researcher)
    taker = Taker(server, join, "twin")
    came = numbers(researcher)
    (number,) = came - earlier
    # The same browser goes on; another one with the same identifier is refused, whatever it does.
    status, headers, _ = server.request(f"{urlsplit(join).path}?PID=twin", cookie=taker.visitor.cookie)
    assert (status, headers["location"], "set-cookie" in headers) == (303, "/take", False)
    for _ in range(3):
        status, headers, text = server.request(f"{urlsplit(join).path}?PID=twin")
        assert (status, "set-cookie" in headers) == (403, False)
        assert "You have already started this study in another browser" in text
    assert numbers(researcher) == came
    assert "refused a visitor: You have already started this study in another browser" in server.logged()
    assert researcher.ask("/api/study/again", {"person": " TWIN"})["readmitted"] == number  # another device, say
    server.kill()
    server.start()
    back = Taker(server, join, "twin")
    assert back.screen() == taker.screen()
    assert server.request(f"{urlsplit(join).path}?PID=twin")[0] == 403, "once is enough"
    kept = (server.out / "studio.sqlite").read_bytes() + (server.out / "studio.sqlite-wal").read_bytes()
    assert b"twin" not in kept, "identifiers are hashed"


def test_entries_count_once_and_are_checked(server: Studio, researcher: Visitor) -> None:
    before = overview(researcher)["counts"]
    taker = Taker(server, overview(researcher)["join"].partition("?")[0], "careful")
    consent = taker.screen()
    status, _, text = server.request("/api/take", {"n": 0, "entry": {"agreed": False}}, cookie=taker.visitor.cookie)
    assert status == 400
    assert json.loads(text)["error"].startswith("Please tick the box if you agree. If you do not want to take part, ")
    second = taker.enter(consent, {"agreed": True})
    assert taker.enter(consent, {"agreed": True}) == second, "sent twice"
    assert (second["kind"], second["text"], second["n"]) == ("text", "Read this.", 1)
    check = taker.enter(taker.enter(second, {}), {})
    assert (check["kind"], check["tries"]) == ("check", 2)
    assert not any("right" in item for item in check["items"]), "the right answers would be there to be read"
    again = taker.enter(check, {"answers": {"check 1": "I fly", "check 2": "The robot"}})
    assert (again["kind"], again["tries"], again["wrong"]) == ("check", 1, True)
    for answers, words in [
        ({"check 1": "I walk"}, "Please answer this question: Who asks?"),
        ({"check 1": "I swim", "check 2": "Nobody"}, "was not understood"),
        ({"check 3": 1}, "was not understood"),
    ]:
        status, _, text = server.request(
            "/api/take", {"n": again["n"], "entry": {"answers": answers}}, cookie=taker.visitor.cookie
        )
        assert status == 400
        assert words in json.loads(text)["error"]
    gone = taker.enter(again, {"answers": {"check 1": "I fly", "check 2": "Nobody"}})
    assert (gone["kind"], gone["text"]) == ("gone", package_texts("en")[GOODBYES[FAILED_CHECK]])
    assert overview(researcher)["counts"] == before, "who did not pass is not counted"


def test_a_round_has_to_be_played_before_it_can_be_left(
    server: Studio, researcher: Visitor, study: PeopleStudy
) -> None:
    taker = Taker(server, overview(researcher)["pilot"].partition("?")[0])
    screen = taker.screen()
    while screen["kind"] != "round":
        screen = taker.enter(screen, entry_for(screen))
    status, _, text = server.request(taker.api, {"n": screen["n"], "entry": {}}, cookie=taker.visitor.cookie)
    assert (status, json.loads(text)["error"]) == (400, "round: found an unfinished one; expected a finished round")
    assert taker.visitor.ask(f"{taker.api}/leave", {})["text"] == package_texts("en")[GOODBYES[LEFT]]


def test_participants_reach_nothing_else(server: Studio, researcher: Visitor) -> None:
    taker = Taker(server, overview(researcher)["pilot"].partition("?")[0])
    for path in ("/", "/study", "/study/export.zip", "/api/study", "/api/library", "/api/rounds"):
        assert server.request(path, cookie=taker.visitor.cookie)[0] == 403, path
    assert server.request("/api/take", cookie=researcher.cookie)[0] == 403
    assert server.request("/join/nonsense")[0] == 403


def test_one_browser_may_be_the_researchers_a_participants_and_a_pilots(server: Studio, researcher: Visitor) -> None:
    view = overview(researcher)
    jar = [researcher.cookie]
    homes = []
    for address in (f"{urlsplit(view['join']).path}?PID=both", urlsplit(view["pilot"]).path):
        status, headers, _ = server.request(address, cookie="; ".join(jar))
        assert status == 303
        jar.append(headers["set-cookie"].partition(";")[0])
        homes.append(headers["location"])
        assert server.request(address, cookie="; ".join(jar))[1].get("set-cookie") is None, "known already"
    assert homes == ["/take", "/pilot"]
    assert len({each.partition("=")[0] for each in jar}) == 3
    browser = Visitor(server, "; ".join(jar))
    assert overview(browser)["name"] == view["name"], "not locked out"
    assert browser.ask("/api/take", {"n": 0, "entry": {"agreed": True}})["n"] == 1
    assert browser.ask("/api/pilot")["n"] == 0
    for page in ("/study", "/take", "/pilot"):
        assert server.request(page, cookie=browser.cookie)[0] == 200
    with browser.socket(browser.new_round("tiny", role="ego")) as socket:
        assert settled(socket)["home"] == "/"
    screen = browser.ask("/api/pilot")
    while screen["kind"] != "round":
        screen = browser.ask("/api/pilot", {"n": screen["n"], "entry": entry_for(screen)})
    with browser.socket(screen["round"]) as socket:
        message = settled(socket)
        assert (message["participant"], message["home"]) == (True, "/pilot")
    browser.ask("/api/take/leave", {})
    browser.ask("/api/pilot/leave", {})


def test_pilots_are_counted_apart_and_a_paused_study_takes_nobody(server: Studio, researcher: Visitor) -> None:
    view = overview(researcher)
    before = view["counts"]
    pilot = Taker(server, view["pilot"].partition("?")[0])
    assert overview(researcher)["counts"] == before
    paused = researcher.ask("/api/study/pause", {"paused": True})
    assert paused["paused"] is True
    status, _, text = server.request("/api/study/pause", {"paused": "no"}, cookie=researcher.cookie)
    assert (status, json.loads(text)["error"]) == (400, 'paused: found "no"; expected true or false')
    status, _, text = server.request(f"{urlsplit(view['join']).path.partition('?')[0]}?PID=late")
    assert (status, "The study is paused. Please come back later." in text) == (403, True)
    assert pilot.screen()["kind"] == "consent", "pilots go on"
    server.kill()
    server.start()
    assert overview(researcher)["paused"] is True, "kept across restarts"
    assert researcher.ask("/api/study/pause", {"paused": False})["paused"] is False


def test_more_than_it_can_carry_are_refused_with_the_number(tmp_path: Path) -> None:
    write_study(tmp_path)
    with opened(tmp_path) as (server, researcher):
        join = urlsplit(overview(researcher)["join"]).path
        for k in range(6):
            assert server.request(f"{join}?PID=crowd-{k}")[0] == 303
        status, _, text = server.request(f"{join}?PID=crowd-6")
        assert status == 403
        assert "All 6 places are taken at the moment. Please come back later." in text
        assert len(numbers(researcher)) == 6


def test_a_study_that_was_changed_is_refused_in_the_same_folder(
    server: Studio, researcher: Visitor, home: Path
) -> None:
    write_study(home, STUDY.replace("seed = 5", "seed = 6"))
    server.close()
    with pytest.raises(AssertionError, match="a file that has changed since the study started"):
        server.start()
    server.close()
    write_study(home)
    server.start()
    assert overview(researcher)["name"] == "Help <b>wanted</b>"


def test_somebody_who_closed_the_tab_goes_on_in_the_same_round(
    server: Studio, researcher: Visitor, study: PeopleStudy
) -> None:
    taker = Taker(server, overview(researcher)["pilot"].partition("?")[0])
    screen = taker.screen()
    while screen["kind"] != "round":
        screen = taker.enter(screen, entry_for(screen))
    rows = [row for row in overview(researcher)["people"] if row["pilot"]]
    number, cell = rows[-1]["number"], rows[-1]["cell"]
    script = inputs(expected(study, 1_000_000 + number, cell, screen["place"] - 1), "teammate")
    played(taker.visitor, screen["round"], script[:1])
    assert taker.screen()["round"] == screen["round"]
    assert played(taker.visitor, screen["round"], script)["state"]["phase"] == "over"
    assert taker.screen()["over"] is True
