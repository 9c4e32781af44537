"""Single kernels of the planner, run in Python: against plain lists, Bayes' rule and the reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from askwise.core.answers import AnswerModel, n_answers, truth
from askwise.core.problem import Problem, changed
from askwise.core.questions import Choice, QueryCost
from askwise.domains.tool_fetching import ToolFetching
from askwise.domains.tool_fetching.generate import generate
from askwise.planning.beliefs import (
    after_answer,
    after_step,
    bits_in,
    list_goals,
    odds_in,
    price_of,
    without_negligible,
)
from askwise.planning.candidates import _best_move, _rank, ask_then_act, choose_candidates, copy_question
from askwise.planning.leaf_values import IDENTIFY, PLANNED, cost_to_identify, leaf_value
from askwise.planning.planner import Planner
from askwise.planning.proposals import ask_about, propose
from askwise.planning.questions import every_choice
from askwise.planning.reference import Reference
from askwise.planning.settings import FULL, NOISY_FULL, PlannerSettings
from askwise.planning.steps import best_action, count_actions, list_actions, score_actions
from askwise.planning.tables import goals_in, tables_of
from askwise.planning.values import _after_reply, _tag
from askwise.planning.workspace import MOST_COMPLETE, POOL_ROOM, POOL_SIZE, SCORE, UNKNOWN, keep, recall, records
from tests.graphs import random_problem

SMALL = replace(FULL, endgame=0, log_table=10)
NOISY = replace(NOISY_FULL, endgame=0, negligible=0.0, log_table=10)


def begun(problem: Problem, settings: PlannerSettings) -> tuple[Planner, Any]:
    """Return a planner at the start of a decision, and its workspace."""
    planner, start = Planner(problem, tables_of(problem), settings), problem.start
    planner._write_state(problem.prior > 0, problem.prior, start.teammate, start.ego)
    planner._set_limits(None, settings.budget)
    list_goals(planner.search, 0)
    return planner, planner.search


def tools(seed: int, stations: int, *, prior: str = "uniform") -> ToolFetching:
    price = QueryCost(0.5, 0.1)
    return ToolFetching(generate(width=9, stations=stations, toolboxes=4, prior=prior, query_cost=price, seed=seed))


# -- proposals ---------------------------------------------------------------------------------------------------


class Proposals:
    """The proposals at the start as a plain list, each written without the first possible goal."""

    def __init__(self, problem: Problem, planner: Planner) -> None:
        self.weights, self.found = planner.tables.weight[problem.start.teammate], list[frozenset[int]]()
        self.goals = goals = sorted(planner.tables.goals, key=lambda goal: -self.weights[goal])
        half = self.heaviest(goals, 0.5)
        for size in (1, 2, 3, 4, 6, 9, half - 1, half, half + 1, half // 2, len(goals) // 4):
            if 0 < size < len(goals):
                self.offer(goals[:size])
        for goal in goals[1:4]:
            self.offer([goal])
        named = [[goal for goal in goals if goal in group] for group in problem.groups.values()]
        groups = sorted((group for group in named if group), key=lambda group: goals.index(group[0]))
        for suited in [*groups, *self.suited_by_moves(problem, planner)]:
            self.offer_shares(suited)
        for later, earlier in product(range(min(6, len(groups))), repeat=2):
            if earlier < later:
                self.offer(goal for goal in goals if goal in groups[later] or goal in groups[earlier])

    def offer(self, some: Iterable[int]) -> None:
        question = frozenset(some)
        question = frozenset(self.goals) - question if min(self.goals) in question else question
        if question and question not in self.found and len(self.found) < POOL_SIZE:
            self.found.append(question)

    def offer_shares(self, some: list[int]) -> None:
        for n in (self.heaviest(some, 0.5), self.heaviest(some, 0.8), len(some)):
            self.offer(some[:n])

    def heaviest(self, some: Sequence[int], share: float) -> int:
        """Return how many of some goals it takes until their weights are this share of the sum."""
        sums = [sum(self.weights[some[:n]].tolist()) for n in range(len(some) + 1)]  # in order: rounding decides ties
        return next(n for n, part in enumerate(sums) if part >= share * sums[-1])

    def suited_by_moves(self, problem: Problem, planner: Planner) -> Iterator[list[int]]:
        """Yield, for each move of the ego agent, the goals that it does not delay, unless these are none or all."""
        start, goals = problem.start, self.goals
        d, e = problem.teammate.steps(start.teammate), problem.ego.steps(start.ego)
        for there in (problem.ego.next(start.ego, move) for move in planner.tables.ego.moves):
            if there >= 0:
                after = problem.ego.steps(there)
                suited = [goal for goal in goals if max(d[goal], after[goal]) < max(d[goal] + 1, e[goal])]
                if 0 < len(suited) < len(goals):
                    yield suited


@pytest.mark.parametrize("prior", ["uniform", "far", "sloping"])
@pytest.mark.parametrize("stations", [5, 11, 20, 24])
def test_proposals_are_those_of_a_plain_list(stations: int, prior: str) -> None:
    for seed in range(3):
        problem = tools(seed, stations, prior="uniform" if prior == "sloping" else prior)
        if prior == "sloping":
            weights = np.arange(30.0, 30 + stations)
            problem = changed(problem, prior=weights / weights.sum())
        planner, s = begun(problem, SMALL)
        n = propose(s, 0)
        found = [frozenset(goals_in(s.sets[s.pool + k, 0])) for k in range(n)]
        expected = Proposals(problem, planner).found
        assert found == expected


@pytest.mark.parametrize("seed", range(2))
def test_candidates_are_the_best_questions(seed: int) -> None:
    """They are sorted, few proposals are better, and moving one goal to the other side does not improve the best."""
    problem = tools(seed, 6)
    _, s = begun(problem, replace(SMALL, climbs=20, candidates=3))
    n, spare = propose(s, 0), s.pool - 1

    def merit(question: int) -> float:
        return ask_then_act(s, 0, question, np.inf)

    offered = [merit(s.pool + k) for k in range(n)]
    choose_candidates(s, 0, 0)
    merits = [merit(k) for k in range(s.lengths[0])]
    assert len(merits) == 3
    assert merits == sorted(merits)
    assert sum(each < merits[-1] - 1e-9 for each in offered) <= 2
    for goal in range(6):
        copy_question(s, 0, spare)
        s.sets[spare, :, 0] ^= np.uint64(1) << np.uint64(goal)
        if 0 < len(set(goals_in(s.sets[spare, 0])) & set(range(6))) < 6:
            assert merit(spare) >= merits[0] - 1e-9


def test_proposals_are_compared_until_the_budget_is_used_up() -> None:
    """The first one is compared in any case."""
    _, s = begun(tools(0, 6), replace(SMALL, candidates=9))
    propose(s, 0)
    for proposal, over in product(range(2), range(2)):
        s.counts[0].states_seen = s.limits[0].budget + over
        _rank(s, 0, proposal, proposal + 1)
        expected = ask_then_act(s, 0, s.pool + proposal, np.inf)
        assert s.merits[0, proposal] == (np.inf if proposal and over else expected)


def test_questions_are_improved_only_if_the_settings_say_so() -> None:
    for climbs in (0, 1):
        _, s = begun(tools(0, 5), replace(SMALL, climbs=climbs))
        proposed = s.sets[s.pool : s.pool + propose(s, 0)].copy()
        s.sets[s.pool :] = 0
        choose_candidates(s, 0, 0)
        assert (s.sets[s.pool : s.pool + len(proposed)] == proposed).all()
        assert s.merits[1].any() == (climbs > 0), "single goals are looked at"


@pytest.mark.parametrize(("seed", "free", "expected"), [(1, False, [71, 161, 50]), (3, True, [113, 113, 50])])
def test_the_work_follows_from_the_budget(
    seed: int, free: bool, expected: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of states is the same on every machine, as only true answers are considered here.

    It includes states in which acting is followed to its end, and is at least what a decision needs; while an action
    causes no delay, only an eighth of the budget is used.
    """
    problem, found = tools(seed, 7), []
    for budget, at_least in ((40, 20_000), (160, 20_000), (40, 10)):
        monkeypatch.setattr("askwise.planning.planner.AT_LEAST", at_least)
        planner = Planner(problem, tables_of(problem), replace(SMALL, depth=6, inner=4, breadth=9))
        plan = planner.plan(problem.prior, problem.start.teammate, problem.start.ego, budget=budget)
        assert plan.free == free
        found.append(plan.states_seen)
    assert found == expected


REPEATING = [AnswerModel(0.1), AnswerModel(0.2, 0.3), AnswerModel(0.1, 0.0, "persistent")]


@pytest.mark.parametrize("seed", [3, 4])
@pytest.mark.parametrize("answers", REPEATING, ids=str)
def test_the_best_questions_are_also_considered_with_repetitions(answers: AnswerModel, seed: int) -> None:
    """Unless errors persist: all proposals are compared, and the best eight again with margins of 2 and 3."""
    problem = changed(tools(seed, 5), query_cost=QueryCost(0.02)).with_answers(answers)
    _, s = begun(problem, replace(NOISY, candidates=8, climbs=0))
    spare = len(s.sets) - 1

    def merit(question: int, margin: int) -> float:
        copy_question(s, question, spare)
        s.asked[spare].margin = margin
        return ask_then_act(s, 0, spare, np.inf)

    pool = range(s.pool, s.pool + propose(s, 0))
    margins = [int(s.asked[pool[0]].margin)]
    once = sorted((merit(question, margins[0]), question) for question in pool)
    again = [merit(question, margin) for _, question in once[:8] for margin in (() if answers.persistent else (2, 3))]
    merit(once[0][1], margins[0])  # what the spare row has from before must not matter
    choose_candidates(s, 0, 0)
    found = [ask_then_act(s, 0, k, np.inf) for k in range(s.lengths[0])]
    assert found == pytest.approx(sorted([*again, *(each for each, _ in once)])[:8])
    assert {int(margin) for margin in s.asked.margin[:8]} >= ({0} if answers.persistent else {1, 2})


def test_the_goals_that_are_best_alone_are_proposed_together() -> None:
    problem = tools(2, 8)
    _, s = begun(problem, replace(SMALL, climbs=1))
    s.sets[s.pool :] = 0
    choose_candidates(s, 0, 0)
    heaviest = sorted(range(8), key=lambda goal: -s.world.weight[s.states[0].teammate, goal])
    best = [heaviest[k] for k in np.argsort(s.merits[1, :8], kind="stable")]
    pool = {frozenset(goals_in(row)) for row in s.sets[s.pool : -1, 0]}
    for size in (1, 2, 3, 4, 6):
        named = frozenset(best[:size])
        assert np.isinf(np.sort(s.merits[1, :8])[size - 1]) or {named, frozenset(range(8)) - named} & pool


def test_tags_tell_plans_apart() -> None:
    _, s = begun(random_problem(2, n_goals=4).with_answers(AnswerModel(0.1, 0.2)), NOISY)
    plans = list(product(range(NOISY.questions + 1), range(NOISY.depth + 1), range(20)))
    assert len({int(_tag(s, *plan)) for plan in plans}) == len(plans)


def test_where_errors_persist_no_plan_repeats_a_question() -> None:
    """The lists of candidates after an answer do not have the question that led there, nor its complement."""
    answers = AnswerModel(0.2, 0.0, "persistent")
    problem = changed(random_problem(2, n_goals=4), query_cost=QueryCost(0.01)).with_answers(answers)
    planner, lists = Planner(problem, tables_of(problem), NOISY), 0
    planner.plan(problem.prior, problem.start.teammate, problem.start.ego)
    s = planner.search

    def parts(question: int) -> set[int]:
        return {int(part) for part in s.sets[question, :2, 0] & s.rows[0, 0]}

    for list_no in range(1, len(s.lengths)):
        asked = parts((list_no - 1) // 2)
        lists += s.lengths[list_no] > 0
        for k in range(s.lengths[list_no]):
            assert parts(list_no * NOISY.candidates + k) != asked
    assert lists > 0


def test_where_errors_persist_no_plan_begins_with_a_question_that_was_asked() -> None:
    answers = AnswerModel(0.2, 0.0, "persistent")
    problem = changed(random_problem(2, n_goals=4), query_cost=QueryCost(0.01)).with_answers(answers)
    planner, asked = Planner(problem, tables_of(problem), NOISY), list[tuple[int, ...]]()
    s, sides = planner.search, list[set[int]]()
    for _ in range(4):
        plan = planner.plan(problem.prior, problem.start.teammate, problem.start.ego, asked=asked)
        listed = [set(goals_in(s.sets[k, 0])) & set(range(4)) for k in range(s.lengths[0])]
        assert isinstance(plan.question, tuple)
        assert not [some for some in listed if some in sides]
        asked.append(plan.question)
        sides += [set(plan.question), set(range(4)) - set(plan.question)]


def test_where_errors_persist_a_question_is_new_if_one_of_its_two_sides_was_not_asked_about() -> None:
    """One goal has become impossible: the question that named it and another goal did not ask about the other alone."""
    problem = changed(random_problem(2, n_goals=4), query_cost=QueryCost(0.01))
    problem = problem.with_answers(AnswerModel(0.2, 0.0, "persistent"))
    planner = Planner(problem, tables_of(problem), NOISY)
    s = planner.search

    def listed(possible: set[int], asked: list[tuple[int, ...]]) -> set[frozenset[frozenset[int]]]:
        belief = np.array([goal in possible for goal in range(4)]) / len(possible)
        planner.plan(belief, problem.start.teammate, problem.start.ego, asked=asked)
        sides = [[frozenset(goals_in(s.sets[k, answer])) & possible for answer in (0, 1)] for k in range(s.lengths[0])]
        return {frozenset(each) for each in sides}

    for gone, other in permutations(range(4), 2):
        left = set(range(4)) - {gone}
        everything = {frozenset({frozenset({goal}), frozenset(left - {goal})}) for goal in left}
        assert listed(left, [(gone, other)]) == everything
        known = frozenset({frozenset({other}), frozenset(left - {other})})
        assert listed(left, [(gone, other), (other,)]) == everything - {known}


def test_goals_that_the_teammate_has_passed_do_not_count() -> None:
    problem, passed = tools(1, 7), 0
    for answers in (AnswerModel(), AnswerModel(0.1, 0.1)):
        noisy = problem.with_answers(answers)
        tables, settings = tables_of(noisy), SMALL if answers.truthful else NOISY
        for there in tables.following[problem.start.teammate]:
            left = tables.weight[there] > 0
            if there >= 0 and 1 < left.sum() < 7:
                found = [
                    Planner(noisy, tables, settings).plan(some / some.sum(), int(there), problem.start.ego, budget=50)
                    for some in (left, np.ones(7))
                ]
                assert found[0] == found[1]
                passed += 1
    assert passed > 0


def test_a_complete_search_has_room_for_some_questions() -> None:
    """Yes/no questions about five goals, with three margins, and as many choices as there is room for."""
    problem = changed(random_problem(2, n_goals=5), query_cost=QueryCost(0.1, per_option=0.01))
    planner, s = begun(problem.with_answers(AnswerModel(0.1)), NOISY)
    planner._complete, planner._choices = (0, 1, 2, 3, 4), every_choice(problem, range(5))
    first, others = int(s.limits[0].first), s.asked.copy()
    for margins, n in ((0, 15), (1, 15), (3, 45)):
        assert len(planner._choices) > MOST_COMPLETE - n
        planner._list_complete(range(5), first, margins)
        assert s.lengths[0] == MOST_COMPLETE
        asked = s.asked[first : first + MOST_COMPLETE]
        assert (asked.price[:n] < 0).all()
        assert asked.choice[n:].tolist() == list(range(MOST_COMPLETE - n))
        assert (s.asked[first + MOST_COMPLETE :] == others[first + MOST_COMPLETE :]).all()


def test_a_complete_search_that_took_too_much_work_is_not_tried_again() -> None:
    problem = random_problem(2, n_goals=4).with_answers(AnswerModel(0.1))
    planner = Planner(problem, tables_of(problem), replace(NOISY_FULL, endgame_states=5, log_table=12))
    for tried in (1, 0, 0):
        before = int(planner.search.limits[0].complete_no), planner._gave_up
        plan = planner.plan(problem.prior, problem.start.teammate, problem.start.ego)
        assert not plan.optimal
        assert planner._gave_up
        assert planner.search.limits[0].complete_no == before[0] + tried


def test_moves_that_are_tried_to_improve_a_question() -> None:
    """Goals of little weight are not moved, and none is when the budget is used up."""
    problem = changed(random_problem(2, n_goals=4), prior=np.array([0.5, 0.3, 0.195, 0.005]))
    _, s = begun(problem, SMALL)
    goals, spare, moved = np.arange(4), s.pool + POOL_ROOM, set[int]()

    def merit(named: int) -> float:
        s.sets[spare, 0, 0] = named
        ask_about(s, spare)
        return ask_then_act(s, 0, spare, np.inf)

    for named in range(1, 15):
        s.counts[0].states_seen, s.sets[spare, 0, 0] = 0, named
        goal, lowest = _best_move(s, 0, 0, goals, 100.0)
        moved.add(int(goal))
        merits = [merit(named ^ (1 << other)) for other in range(3) if 0 < named ^ (1 << other) < 15]
        assert lowest == pytest.approx(min([*merits, 100.0 - 1e-9]))
        for over in (False, True):
            s.sets[spare, 0, 0], s.counts[0].states_seen = named, s.limits[0].budget + over
            assert (_best_move(s, 0, 0, goals, 100.0)[0] == -1) == (over or not merits)
    assert moved <= {-1, 0, 1, 2}
    assert len(moved) > 1


def test_acting_is_followed_as_far_as_there_are_levels() -> None:
    """One level is for the belief after a step, and one for candidates."""
    _, s = begun(tools(0, 6), SMALL)
    last = len(s.rows) - 1
    s.rows[last - 2 :], s.states[last - 2 :] = s.rows[0], s.states[0]
    expected = cost_to_identify(s, 0)
    assert leaf_value(s, last - 1, 0, np.inf) == expected
    assert leaf_value(s, last - 2, 0, np.inf) != expected


# -- beliefs -----------------------------------------------------------------------------------------------------


def repeated(answers: AnswerModel, margin: int) -> tuple[float, float]:
    """Return the probability that the answer with this margin is wrong, and the mean number of times to ask.

    Both come from the random walk of the lead of true over false answers, which ends at the margin on either side.
    """
    e, leads = answers.wrong, range(-margin + 1, margin)
    steps, wrong = np.eye(len(leads)), np.zeros(len(leads))
    for k in range(len(leads)):
        for to, chance in ((k + 1, 1 - e), (k - 1, e)):
            if 0 <= to < len(leads):
                steps[k, to] -= chance
            elif to < 0:
                wrong[k] = chance
    middle = margin - 1
    return float(np.linalg.solve(steps, wrong)[middle]), float(
        np.linalg.solve(steps, np.ones(len(leads)))[middle] / (1 - answers.refused)
    )


MODELS = [AnswerModel(0.05), AnswerModel(0.2, 0.3), AnswerModel(0.1, 0.1)]
NAMED = (0, 2)


@pytest.mark.parametrize("margin", range(4))
@pytest.mark.parametrize("answers", MODELS, ids=str)
def test_beliefs_follow_bayes_rule(answers: AnswerModel, margin: int) -> None:
    """Two answers to a yes/no question, the second one different; with a margin it is repeated until then."""
    problem = random_problem(3, n_goals=4).with_answers(answers)
    planner, s = begun(problem, NOISY)
    planner._write(0, [NAMED], margin)
    wrong = repeated(answers, margin)[0] if margin else answers.wrong
    share, weights, scale = (1.0 if margin else 1 - answers.refused), problem.prior.copy(), 1.0
    for level, answer in enumerate((0, 1)):
        left, factor = after_answer(s, level, 0, answer)
        scale *= factor
        weights *= [share * (1 - wrong if (goal in NAMED) == (answer == 0) else wrong) for goal in range(4)]
        assert left == 4
        assert [scale * odds_in(s, level + 1, goal) for goal in range(4)] == pytest.approx(weights)


@pytest.mark.parametrize("answers", [*MODELS, AnswerModel(), AnswerModel(0.0, 0.25)], ids=str)
def test_beliefs_after_a_choice_follow_bayes_rule(answers: AnswerModel) -> None:
    problem = changed(random_problem(3, n_goals=4), query_cost=QueryCost(0.1, per_option=0.01)).with_answers(answers)
    planner, s = begun(problem, NOISY)
    for asked in (Choice(((0,), (1, 2), (3,))), Choice(((0, 3), (1,)))):
        planner._write_choices(0, [asked], 0)
        k = n_answers(asked, 4)
        assert price_of(s, 0, 0) == pytest.approx(problem.query_cost(asked))
        for answer in range(k):
            _, factor = after_answer(s, 0, 0, answer)
            for goal in range(4):
                true = truth(asked, goal) == answer
                likely = (1 - answers.refused) * (1 - answers.wrong if true else answers.wrong / (k - 1))
                found = factor * odds_in(s, 1, goal) if likely else 0.0
                # Log-odds are whole numbers of units, a 64th of what a yes/no answer takes off.
                unit = np.log((1 - answers.wrong) / answers.wrong) / 64 if answers.wrong else 1e-12
                assert found == pytest.approx(problem.prior[goal] * likely, rel=unit)


@pytest.mark.parametrize("answers", [AnswerModel(), AnswerModel(0.1)], ids=str)
def test_goals_of_negligible_weight_become_impossible(answers: AnswerModel) -> None:
    """Those that are left keep their weights, up to the factor, in a copy of the state and after a step."""
    problem = changed(random_problem(3, n_goals=4), prior=np.array([0.7, 0.249, 0.05, 0.001])).with_answers(answers)
    planner, s = begun(problem, NOISY)
    steps, weight = planner.tables.following[problem.start.teammate], planner.tables.weight
    stay, left_out = int(problem.ego.actions.stay), 0
    for share in (0.0, 0.01, 0.1, 0.5):
        for there in (-1, *steps[steps >= 0].tolist()):
            teammate = problem.start.teammate if there < 0 else there
            if there < 0:
                n, factor = without_negligible(s, 0, 1, share)
            else:
                n, factor = after_step(s, 0, stay, there, share)
            alive = np.flatnonzero(weight[teammate]).tolist()
            heavy = [g for g in alive if weight[teammate, g] >= share * weight[teammate].max()]
            assert goals_in(s.rows[1, : s.world.alive.shape[1]]) == heavy
            assert n == len(heavy)
            assert [factor * odds_in(s, 1, g) for g in heavy] == pytest.approx(weight[teammate, heavy].tolist())
            left_out += len(alive) - n
    assert left_out > 3


@pytest.mark.parametrize("margin", [1, 2, 3])
@pytest.mark.parametrize("answers", MODELS, ids=str)
def test_repeated_questions_cost_what_the_reference_says(answers: AnswerModel, margin: int) -> None:
    """One that is repeated is like a question that is asked once, with fewer errors and a higher price."""
    problem = changed(random_problem(1, n_goals=3), query_cost=QueryCost(0.2, prices=(0.1, 0.0, 0.4)))
    wrong, times = repeated(answers, margin)
    reference = Reference(problem.with_answers(AnswerModel(wrong)), 1)
    state = reference.state()
    planner, s = begun(problem.with_answers(answers), NOISY)
    s.limits[0].identifies = 0
    for named in ((0,), (1,), (2,)):
        planner._write(0, [named], margin)
        price = min(problem.query_cost(side) for side in (named, tuple({0, 1, 2} - set(named))))
        later = sum(float(reference.act_only(after)) for _, after in reference.after_question(state, named))
        assert price_of(s, 0, 0) == pytest.approx(times * price)
        assert ask_then_act(s, 0, 0, np.inf) == pytest.approx(times * price + later)


@pytest.mark.parametrize("answers", [AnswerModel(0.0, 0.3), AnswerModel(0.1, 0.3, "persistent")], ids=str)
def test_questions_that_may_get_no_answer_cost_what_the_reference_says(answers: AnswerModel) -> None:
    """One that is asked once: without an answer, the ego agent acts as it would have done before."""
    problem = changed(random_problem(1, n_goals=3), query_cost=QueryCost(0.2)).with_answers(answers)
    reference = Reference(problem, 1)
    state = reference.state()
    planner, s = begun(problem, NOISY)
    s.limits[0].identifies = 0
    for named in ((0,), (1,), (2,)):
        planner._write(0, [named], 0)
        later = sum(float(reference.act_only(after)) for _, after in reference.after_question(state, named))
        assert later > 0
        assert ask_then_act(s, 0, 0, np.inf) == pytest.approx(0.2 + later)


def test_bits_are_counted() -> None:
    for word in (0, 1, 2**63, 2**64 - 1, *np.random.default_rng(3).integers(2**64, size=50, dtype=np.uint64).tolist()):
        assert bits_in(np.uint64(word)) == word.bit_count()


def test_each_answer_to_a_choice_has_its_own_candidates_or_shares_the_last() -> None:
    """The lists that follow two candidates of a list are never the same, however many answers a choice has."""
    problem = changed(random_problem(3, n_goals=4), query_cost=QueryCost(0.1, per_option=0.01))
    planner, s = begun(problem, NOISY)
    planner._write(0, [(goal % 4,) for goal in range(7)], 0, choice=0, price=0.2)
    lists = [{int(_after_reply(s, 0, 0, answer, 0, k)[2]) for answer in range(7)} for k in range(6)]
    assert [len(each) for each in lists] == [4] * 6
    assert set[int]().union(*lists) == set(range(1, 25))


# -- the table of values -----------------------------------------------------------------------------------------


def test_the_table_never_mistakes_one_state_for_another() -> None:
    """It forgets old values only, and a lower bound is returned only where it reaches the limit."""
    _, s = begun(random_problem(2, n_goals=4), replace(SMALL, log_table=6))
    rng, known = np.random.default_rng(1), dict[tuple[int, ...], float]()
    s.rows[:8, 0] = np.arange(1, 9)
    found = 0
    for _ in range(400):
        key = tuple(int(rng.integers(n)) for n in (8, 3, 4, 3, 5))
        level, teammate, place, load, tag = key
        known[key] = value = float(rng.random()) + 0.1
        s.states[level] = teammate, place, load - 1, 0.0
        keep(s, level, tag, value)
        assert recall(s, level, tag, np.inf) == value
        other = list(known)[int(rng.integers(len(known)))]
        level, teammate, place, load, tag = other
        s.states[level] = teammate, place, load - 1, 0.0
        again = recall(s, level, tag, np.inf)
        assert again in (known[other], UNKNOWN)
        found += again != UNKNOWN
    assert found > 20
    s.states[0] = 0, 0, -1, 0.0
    keep(s, 0, 0, -0.5)
    assert [recall(s, 0, 0, limit) for limit in (0.4, 0.5, 0.6)] == [0.5, 0.5, UNKNOWN]


def test_values_of_plans_are_kept() -> None:
    """States that several plans lead to are computed once for a decision, and again for the next."""
    problem = random_problem(2, n_goals=4)
    planner, tables = Planner(problem, tables_of(problem), SMALL), tables_of(problem)
    before = set[int]()
    for _ in range(2):
        planner.plan(problem.prior, problem.start.teammate, problem.start.ego)
        keys = planner.search.keys[planner.search.keys[:, -2] > 0]
        tags = set((keys[:, -2] >> np.uint64(32)).tolist())
        planned = {tag for tag in tags if tag > IDENTIFY}
        assert planned - before, "no value of a plan was kept"
        assert {tag >> 20 for tag in planned - before} == {planner.search.counts[0].decision_no}
        assert {tag & 0xFF for tag in planned} <= {PLANNED + 1 + depth for depth in range(SMALL.depth + 1)}
        before = planned
        teammate, place = keys[:, 1] & np.uint64(0xFFFFFFFF), keys[:, 1] >> np.uint64(32)
        assert (place < problem.ego.model.n_states).all()
        assert not (keys[:, :1] & ~tables.alive[teammate.astype(int)]).any(), "goals that the teammate has passed"


def test_no_question_is_compared_twice() -> None:
    """A choice between two sets is the same question as a yes/no question about the first."""
    problem = changed(random_problem(3, n_goals=4), query_cost=QueryCost(0.1, per_option=0.01))
    planner, s = begun(problem, replace(NOISY, candidates=12))
    planner._list_choices(every_choice(problem, range(4)))
    choose_candidates(s, 0, 0)
    length = int(s.lengths[0])
    questions = {
        tuple(frozenset(goals_in(part & s.rows[0])) for part in s.sets[k, : s.asked[k].answers]) for k in range(length)
    }
    assert len(questions) == length == 12
    assert any(s.asked.choice[:length] >= 0)


def test_as_many_actions_are_listed_as_are_wanted() -> None:
    _, s = begun(tools(0, 6), SMALL)
    state, n = s.states[0], int(count_actions(s.world, s.states[0].place))
    for most in range(1, n + 2):
        score_actions(s.world, s.ranked, list_goals(s, 0), s.scored, state.teammate, state.place, state.load)
        delays = sorted(delay for delay in s.scored.delay[:n].tolist() if delay < np.inf)[:most]
        assert list_actions(s.world, s.scored, s.options[0], state.place, 1.0, most) == len(delays)
        assert s.options[0].delay[: len(delays)].tolist() == pytest.approx(delays)


def test_only_loads_of_possible_goals_that_are_not_carried_are_picked_up() -> None:
    planner, s = begun(tools(1, 9), SMALL)
    world, n_moves, tried = s.world, s.world.next.shape[1], set[tuple[bool, bool]]()
    for place in np.flatnonzero(np.diff(world.loads_from)).tolist():
        loads = world.loads[world.loads_from[place] : world.loads_from[place + 1]].tolist()
        for possible, carried in product((set(range(9)), {0, 1, *loads[:1]}, {0, 1, 2, 3}), (-1, *loads)):
            s.rows[0] = planner._mask(possible)
            score_actions(world, s.ranked, list_goals(s, 0), s.scored, s.states[0].teammate, place, carried)
            for k, load in enumerate(loads):
                useful = load in possible, load != carried
                assert np.isfinite(s.scored[n_moves + k].delay) == all(useful)
                tried.add(useful)
    assert tried == set(product((False, True), repeat=2))


def test_the_best_action_does_not_depend_on_the_scale_of_weights() -> None:
    """Equal delays may differ by rounding, in proportion to the weight."""
    scored = records(SCORE, 3)
    for weight in (1.0, 1e-6, 1e-200):
        scored.delay, scored.left = np.array([2e-3, 1e-3, 1e-3 + 1e-12]) * weight, np.array([1.0, 3.0, 2.0]) * weight
        assert best_action(scored, 3, weight) == 2
