"""Sampled divergence beside enumeration: values, intervals, censoring, kinds of environments and policies."""

from __future__ import annotations

import math
import runpy
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from benchmarks.recognition import correlation, table_of

import askwise
from askwise.sampling import FromHere, GaussianPolicy, NoisyPolicy, VectorPolicy
from askwise.sampling.divergence import _enough
from askwise.sampling.estimates import estimate, kaplan_meier
from tests.sampling.worlds import OTHER, TRUTH, Ring, exact, restricted_mean, table

HORIZON = 30
QUICK: dict[str, Any] = {"within": 0.06, "horizon": HORIZON, "seed": 1}


@pytest.fixture(scope="module")
def sampled() -> askwise.SampledEdp:
    return askwise.sampled_edp(Ring, VectorPolicy(lambda s: OTHER[s]), VectorPolicy(lambda s: TRUTH[s]), **QUICK)


def test_interval_and_survival_agree_with_enumeration(sampled: askwise.SampledEdp) -> None:
    left = exact(TRUTH, OTHER, HORIZON, 0.05)
    assert sampled.interval.low <= restricted_mean(left) <= sampled.interval.high
    assert sampled.narrow
    assert sampled.censored == pytest.approx(left[-1], abs=0.03)
    for step, low, high in zip(sampled.survival.steps, sampled.survival.low, sampled.survival.high, strict=True):
        assert low - 0.03 <= left[step] <= high + 0.03
    assert str(sampled).startswith("at least 1")
    assert sampled.quantile(0.999) == math.inf


@pytest.mark.parametrize(
    "env",
    [Ring(), lambda: Ring(), gymnasium.vector.SyncVectorEnv([Ring] * 5)],
    ids=["one", "function", "vector that resets itself"],
)
def test_results_do_not_depend_on_the_lanes(env: Any, sampled: askwise.SampledEdp) -> None:
    found = askwise.sampled_edp(env, table(OTHER), table(TRUTH), **QUICK, lanes=3)
    assert found.steps.tolist() == sampled.steps.tolist()


def test_without_evidence_only_the_impossible_rules_out() -> None:
    impossible = np.array([[1.0, 0.0]] * 4)
    found = askwise.sampled_edp(Ring, VectorPolicy(lambda s: impossible[s]), table(TRUTH), **QUICK, evidence=0.0)
    mean = restricted_mean(exact(TRUTH, impossible, HORIZON, 0.0))
    assert found.interval.low <= mean <= found.interval.high
    by_threshold = askwise.sampled_edp(Ring, table(impossible), table(TRUTH), **QUICK, threshold=0.1)
    assert by_threshold.steps.tolist() == found.steps.tolist()


class Redrawn:
    """Runs that are drawn from a known distribution of divergence points: for many repeats in little time."""

    def __init__(self, left: list[float]) -> None:
        chances = np.maximum(-np.diff(left), 0.0)  # differences of sums may be rounded below 0
        self.chances = np.append(chances, left[-1]) / (chances.sum() + left[-1])
        self.horizon, self.others = len(left) - 1, [None]

    def run(self, runs: int, rng: np.random.Generator, finished: Any) -> Any:
        drawn = rng.choice(self.chances.size, size=(runs, 1), p=self.chances) + 1
        return np.minimum(drawn, self.horizon).astype(np.int32), drawn <= self.horizon


SURVIVALS = {
    "much is censored": exact(TRUTH, OTHER, 8, 0.05),
    "little is censored": exact(TRUTH, OTHER, 30, 0.05),
    "few differ, below": [1.0, 0.995, 0.98, 0.98, 0.98],
    "few differ, above": [1.0, 1.0, 0.03, 0.03, 0.02, 0.01, 0.0],
}


@pytest.mark.parametrize("left", SURVIVALS.values(), ids=SURVIVALS)
def test_intervals_hold_although_the_runs_decide_when_to_stop(left: list[float]) -> None:
    mean, horizon, source = restricted_mean(left), len(left) - 1, Redrawn(left)
    held = 0
    for rng in np.random.default_rng(5).spawn(1000):
        steps, _, looks = _enough(source, rng, 0.025, 20_000, "normal", lambda *_: None)  # type: ignore[arg-type]
        found = estimate(steps[:, 0], horizon, "normal", looks)
        held += found.low <= mean <= found.high
    assert 930 <= held <= 970


def test_the_truth_is_seldom_ruled_out() -> None:
    """Ville: while a goal is pursued, another one overtakes it by a factor 1 / evidence with at most that chance."""
    env, runs, passed = Ring(), 600, 0
    online = askwise.recognise_online({"followed": table(OTHER), "wrong": table(TRUTH)})
    rng = np.random.default_rng(2)
    for run in range(runs):
        online.reset()
        state, _ = env.reset(seed=run)
        for _ in range(40):
            action = int(rng.random() >= OTHER[state, 0])
            online.update(state, action)
            if not online.possible(0.2)[0]:
                passed += 1
                break
            state = env.step(action)[0]
    assert 0 < passed / runs <= 0.2 + 3 * math.sqrt(0.16 / runs)


def test_further_steps_when_few_runs_are_left(sampled: askwise.SampledEdp) -> None:
    """A step that hardly any run has reached does not make the rest infinite."""
    short = askwise.SampledEdp(
        "a", "b", np.arange(1, 101, dtype=np.int32), np.ones(100, dtype=np.bool_), sampled.interval, 200, 0.05, True
    )
    assert short.remaining(0) == 50.5
    assert short.remaining(90) == short.remaining(80) == short.remaining(500) == 10.5


def test_vector_environments_with_one_seed() -> None:
    envs = gymnasium.make_vec("CartPole-v1", num_envs=50, vectorization_mode="vector_entry_point")
    one = VectorPolicy(lambda seen: np.full((len(seen), 2), [0.8, 0.2]))
    other = VectorPolicy(lambda seen: np.full((len(seen), 2), [0.2, 0.8]))
    found = [askwise.sampled_edp(envs, other, one, runs=200, horizon=50, seed=0) for _ in range(2)]
    assert found[0].steps.tolist() == found[1].steps.tolist()
    # Gains are log 4 or -log 4 and the limit lies above two gains: the walk ends three steps ahead.
    assert (found[0].steps[found[0].diverged] % 2 == 1).all()
    assert found[0].steps.min() == 3


def test_ends_and_cuts() -> None:
    same = table(TRUTH)
    cut = askwise.sampled_edp(lambda: Ring(cut=5), same, same, horizon=50, seed=0, runs=200)
    assert (cut.censored, cut.mean, cut.quantile(0.5)) == (1.0, 5.0, math.inf)
    assert str(cut).startswith("at least 5 (95 %: ")
    ended = askwise.sampled_edp(lambda: Ring(ends=2), same, same, horizon=500, seed=0, runs=50)
    told = askwise.sampled_edp(lambda: Ring(ends=2), same, same, horizon=500, seed=0, runs=50, end_tells=True)
    assert (ended.censored, told.censored) == (1.0, 0.0)
    assert ended.steps.tolist() == told.steps.tolist()
    assert math.isinf(ended.remaining(0))


def test_equal_values_do_not_make_a_certain_interval() -> None:
    found = estimate(np.full(300, 4, dtype=np.int32), 100)
    assert found.low < 4 < found.high
    few = estimate(np.array([3, 4, 5], dtype=np.int32), 100)
    assert (few.low, few.high) == (1.0, 100.0)


def test_kaplan_meier_by_hand() -> None:
    found = kaplan_meier(np.array([1, 2, 2, 3, 4], dtype=np.int32), np.array([True, True, False, True, False]))
    assert found.steps.tolist() == [0, 1, 2, 3, 4]
    assert found.share == pytest.approx([1, 0.8, 0.6, 0.3, 0.3])
    assert [found.quantile(q) for q in (0.2, 0.5, 0.9)] == [1.0, 3.0, math.inf]


class Point(gymnasium.Env[Any, Any]):
    """A point on a line that is moved by a continuous action."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (1,), np.float64)
    action_space = gymnasium.spaces.Box(-9.0, 9.0, (1,), np.float64)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.at = np.zeros(1)
        return self.at, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.at = self.at + action
        return self.at, 0.0, False, False, {}


def test_continuous_actions_by_densities() -> None:
    """The ratio is a random walk with drift 1/2 and variance 1 when means differ by one spread: Wald's identity."""
    one, other = GaussianPolicy(lambda _: np.ones(1), 1.0), GaussianPolicy(lambda _: np.zeros(1), 1.0)
    found = askwise.sampled_edp(Point, other, one, within=0.05, horizon=200, seed=3)
    wald = math.log(20) / 0.5
    assert wald < found.mean < wald + 2.5  # the overshoot of a normal walk is about 0.58 spreads
    assert found.censored == 0


class Alternating:
    """A recurrent policy: it repeats the first action with probability 0.9 in every second step."""

    def __init__(self) -> None:
        self.count = 0

    def reset(self) -> None:
        self.count = 0

    def _row(self) -> Any:
        return np.array([0.9, 0.1]) if self.count % 2 else np.array([0.5, 0.5])

    def sample(self, observation: Any, rng: np.random.Generator) -> int:
        return int(rng.random() >= self._row()[0])

    def log_prob(self, observation: Any, action: Any) -> float:
        found = math.log(self._row()[action])
        self.count += 1
        return found


def test_recurrent_policies_keep_their_memory_in_both_likelihoods() -> None:
    even = table(np.full((4, 2), 0.5))
    found = askwise.sampled_edp(Ring, even, Alternating(), runs=200, horizon=100, seed=0)
    assert (found.steps[found.diverged] % 2 == 0).all()  # only every second step is evidence
    other = askwise.sampled_edp(Ring, Alternating(), even, runs=200, horizon=100, seed=0)
    assert (other.steps[other.diverged] % 2 == 0).all()
    online = askwise.recognise_online({"even": even, "odd": Alternating()})
    assert online.update(0, 0) == {"even": 0.5, "odd": 0.5}
    assert online.update(0, 0)["odd"] == pytest.approx(0.9 / 1.4)
    online.reset()
    assert online.update(0, 1) == {"even": 0.5, "odd": 0.5}


class Inconsistent(Alternating):
    """It draws the second action, and says that this is impossible."""

    def sample(self, observation: Any, rng: np.random.Generator) -> int:
        return 1

    def log_prob(self, observation: Any, action: Any) -> float:
        return -math.inf if action else 0.0


def test_a_policy_that_draws_what_it_calls_impossible_is_refused() -> None:
    message = "policy of 'truth': found log_prob -inf for an action that it drew itself; expected a finite number"
    with pytest.raises(askwise.InputError, match=f"^{message}$"):
        askwise.sampled_edp(Ring, table(OTHER), Inconsistent(), runs=10)


def test_evidence_that_reaches_the_limit_exactly_rules_out() -> None:
    """Logarithms are rounded: sums of log 1.1 may stay a little below the logarithm of a power of 1.1."""
    one, other = np.full((4, 2), [0.55, 0.45]), np.full((4, 2), [0.5, 0.5])
    always = VectorPolicy(lambda seen: np.full((len(seen), 2), [1.0, 0.0]))
    tenth = np.full((4, 2), [1 / 1.1, 1 - 1 / 1.1])
    for count in range(1, 60):
        found = askwise.sampled_edp(Ring, table(tenth), always, evidence=1.1**-count, horizon=99, runs=2, seed=0)
        assert found.steps.tolist() == [count, count]
        online = askwise.recognise_online({"a": table(one), "b": table(other)})
        for _ in range(count):
            online.update(0, 0)
        assert online.possible(1.1**-count).tolist() == [True, False]


def test_recognition_is_bayes_rule() -> None:
    online = askwise.recognise_online({"a": table(TRUTH), "b": table(OTHER)}, prior={"a": 0.25, "b": 0.75})
    online.update(0, 0)
    assert online.update(3, 0)["a"] == pytest.approx(0.25 * 0.48 / (0.25 * 0.48 + 0.75 * 0.08))
    assert (online.likeliest, online.steps) == ("a", 2)
    assert online.possible(0.05).tolist() == [True, True]
    assert online.possible(0.2).tolist() == [True, False]
    assert online.learn(["b"], True) == {"a": 0.0, "b": 1.0}
    with pytest.raises(askwise.ContradictoryObservation, match="rules out every goal"):
        online.learn(["b"], False)


def test_all_pairs_asking_and_tables() -> None:
    rows = {"a": TRUTH, "b": OTHER, "c": OTHER[:, ::-1]}
    policies = {goal: VectorPolicy(rows[goal].__getitem__) for goal in rows}
    found = askwise.sampled_divergence(Ring, policies, within=0.2, horizon=200, seed=1)
    assert found.table().height == 6
    assert found.survival_table().columns == ["truth", "other", "step", "share", "low", "high"]
    assert np.isinf(np.diag(found.edp)).all()
    assert len(found.plot("a").get_lines()) >= 2
    some = askwise.sampled_divergence(Ring, policies, truths=["a"], within=0.2, horizon=200, seed=1)
    with pytest.raises(askwise.InputError, match=r"^truth: found 'b'; expected one of 'a'$"):
        some.plot("b")
    ego = askwise.GridWorld(7, 3)
    problem = askwise.SampledProblem(found, ego, {"a": (0, 1), "b": (6, 1), "c": (6, 2)}, query_cost=lambda _: 0.5)
    decision = problem.decide([0.4, 0.3, 0.3], (3, 1))
    assert decision.ask in ((0,), (1, 2))
    assert decision.value is not None
    assert decision.value > 5
    dear = askwise.SampledProblem(found, ego, {"a": (0, 1), "b": (6, 1), "c": (6, 2)}, query_cost=lambda _: 500.0)
    assert dear.decide([0.4, 0.3, 0.3], (3, 1)).action == dear.ego.actions.stay
    assert problem.decide([0.0, 0.5, 0.5], (3, 1)).why.endswith("is optimal for every possible goal.")
    zones = problem.zones("a", "b", (3, 1))
    assert zones.expected_information.end == pytest.approx(found.pair("b", "a").mean)
    assert zones.branching.start == 1


def test_sampling_goes_on_from_a_state() -> None:
    env = Ring(slip=0.0)
    env.reset(seed=0)
    seen = env.step(0)[0]
    here = FromHere(env, seen)
    assert [here.reset(seed=k)[0] for k in range(3)] == [1, 1, 1]
    assert here.step(0)[0] == 2
    assert env.state == 1


BAD: list[tuple[dict[str, Any], str]] = [
    ({"evidence": 1.0}, "evidence: found 1.0; expected a number from 0, below 1"),
    ({"within": 0}, "within: found 0; expected a number between 0 and 1"),
    ({"horizon": 0}, "horizon: found 0; expected a whole number from 1"),
    ({"threshold": 2}, "threshold: found 2; expected a number above 0, at most 1, or None"),
    ({"truths": ["d"]}, "truths: found 'd'; expected one of 'a', 'b'"),
    (
        {"interval": "norml"},
        "interval: found 'norml'; expected one of 'normal', 'bernstein' (did you mean 'normal'?)",
    ),
    (
        {"env": 3},
        "env: found int; expected a Gymnasium environment, a vector environment, a name, or a function that makes an "
        "environment",
    ),
    (
        {"policies": {"a": lambda _: 1, "b": lambda _: 1}},
        "policy of 'a': found a result of shape (); expected probabilities of shape (2,); for a deterministic policy "
        "state its noise: NoisyPolicy(act, n_actions, noise)",
    ),
    (
        {"policies": {"a": lambda _: [0.5, 0.6], "b": lambda _: [1, 0]}},
        "policy of 'a': found [0.5, 0.6]; expected probabilities from 0 that sum to 1",
    ),
    (
        {"policies": {"a": 1}},
        "policies: found 1 policies; expected a dict with at least two policies by the names of their goals",
    ),
]


@pytest.mark.parametrize(
    ("options", "message"), BAD, ids=[next(iter(options)) + str(k) for k, (options, _) in enumerate(BAD)]
)
def test_bad_input(options: dict[str, Any], message: str) -> None:
    given = {"env": Ring, "policies": {"a": table(TRUTH), "b": table(OTHER)}, "seed": 0, **options}
    with pytest.raises(askwise.InputError) as caught:
        askwise.sampled_divergence(given.pop("env"), given.pop("policies"), **given)
    assert str(caught.value) == message


def test_missing_packages_are_named_with_the_line_that_installs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(askwise.InputError) as caught:
        askwise.sampled_edp("MiniGrid-NoSuchRoom-v0", table(OTHER), table(TRUTH))
    assert str(caught.value).startswith("env: found 'MiniGrid-NoSuchRoom-v0'; expected an environment that Gymnasium")
    assert str(caught.value).endswith("; MiniGrid comes with pip install '.[rl]' in askwise's folder")
    for package in ("torch", "stable_baselines3", "minigrid"):
        monkeypatch.setitem(sys.modules, package, None)  # importing it fails, as if it were not installed
    monkeypatch.setattr(sys, "argv", ["learned_policies.py"])
    message = r"^minigrid is not installed: pip install '\.\[rl\]' in askwise's folder$"
    with pytest.raises(SystemExit, match=message):
        runpy.run_path(str(Path(__file__).parents[2] / "examples" / "learned_policies.py"), run_name="__main__")


def test_a_stated_noise() -> None:
    policy = NoisyPolicy(lambda _: 1, 2, 0.1)
    assert policy(0).tolist() == pytest.approx([0.05, 0.95])
    with pytest.raises(askwise.InputError, match=r"^noise: found 0; expected a number above 0, at most 1$"):
        NoisyPolicy(lambda _: 1, 2, 0)


def test_rank_correlation_of_pairs_of_goals() -> None:
    """The benchmark with gr-libs: equal orders correlate fully; with four goals, one of 24 permutations is the same."""
    pairs = np.arange(16.0).reshape(4, 4) ** 2
    rho, p = correlation(pairs, np.sqrt(pairs), permutations=2_000)
    assert rho == pytest.approx(1)
    assert p == pytest.approx(1 / 24, abs=0.02)
    rho, p = correlation(pairs, -pairs, permutations=100)
    assert (rho, p) == pytest.approx((-1.0, 1.0))


def test_acting_policies_of_tabular_learners() -> None:
    rows = table_of({"(3,1):2": [0.5, 1.0, 0.5, 9.0, 9.0, 9.0, 9.0], "(1,1):0": [0.0] * 7})
    assert rows[3, 1, 2].tolist() == pytest.approx([1 / 258, 256 / 258, 1 / 258, 0, 0, 0, 0])
    assert rows[1, 1, 0].tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0, 0, 0, 0])
