"""Studies as values: fingerprints, tasks and seeds, which do not depend on the environment."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import pytest

from askwise.core.questions import QueryCost
from askwise.domains.tool_fetching import Prior, ToolFetching
from askwise.studies.running.play import Problems
from askwise.studies.schema.instances import Generated, Given
from askwise.studies.schema.study import FROM_FILE, StudyPrior, differences
from askwise.studies.schema.study_file import load_study, study_from
from tests.studies.studies import SMALL, small
from tests.tool_fetching import workshop

CHANGES: dict[str, Any] = {
    "name": {"name": "other"},
    "title": {"title": "Another"},
    "seed": {"seed": 8},
    "episodes": {"episodes": 2},
    "max_steps": {"max_steps": 100},
    "priors": {"priors": ["far"]},
    "order of priors": {"priors": ["near", "far"]},
    "temperature": {"priors": ["far", {"kind": "near", "temperature": 2.0, "label": "near"}]},
    "label of a prior": {"priors": ["far", {"kind": "near", "label": "close"}]},
    "per-station costs": {"per_goal": [0.0, 0.4]},
    "base price": {"base": 0.25},
    "answers": {"answers": ["wrong:0.1"]},
    "base prices": {"base": [0.5, 1.0]},
    "teammates": {"teammates": ["uniform"]},
    "beliefs": {"beliefs": ["bayes"]},
    "methods": {"methods": ["never", "toolbox"]},
    "label of a method": {"methods": ["never", "toolbox", {"name": "ezq-local", "label": "ezq"}]},
    "option of a method": {"methods": ["never", "toolbox", {"name": "ezq-local", "belief": "bayes"}]},
    **{
        f"instances: {key}": {"instances": {**SMALL["instances"], key: value}}
        for key, value in {
            "count": 7,
            "size": [5, 6],
            "stations": 4,
            "toolboxes": 1,
            "walls": 0.1,
            "clustered": True,
        }.items()
    },
}


def test_every_setting_changes_the_fingerprint() -> None:
    prints = {
        "as it is": small().fingerprint,
        **{name: small(**change).fingerprint for name, change in CHANGES.items()},
    }
    assert len(set(prints.values())) == len(CHANGES) + 1
    assert all(len(found) == 16 for found in prints.values())


def test_the_contents_of_files_are_part_of_the_fingerprint() -> None:
    one = replace(small(), instances=Given(("a.json",), (workshop(),)))
    other = replace(one, instances=Given(("a.json",), (workshop(prior={"kind": "far"}),)))
    assert one.fingerprint != other.fingerprint
    assert one.fingerprint == replace(one).fingerprint


def test_fingerprints_change_only_on_purpose() -> None:
    """A folder can be continued while its study's fingerprint is the same; it changed with the names of columns."""
    given = replace(small(), instances=Given(("a.json",), (workshop(),)))
    found = [study.fingerprint for study in (small(), given, load_study("paper"), load_study("beyond"))]
    assert found == ["719c12977b405d70", "4d58946a48f13c04", "f7f781ddc329c9cf", "26d6e26f67676686"]


def test_a_study_of_another_domain_is_another_study() -> None:
    one = small()
    assert isinstance(one.instances, Generated)
    other = replace(one, instances=replace(one.instances, domain="coverage"))
    assert other.fingerprint != one.fingerprint
    assert other.describe()["instances"]["domain"] == other.task(0).study.domain == "coverage"


def test_a_study_is_a_value() -> None:
    assert small() == small()
    assert small() != small(seed=8)
    assert pickle.loads(pickle.dumps(small())) == small()


def test_differences_are_named() -> None:
    ours, theirs = small().describe(), small(seed=8, episodes=2).describe()
    assert differences(ours, theirs) == ["seed", "episodes"]
    assert differences(ours, ours) == []
    assert differences({"a": 1}, {"b": 2}) == ["a", "b"]


def test_tasks_and_episodes_are_counted() -> None:
    study = small(episodes=3, teammates=["urop", "uniform"], base=[0.1, 0.2, 0.3])
    assert study.n_tasks == 6
    assert study.episodes_per_task == 3 * 2 * 2 * 3 * 2 * 3
    conditions = list(study.task(0).conditions())
    assert len(set(conditions)) == len(conditions) == study.episodes_per_task // 3
    # Methods vary fastest, then costs, so that tables of a prior are computed once.
    assert [condition.method.label for condition in conditions[:4]] == ["never", "toolbox", "ezq-local", "never"]
    assert len({condition.prior for condition in conditions[: len(conditions) // 2]}) == 1


def test_instances_depend_on_the_seed_and_their_number_only() -> None:
    study = small()
    drawn = [study.task(k).instance() for k in range(6)]
    assert len({instance.worker for instance in drawn} | {instance.fetcher for instance in drawn}) > 4
    longer = small(methods=["never"], episodes=5, instances={**SMALL["instances"], "count": 50})
    assert [longer.task(k).instance() for k in range(6)] == drawn
    assert small(seed=8).task(0).instance() != drawn[0]


def test_seeds_of_episodes_are_all_different() -> None:
    study = small(episodes=4)
    states = [tuple(study.task(k).episode_seed(e).generate_state(4)) for k in range(6) for e in range(4)]
    assert len(set(states)) == len(states)


def test_a_task_is_small_and_carries_its_instance() -> None:
    many = Given(tuple(f"{k}.json" for k in range(500)), (workshop(),) * 500)
    study = replace(small(), instances=many)
    assert study.task(499).instance() == workshop()
    assert len(pickle.dumps(study.task(3))) < len(pickle.dumps(study)) / 2
    assert "0.json" not in str(study.task(3))


@pytest.mark.parametrize(
    ("base", "per_station", "expected"),
    [
        (None, None, QueryCost(0.75, 0.25)),
        (0.0, None, QueryCost(0.0, 0.25)),
        (None, 0.0, QueryCost(0.75, 0.0)),
        (1.0, 2.0, QueryCost(1.0, 2.0)),
    ],
)
def test_costs_that_a_study_leaves_open_are_those_of_the_instance(
    base: float | None, per_station: float | None, expected: QueryCost
) -> None:
    given = workshop(query_cost={"base": 0.75, "per_station": 0.25})
    condition = replace(next(small().task(0).conditions()), base=base, per_goal=per_station)
    assert condition.query_cost(given.query_cost) == expected


def test_prices_of_single_goals_stay_unless_the_study_sets_a_price_for_all() -> None:
    own = QueryCost(0.75, prices=(1.0, 2.0, 3.0))
    condition = replace(next(small().task(0).conditions()), base=0.0, per_goal=None)
    assert condition.query_cost(own) == QueryCost(0.0, prices=(1.0, 2.0, 3.0))
    assert replace(condition, per_goal=0.5).query_cost(own) == QueryCost(0.0, 0.5)


def test_the_prior_of_a_file_is_its_own() -> None:
    given = workshop(prior={"A": 1, "B": 2, "C": 3})
    own, far = StudyPrior(FROM_FILE, FROM_FILE), StudyPrior("far", "far", 2.0)
    study = replace(small(), instances=Given(("a.json",), (given,)), priors=(own, far))
    task = study.task(0)
    problems = Problems(task)
    played = {condition.prior: problems(condition) for condition in task.conditions()}
    expected = {own: given.prior, far: Prior("far", 2.0)}
    for prior, problem in played.items():
        assert isinstance(problem, ToolFetching)
        assert problem.instance.prior == expected[prior]
    assert list(played[own].prior) == [1 / 6, 2 / 6, 3 / 6]


def test_the_defaults_are_the_papers_instances() -> None:
    assert study_from({"name": "x", "methods": ["never"]}).instances.describe() == {
        "count": 100,
        "size": [20, 20],
        "stations": 50,
        "toolboxes": 5,
        "walls": 0.0,
        "clustered": False,
    }
