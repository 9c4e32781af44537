"""Study files, and the assignment of people to conditions."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from askwise.errors import AskwiseError, InputError
from askwise.studio.study.flow import (
    NotEntered,
    cells,
    check_entry,
    next_cell,
    problems_at_place,
    screen_to_json,
    screens,
    setup_of,
    williams,
)
from askwise.studio.study.questionnaires import DIMENSIONS, SCALES, Item, pairs, score
from askwise.studio.study.texts import PLACEHOLDER, package_texts
from askwise.text.reading import Field
from tests.studio.participants import STUDY, load, write_study

# -- balance -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7])
def test_each_condition_stands_everywhere_and_follows_every_other_equally_often(n: int) -> None:
    rows = williams(n)
    assert all(sorted(row) == list(range(n)) for row in rows)
    assert len(rows) == (n if n % 2 == 0 or n == 1 else 2 * n)
    places = Counter((place, each) for row in rows for place, each in enumerate(row))
    assert set(places.values()) == {len(rows) // n}
    followers = Counter((a, b) for row in rows for a, b in pairwise(row))
    assert len(followers) == n * (n - 1)
    assert len(set(followers.values())) <= 1


@pytest.mark.parametrize(("conditions", "problems", "rounds"), [(2, 2, 1), (3, 2, 1), (2, 3, 2), (4, 1, 2)])
@pytest.mark.parametrize("within", [True, False])
def test_each_condition_is_played_on_each_problem_equally_often(
    conditions: int, problems: int, rounds: int, within: bool
) -> None:
    met: Counter[tuple[int, int]] = Counter()
    for cell in cells(conditions, problems, within=within):
        for place, condition in enumerate(cell.order):
            met.update((condition, problem) for problem in problems_at_place(cell, place, rounds, problems))
    assert len(met) == conditions * problems
    assert len(set(met.values())) == 1


def test_while_nobody_leaves_numbers_differ_by_one_at_most() -> None:
    counts = [0] * 6
    blocks = []
    for _ in range(60):
        cell = next_cell(counts, seed=3)
        counts[cell] += 1
        blocks.append(cell)
        assert max(counts) - min(counts) <= 1
    orders = {tuple(blocks[k : k + 6]) for k in range(0, 60, 6)}
    assert len(orders) > 3, "blocks are permuted differently"
    assert all(sorted(order) == list(range(6)) for order in orders)


def test_a_cell_that_somebody_left_is_filled_again() -> None:
    chance = random.Random(1)
    counts = [0] * 4
    for _ in range(400):
        counts[next_cell(counts, seed=9)] += 1
        if chance.random() < 0.3:
            counts[chance.choice([cell for cell in range(4) if counts[cell]])] -= 1
    for _ in range(40):
        counts[next_cell(counts, seed=9)] += 1
    assert max(counts) - min(counts) <= 1


def test_the_order_comes_from_the_seed_alone() -> None:
    def first(seed: int) -> list[int]:
        counts, found = [0] * 4, []
        for _ in range(12):
            found.append(next_cell(counts, seed))
            counts[found[-1]] += 1
        return found

    assert first(1) == first(1)
    assert len({tuple(first(seed)) for seed in range(8)}) > 4


# -- the file ----------------------------------------------------------------------------------------------------


def test_without_a_number_as_many_may_come_as_the_computer_carries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_study(tmp_path)
    assert load(path).most_at_once == 6
    path.write_text(path.read_text(encoding="utf-8").replace("most_at_once = 6\n", ""), encoding="utf-8")
    for cores, people in ((2, 100), (None, 50), (64, 1000)):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        assert load(path).most_at_once == people


def test_the_way_through_a_study(tmp_path: Path) -> None:
    study = load(write_study(tmp_path))
    way = screens(study, cells(2, 2, within=True)[0])
    assert [(each.kind, each.problem, each.condition.name if each.condition else "") for each in way] == [
        ("consent", "", ""),
        ("text", "", ""),
        ("text", "", ""),
        ("check", "", ""),
        ("round", "tiny", "quiet"),
        ("round", "coverage", "curious"),
        ("form", "", "curious"),
        ("round", "tiny", "quiet"),
        ("form", "", "quiet"),
        ("form", "", ""),
        ("form", "", ""),
        ("end", "", ""),
    ]
    seeds = {setup_of(study, way[at], number, at).seed for number in range(1, 30) for at in (4, 5, 7)}
    assert len(seeds) == 29 * 3
    words = str([screen_to_json(study, each, study.languages["en"], tries_left=1) for each in way])
    assert "curious" not in words, "nobody is told what is compared"
    assert "baseline" not in words


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seed = 5", "", "seed: found nothing; expected this key, which is required"),
        ('role = "teammate"', 'role = "boss"', "role: found \"boss\"; expected one of 'teammate', 'ego'"),
        ('design = "within"', 'design = "inside"', "design: found \"inside\"; expected one of 'within', 'between'"),
        ("rounds = 1\nproblems", "rounds = 0\nproblems", "rounds: found 0; expected a whole number from 1 to 100"),
        (
            '"tiny.toml"]',
            '"none.toml"]',
            "problems[1] (none.toml): file '{folder}/none.toml': found no such file or directory; "
            "expected a file that can be read",
        ),
        ('method = "baseline"', 'method = "basline"', "conditions.curious.method: found 'basline'; expected one of "),
        ('right = "I walk"', 'right = "I run"', 'check.questions[0].right: found "I run"; expected one of '),
        ('use = "workload"', 'use = "load"', "questionnaires[0].use: found \"load\"; expected one of 'workload', "),
        (
            'condition = "quiet"',
            'condition = "loud"',
            "practice.condition: found \"loud\"; expected one of 'curious', ",
        ),
        (
            'link = "https',
            'link = "javascript',
            "completion.link: found 'javascript://panel.example/done?cc={{code}}'; ",
        ),
        (
            "optional = true",
            'optional = "no"',
            'questionnaires[2].items[2].optional: found "no"; expected true or false',
        ),
        ('parameter = "PID"', 'store = "open"', "panel.store: found \"open\"; expected one of 'hashed', 'plain'"),
        ('consent = "P', 'agreement = "P', "consent: found nothing; expected this key, which is required"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in STUDY
    path = write_study(tmp_path, STUDY.replace(old, new, 1))
    with pytest.raises(InputError) as refused:
        load(path)
    assert str(refused.value).startswith(message.format(folder=tmp_path))


def test_scales_that_are_ready_to_use() -> None:
    workload, usability, fluency, trust = (each.to_json() for each in SCALES.values())
    loads = dict.fromkeys(workload["ranges"], 40)
    assert score(workload, {**loads, "performance": 90}) == {"score": pytest.approx((5 * 40 + 10) / 6)}
    assert score(fluency, dict.fromkeys(fluency["ranges"], 7)) == {"score": 7}
    assert score(workload, {"mental": 5}) == {}
    # Ten answers of 3 are half of the points; the best answers are 5 and, where an item is reversed, 1.
    assert score(usability, dict.fromkeys(usability["ranges"], 3)) == {"score": 50}
    assert score(usability, {name: 1 if name in usability["reverse"] else 5 for name in usability["ranges"]}) == {
        "score": 100
    }
    assert score(trust, dict.fromkeys(trust["ranges"], 7)) == {"score": pytest.approx((7 * 7 + 5 * 1) / 12)}
    # Who always chooses the first dimension of a pair gives the weights 5, 4, 3, 2, 1 and 0.
    answers = {name: 10 * k for k, name in enumerate(DIMENSIONS)} | {item.name: item.options[0] for item in pairs()}
    found = score(workload, answers)
    assert found["weighted score"] == pytest.approx((0 * 5 + 10 * 4 + 20 * 3 + 30 * 2 + 40 * 1 + 0) / 15)
    assert "do not cite as NASA-TLX" in workload["label"]


WORDING = """
format = "askwise/wording@1"
scale = "workload"
[items]
""" + "\n".join(f'{name} = {{text = "Published {name}", reverse = false}}' for name in DIMENSIONS)


def test_published_wording_comes_from_a_file(tmp_path: Path) -> None:
    text = STUDY.replace('use = "workload"', 'use = "workload"\nwording = "tlx.toml"\nweights = true', 1)
    path = write_study(tmp_path, text)
    (tmp_path / "tlx.toml").write_text(WORDING, encoding="utf-8")
    found = load(path).questionnaires[0]
    assert found.items[0].text == "Published mental"
    assert len(found.items) == 6 + 15
    assert found.scale is not None
    assert (found.scale.cited, found.scale.label) == (True, "NASA-TLX (Hart and Staveland, 1988)")
    assert not found.scale.reverse, "the published item counts from the other end"
    (tmp_path / "tlx.toml").write_text(WORDING.replace("pace =", "speed ="), encoding="utf-8")
    with pytest.raises(InputError, match=r"questionnaires\[0\]\.wording \(tlx\.toml\): items"):
        load(path)


@pytest.mark.parametrize(
    ("item", "answer", "words"),
    [
        (Item("a", "?", "scale", 0, 100, 5), 7, "a: found 7; expected a point of the scale, from 0 in steps of 5"),
        (Item("a", "?"), 8, "a: found 8; expected a whole number from 1 to 7"),
        (Item("a", "?"), True, "a: found true; expected a whole number from 1 to 7"),
        (Item("a", "?", "text"), " ", "Please answer this question: a"),
        (Item("a", "?", "text"), "x" * 2001, "a: found 2001 letters; expected at most 2000"),
        (Item("a", "?", "choice", options=("x", "y")), "z", "a: found \"z\"; expected one of 'x', 'y'"),
    ],
)
def test_answers_are_checked(item: Item, answer: object, words: str) -> None:
    with pytest.raises(AskwiseError) as refused:
        item.checked(Field("a", answer))
    assert str(refused.value) == words


# -- texts, endings and panels -----------------------------------------------------------------------------------


def test_the_german_texts_are_complete_and_fill_in_nothing_unknown() -> None:
    english, german = package_texts("en"), package_texts("de")
    scales = {key for key in german if key.startswith("scale.")}
    assert set(german) - scales == set(english)
    for key in english:
        assert set(PLACEHOLDER.findall(german[key])) <= set(PLACEHOLDER.findall(english[key])), key
    items = [(scale, item) for scale in SCALES.values() for item in scale.items]
    wanted = {f"scale.{scale.name}.{item.name}" for scale, item in items} | {
        f"scale.dimensions.{d}" for d in DIMENSIONS
    }
    assert scales == wanted | {"scale.pair"} | {
        f"scale.ends.{end}" for _, item in items for end in (item.low, item.high)
    }


def test_a_study_can_replace_each_text_and_add_a_language(tmp_path: Path) -> None:
    (tmp_path / "nl.toml").write_text('[common]\ncontinue = "Verder"\n[study]\nconsent = "Akkoord?"', encoding="utf-8")
    added = """
languages = ["en", "de", "nl"]
[texts]
nl = "nl.toml"
[texts.en.take]
agree = "I agree."
[texts.de.study]
instructions = ["Lesen Sie dies."]
check.1 = {text = "Was tun Sie?", options = ["Gehen", "Fliegen"]}
questionnaires.free.colour.options = ["rot", "blau"]
questionnaires.workload.pace.text = "Wie eilig war es?"
"""
    study = load(write_study(tmp_path, STUDY.replace("[check]", f"{added}[check]", 1)))
    way = screens(study, cells(2, 2, within=True)[0])
    assert study.languages["en"]["take.agree"] == "I agree."

    def shown(language: str) -> list[dict[str, Any]]:
        return [screen_to_json(study, each, study.languages[language], tries_left=1) for each in way]

    german, dutch = shown("de"), shown("nl")
    assert [german[1]["text"], german[2]["text"]] == ["Lesen Sie dies.", "And this."]
    assert (german[3]["items"][0]["text"], german[3]["items"][0]["labels"]) == ("Was tun Sie?", ["Gehen", "Fliegen"])
    assert german[3]["items"][0]["options"] == ("I walk", "I fly"), "what is stored has one language"
    load_items = {item["name"]: item for item in german[6]["items"]}
    assert load_items["pace"]["text"] == "Wie eilig war es?"
    assert (load_items["mental"]["low"], load_items["mental"]["high"]) == ("sehr gering", "sehr stark")
    assert load_items["mental"]["text"].startswith("Wie stark war die geistige Anstrengung")
    assert german[10]["items"][0]["labels"] == ["rot", "blau"]
    assert (dutch[0]["text"], study.languages["nl"]["common.continue"]) == ("Akkoord?", "Verder")
    assert dutch[6]["items"][0]["text"] == SCALES["workload"].items[0].text
    with pytest.raises(NotEntered, match="Bitte beantworten Sie diese Frage: Wie stark war die geistige Anstrengung"):
        check_entry(study, way[6], Field("", {"answers": {}}), study.languages["de"])


@pytest.mark.parametrize(
    ("added", "message"),
    [
        ('languages = ["en", "nl"]', "one of en, de, or a table texts.nl"),
        ('[texts.en.take]\nagre = "Yes"', "did you mean 'take.agree'?"),
        ('[texts.en.take]\nstep = "Step {n}"', "only place, of in braces"),
        ('[texts.en.take]\nstep = " "', "found an empty text"),
        ('[panel]\nservice = "prolifik"', "did you mean 'prolific'?"),
        ('[completion]\ncode = "A"\nleft_code = "A"', "completion.left_code: found 'A'; expected another code"),
        ('[completion]\nleft_link = "https://p.example/{code}"', "completion.left_code, which replaces it"),
        ('[completion]\nlink = "https://p.example/{id}"', "because a hash cannot be turned back"),
        ('[completion]\ndeclined_link = "p.example"', "an address that begins with https:// or http://"),
    ],
)
def test_wrong_texts_endings_and_panels_are_refused(tmp_path: Path, added: str, message: str) -> None:
    text = STUDY[: STUDY.index("[panel]")]
    top = added if added.startswith("languages") else ""
    text = text.replace("[check]", f"{top}\n[check]", 1) + ("" if top else added)
    with pytest.raises(InputError, match=re.escape(message)):
        load(write_study(tmp_path, text))


@pytest.mark.parametrize(
    ("service", "link"),
    [
        ("prolific", "?PROLIFIC_PID={{%PROLIFIC_PID%}}"),
        ("sona", "?id=%SURVEY_CODE%"),
        ("cloudresearch", ""),
        ("mturk", "?workerId=..."),
    ],
)
def test_links_are_as_the_services_expect_them(tmp_path: Path, service: str, link: str) -> None:
    study = load(write_study(tmp_path, STUDY.replace('parameter = "PID"', f'service = "{service}"')))
    assert (f"?{study.parameter}={study.placeholder}" if study.placeholder else "") == link
