"""Rounds without a server: the same game as `simulate`, views without hidden information, and reviews."""

from __future__ import annotations

from typing import Any

import pytest

from askwise import trace
from askwise.api import as_problem
from askwise.audits.audit import audit
from askwise.core.problem import Problem, teammate_names
from askwise.errors import InputError
from askwise.studio.rounds import role_view
from askwise.studio.rounds.replay import WarmStart, replayed
from askwise.studio.rounds.review import REASONS, review
from askwise.studio.rounds.round import PERSON, InputRefused, Round, Setup, belief_with_people
from askwise.text.reading import Field
from askwise.view.page import page_text
from tests.studio.live import EXAMPLES
from tests.studio.scripted import FILES, as_ego, as_teammate, inputs, trace_of


def problem(name: str) -> Problem:
    return as_problem(EXAMPLES / FILES[name])


def begun(name: str, **setup: Any) -> Round:
    made = Round(problem(name), Setup(**setup))
    made.think()
    return made


def done(made: Round, script: list[Any]) -> Round:
    for user_input in script:
        made.do(user_input)
        made.think()
    return made


# -- one game ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "method", "seed"),
    [
        ("kitchen", "planner", 5),
        ("kitchen", "baseline", 6),
        ("ward", "ezq-exact", 7),
        ("workshop", "planner-light", 8),
        ("coverage", "optimal", 9),
    ],
)
def test_who_walks_like_a_simulated_teammate_gets_its_episode(name: str, method: str, seed: int) -> None:
    simulated = as_teammate(name, method, seed)
    made = done(begun(name, role="teammate", method=method, seed=seed), inputs(simulated, "teammate"))
    assert trace.to_json(made.episode()) == trace_of(simulated)
    assert made.episode().steps == simulated.steps
    assert made.phase == "over"


@pytest.mark.parametrize(("name", "method"), [("kitchen", "planner"), ("workshop", "planner-light")])
def test_rounds_that_begin_with_a_copy_of_the_planner_go_on_as_if_nobody_had_played(name: str, method: str) -> None:
    warm, stated = WarmStart(), problem(name)
    for seed in (5, 6, 5):
        simulated = as_teammate(name, method, seed)
        made = warm.begin(stated, Setup(role="teammate", method=method, seed=seed))
        assert trace.to_json(done(made, inputs(simulated, "teammate")).episode()) == trace_of(simulated)
        assert made.robot is not None
        assert made.robot.problem is stated
    assert len(warm._kept) == 1
    warm.begin(stated, Setup(role="teammate", method="never", seed=1))
    assert len(warm._kept) == 1, "of others nothing is known that would allow for it"


@pytest.mark.parametrize("teammate", ["noisy:0.3", "via"])
def test_a_person_who_errs_does_not_stop_the_robot(teammate: str) -> None:
    for method in ("planner", "ezq-local", "cost-prob"):
        simulated = as_teammate("kitchen", method, 3, teammate)
        made = done(begun("kitchen", role="teammate", method=method, seed=3), inputs(simulated, "teammate"))
        assert trace.to_json(made.episode()) == trace_of(simulated)


def test_answers_may_be_wrong_or_missing() -> None:
    model = "wrong:0.2,refused:0.3"
    simulated = as_teammate("ward", "baseline", 4, answers=model)
    made = done(begun("ward", role="teammate", method="baseline", seed=4, answers=model), inputs(simulated, "teammate"))
    assert trace.to_json(made.episode()) == trace_of(simulated)
    assert {step.answer.reply for step in made.steps if step.answer} >= {None}


@pytest.mark.parametrize("name", ["kitchen", "ward", "workshop", "coverage"])
def test_who_decides_like_a_method_meets_the_same_teammate(name: str) -> None:
    simulated = as_ego(name, "ezq-exact", 5)
    made = done(begun(name, role="ego", seed=5), inputs(simulated, "ego"))
    episode = made.episode()
    assert (episode.goal, episode.final, episode.cost, episode.finished) == (
        simulated.goal, simulated.final, simulated.cost, True,
    )  # fmt: skip
    assert [step.teammate_action for step in episode.steps] == [step.teammate_action for step in simulated.steps]
    assert [step.answer for step in episode.steps] == [step.answer for step in simulated.steps]
    assert (episode.method, episode.teammate) == (PERSON, simulated.teammate)
    assert trace.from_json(trace.to_json(episode)) is not None


def test_the_same_inputs_lead_to_the_same_place() -> None:
    setup = Setup("teammate", "planner", seed=5)
    made = begun("kitchen", role="teammate", method="planner", seed=5)
    log = []
    for user_input in inputs(as_teammate("kitchen", "planner", 5), "teammate")[:4]:
        log.append((user_input, made.do(user_input)))
        made.think()
    again = replayed(problem("kitchen"), setup, log)
    assert role_view.state(again) == role_view.state(made)
    changed = [*log[:-1], (log[-1][0], {**log[-1][1], "cost": 99.0})]
    with pytest.raises(InputError, match=r"^event 4: found \{.*\} when it was done again; expected \{.*\}, as it was "):
        replayed(problem("kitchen"), setup, changed)


def test_methods_keep_their_belief_only_if_they_can_go_on_without_it() -> None:
    stated = problem("kitchen")
    assert [belief_with_people(stated, name) for name in ("planner", "ezq", "never", "informed")] == [
        None, "robust", "robust", None,
    ]  # fmt: skip


# -- refusals ----------------------------------------------------------------------------------------------------


def test_what_cannot_be_done_is_refused_in_words() -> None:
    made = begun("kitchen", role="teammate", method="planner", seed=5)  # it asks at once whether it is toast or juice
    for user_input, words in [
        ({"move": "EAST"}, "Please answer the question first."),
        ({"ask": ["pie"]}, "Only the ego agent may ask questions."),
        (
            {"answer": False},
            "Please answer truthfully: your dish is toast, so the answer is Yes.",
        ),
        ({"answer": 1}, "message.answer: found 1; expected true, false, or null for no answer"),
        ({"fly": 1}, 'message: found the unknown key "fly"; expected only move, answer, ask, stop'),
        ({}, "message: found {}; expected one of move, answer, ask, stop"),
        ([], "message: found []; expected an object, { ... }"),
    ]:
        with pytest.raises((InputRefused, InputError)) as refused:
            made.do(user_input)
        assert str(refused.value) == words
    made.do({"answer": None})
    made.think()
    assert made.steps[0].answer is not None
    assert made.steps[0].answer.reply is None


def test_impossible_moves_and_questions_are_refused_and_change_nothing() -> None:
    made = begun("ward", role="ego", seed=1)
    before = role_view.state(made)
    wrong: list[Any] = [{"move": "left"}, {"move": 3}, {"ask": []}, {"ask": ["nobody"]}, {"ask": {"groups": []}}]
    for user_input in [*wrong, {"answer": True}]:
        with pytest.raises((InputRefused, InputError)):
            made.do(user_input)
    with pytest.raises(InputError):
        made.do({"ask": ["sheets for Bo", "sheets for Bo"]})
    assert role_view.state(made) == before
    made.do({"stop": True})
    assert role_view.state(made)["result"]["stopped"] is True
    with pytest.raises(InputRefused, match=r"^The round is over\.$"):
        made.do({"move": "up"})


def test_setups_are_checked() -> None:
    given = Setup.from_json(Field("setup", {"role": "ego", "seed": 3, "goal": None}))
    assert given == Setup("ego", seed=3)
    assert Setup.from_json(Field("setup", given.to_json())) == given
    with pytest.raises(InputError, match=r"^setup\.role: found \"cook\"; expected one of 'teammate', 'ego'$"):
        Setup.from_json(Field("setup", {"role": "cook"}))
    with pytest.raises(InputError, match=r"^setup\.seed: found -1; expected a whole number from 0 to "):
        Setup.from_json(Field("setup", {"role": "ego", "seed": -1}))


# -- who may see what --------------------------------------------------------------------------------------------


def test_nothing_that_the_ego_agent_is_sent_depends_on_the_goal() -> None:
    seen = []
    for goal in ("pie", "steak"):  # both begin to the east
        made = Round(problem("kitchen"), Setup("ego", goal=goal, teammate="plan:EAST,EAST", seed=1))
        messages = [role_view.board(made), role_view.state(made)]
        for user_input in ({"move": "STAY"}, {"ask": ["soup", "toast"]}):
            made.do(user_input)
            messages.append(role_view.state(made))
        seen.append(messages)
    assert seen[0] == seen[1]


def test_nothing_that_the_teammate_is_sent_depends_on_what_the_robot_believes_or_will_do() -> None:
    seen = []
    for method in ("never", "informed"):
        made = begun("kitchen", role="teammate", method=method, goal="pie", seed=2)
        assert made.phase == "move"
        seen.append([role_view.board(made), role_view.state(made)])
    assert seen[0] == seen[1]
    assert seen[0][0]["goal"] == problem("kitchen").goals.index("pie")


def test_no_key_of_a_belief_or_a_reason_is_ever_sent() -> None:
    made = done(begun("kitchen", role="teammate", seed=5), inputs(as_teammate("kitchen", "planner", 5), "teammate")[:3])
    keys = _keys([role_view.board(made), role_view.state(made), role_view.trails(made)])
    assert not keys & {"belief", "why", "probability", "prior", "considered", "value", "decision", "seed", "method"}


def _keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {key for each in value.values() for key in _keys(each)}
    return {key for each in value for key in _keys(each)} if isinstance(value, list) else set()


def test_the_teammate_is_offered_no_way_from_which_the_goal_is_out_of_reach() -> None:
    made = begun("kitchen", role="teammate", method="never", goal="soup", seed=1)
    names = [move["name"] for move in role_view.state(made)["moves"]]
    assert names == ["NORTH", "EAST", "SOUTH", "WEST", "STAY"]
    assert [move["waits"] for move in role_view.state(made)["moves"]] == [False, False, False, False, True]


# -- afterwards --------------------------------------------------------------------------------------------------


def test_who_plays_like_the_optimum_is_told_so() -> None:
    simulated = as_ego("coverage", "optimal", 5)
    episode, told = review(done(begun("coverage", role="ego", seed=5), inputs(simulated, "ego")))
    assert told["differences"] == []
    assert told["judge"] == "optimal"
    assert told["methods"][0] == {
        "method": "optimal",
        "cost": simulated.cost,
        "questions": len(simulated.questions),
        "finished": True,
    }
    assert (told["cost"], told["optimal"]) == (simulated.cost, simulated.known_cost)
    assert all(step.belief is not None for step in episode.steps), "the page shows what the judge would have believed"


def test_a_silly_question_is_shown_with_what_would_have_been_better() -> None:
    simulated = as_ego("coverage", "optimal", 5)
    made = begun("coverage", role="ego", seed=5)
    done(made, [{"ask": [made.problem.goals[0]]}, *inputs(simulated, "ego")])
    _, told = review(made)
    assert told["cost"] > simulated.cost
    # The first question is as good as the optimum's; after its answer, the second is not worth its price any more.
    assert told["differences"] == [
        {
            "t": 2,
            "did": "ask: Is it B? (price 0.7)",
            "better": "EAST",
            "why": "No question was worth its price here: 0.70 lost in expectation.",
        }
    ]


def test_a_review_finds_the_mistakes_that_an_audit_finds() -> None:
    simulated = as_ego("coverage", "never", 5)
    made = done(begun("coverage", role="ego", seed=5), inputs(simulated, "ego"))
    mistakes = [step for step in audit([made.episode()]).episodes[0].steps if step.fault]
    assert mistakes
    _, told = review(made)
    assert [(each["t"], each["why"]) for each in told["differences"]] == [
        (step.t, f"{REASONS[step.fault]}: {step.regret:.2f} lost in expectation.") for step in mistakes
    ]


def test_beside_a_person_who_makes_a_detour_the_others_meet_the_same_detour() -> None:
    simulated = as_teammate("kitchen", "never", 3, "noisy:0.4")
    made = done(begun("kitchen", role="teammate", method="never", seed=3), inputs(simulated, "teammate"))
    _, told = review(made)
    never = next(each for each in told["methods"] if each["method"] == "never")
    assert never["cost"] == simulated.cost


def test_with_the_goal_known_the_walk_is_the_one_that_was_walked() -> None:
    made = begun("kitchen", role="teammate", method="never", goal="pie", seed=3)
    shortest = made.game.known_cost
    done(made, [{"move": name} for _ in range(8) for name in ("EAST", "WEST")])  # to and fro: 16 steps for nothing
    while not made.over:
        here = made.game.state.teammate
        best = int(made.problem.teammate.optimal(here)[made.goal].argmax())
        made.do({"move": teammate_names(made.problem, here)[best]})
        made.think()
    episode, told = review(made)
    assert told["finished"]
    assert (told["optimal"], told["known"]) == (shortest, shortest + 16)
    assert episode.known_cost == told["known"], "the page that steps through the round says the same"


def test_of_a_round_that_was_stopped_nothing_is_said_about_the_goal_known() -> None:
    made = done(begun("kitchen", role="teammate", method="never", goal="pie", seed=3), [{"stop": True}])
    episode, told = review(made)
    assert told["known"] is None
    assert episode.known_cost == told["optimal"]
    assert "with the goal known" in page_text(episode)
