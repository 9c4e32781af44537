"""What is read although it is not quite right, and what is refused: with file, line and what would be allowed."""

# ruff: noqa: E501 - whole messages stand on one line beside what they are about

from __future__ import annotations

import pytest

from askwise.errors import InputError
from askwise.pddl import Limits, cones_of, recognition
from tests.pddl.problems import BLOCKS, INTRUSION, TWO_EXITS, Files, blocks
from tests.refused import assert_refused

WORDS = blocks("abc", ["abc", "cba"])


def changed(old: str, new: str, role: str = "domain.pddl", files: Files = WORDS) -> Files:
    assert old in files[role]
    return {**files, role: files[role].replace(old, new, 1)}


SLOPPY = {
    "capital letters": changed("(:action stack", "(:ACTION STACK"),
    "a blank missing before a variable": changed("(holding ?x) (clear ?y)", "(holding?x) (clear?y)"),
    "no requirements": changed("(:requirements :strips :typing)", ""),
    "unknown requirements": changed(":strips", ":strips :adl :universal-magic"),
    "objects twice": changed("(:objects a b c", "(:objects a b a c - block c b", "template.pddl"),
    "a bracket too many at the end": changed("(handempty)) (not (on ?x ?y)))))", "(handempty)) (not (on ?x ?y))))))"),
    "atoms that do not hold, listed": changed("(handempty) (", "(handempty) (not (holding a)) (", "template.pddl"),
    "no blank after the dash": changed("?x - block ?y - block", "?x -block ?y - block"),
    "commas and blanks in goals": {**WORDS, "hyps.dat": " (on a b) , (on b c)\r\n\r\n(ON C B) (on b a),\n\n"},
    "comments anywhere": changed("(:types block)", "(:types ; these ) (\n block) ; and (those"),
    "either": changed("(?x - block)\n    :precondition (holding", "(?x - (either block object))\n    :precondition (holding"),
    "a condition inside a condition": changed("(and (clear ?x) (ontable ?x) (handempty))", "(and (and (clear ?x)) (ontable ?x) (and) (handempty))"),
    "no condition at all": changed(":precondition (holding ?x)\n", ":precondition ()\n"),
    "an action without effect": changed("(:action pick-up", "(:action nod :parameters ()) (:action pick-up"),
    "a metric that is not about costs": changed("(:goal", "(:metric minimize (total-time)) (:goal", "template.pddl"),
}  # fmt: skip


@pytest.mark.parametrize("files", SLOPPY.values(), ids=SLOPPY)
def test_what_public_files_contain_is_read(files: Files) -> None:
    assert len(recognition(files).task.labels) >= 24


def test_two_actions_of_one_name_are_one_where_they_do_the_same_and_two_where_they_do_not() -> None:
    domain = """(define (domain d) (:predicates (p) (q) (r))
      (:action go :parameters () :precondition (p) :effect (q))
      (:action go :parameters () :effect (q))
      (:action go :parameters () :effect (r)))"""
    template = "(define (problem x) (:domain d) (:init (p)) (:goal (and <HYPOTHESIS>)))"
    found = cones_of(recognition({"domain.pddl": domain, "template.pddl": template, "hyps.dat": "(q)\n(r)\n"}))
    assert [found.model.action_name(0, a) for a in range(2)] == ["go", "go [2]"]
    assert found.model.n_actions == 3


def test_costs_of_1_are_read_and_others_refused() -> None:
    assert cones_of(recognition(INTRUSION)).exact
    assert_refused(
        lambda: recognition(changed("(stolen ?h) (increase (total-cost) 1)", "(stolen ?h) (increase (total-cost) 3)", files=INTRUSION)).task,
        "domain.pddl, line 8: found an action 'steal' that costs 3.0; expected 1, (increase (total-cost) 1): all actions"
        " cost the same",
    )  # fmt: skip
    assert_refused(
        lambda: (
            recognition(changed("(and (stolen ?h) (increase (total-cost) 1))", "(stolen ?h)", files=INTRUSION)).task
        ),
        "domain.pddl, line 8: found an action 'steal' that costs 0; expected 1, (increase (total-cost) 1): all actions"
        " cost the same",
    )
    table = changed(
        "(stolen ?h) (increase (total-cost) 1)", "(stolen ?h) (increase (total-cost) (price ?h))", files=INTRUSION
    )
    ones = changed(
        "(= (total-cost) 0)", "(= (total-cost) 0) (= (price web) 1) (= (price mail) 1.0)", "template.pddl", table
    )
    assert cones_of(recognition(ones)).exact
    with pytest.raises(InputError, match=r"that costs 2\.0; expected 1"):
        recognition(changed("(price web) 1)", "(price web) 2)", "template.pddl", ones)).task  # noqa: B018
    for word in ("nan", "inf"):
        with pytest.raises(InputError, match=f"found '{word}'; expected a number"):
            recognition(changed("(price web) 1)", f"(price web) {word})", "template.pddl", ones)).task  # noqa: B018


BEYOND = {
    "or": ("(and (holding ?x) (clear ?y))", "(or (holding ?x) (clear ?y))", 14, "'or'", "one action, or one goal, for each alternative"),
    "forall": ("(and (holding ?x) (clear ?y))", "(forall (?z - block) (clear ?z))", 14, "'forall'", "one condition or effect for each object"),
    "exists": ("(and (holding ?x) (clear ?y))", "(exists (?z - block) (clear ?z))", 14, "'exists'", "one more parameter of the action"),
    "imply": ("(and (holding ?x) (clear ?y))", "(imply (holding ?x) (clear ?y))", 14, "'imply'", "one action for each case"),
    "not and": ("(and (holding ?x) (clear ?y))", "(not (and (holding ?x) (clear ?y)))", 14, "'not' of several atoms, which is an 'or'", "one action for each case"),
    "when": ("(and (not (holding ?x)) (not (clear ?y))", "(and (when (clear ?y) (holding ?x)) (not (clear ?y))", 15, "'when'", "one action for each case"),
    "numbers": ("(and (holding ?x) (clear ?y))", "(and (holding ?x) (> (fuel) 2))", 14, "'>'", "atoms instead of numbers"),
    "durations": ("(:action stack", "(:durative-action stack", 13, "':durative-action'", "actions without duration"),
}  # fmt: skip


@pytest.mark.parametrize("case", BEYOND.values(), ids=BEYOND)
def test_what_goes_beyond_strips_is_refused_with_a_remedy(case: tuple[str, str, int, str, str]) -> None:
    old, new, line, found, remedy = case
    expected = f"domain.pddl, line {line}: found {found}; expected plain STRIPS, such as {remedy}"
    assert_refused(lambda: recognition(changed(old, new)), expected)


FAULTS = {
    "unknown predicate": (changed("(holding ?x) (clear ?y)", "(hold ?x) (clear ?y)"), "domain.pddl, line 14: found 'hold'; expected a known predicate (did you mean 'holding'?)"),
    "unknown variable": (changed("(holding ?x) (clear ?y)", "(holding ?z) (clear ?y)"), "domain.pddl, line 14: found '?z'; expected a known parameter of the action"),
    "unknown object": (changed("(ontable a)", "(ontable aa)", "template.pddl"), "template.pddl, line 2: found 'aa'; expected a known object (did you mean 'a'?)"),
    "unknown type": (changed("?x - block ?y - block", "?x - blok ?y - block"), "domain.pddl, line 13: found 'blok'; expected a type from (:types ...) (did you mean 'block'?)"),
    "number of terms": (changed("(ontable a)", "(ontable a b)", "template.pddl"), "template.pddl, line 2: found 2 in '(ontable a b)'; expected 1 term, as in (:predicates ...)"),
    "never closed": (changed("(:types block)", "(:types block"), "domain.pddl, line 3: found a '(' that is never closed; expected a ')' for it"),
    "closed too early": (changed("(:types block)", "(:types block)))"), "domain.pddl, line 5: found a ')' too many; expected as many '(' before it"),
    "a part that nobody knows": (changed("(:types block)", "(:typs block)"), "domain.pddl, line 5: found ':typs'; expected one of :requirements, :types, :constants, :predicates, :functions, :action"),
    "a keyword twice": (changed(":precondition (holding ?x)\n", ":precondition (holding ?x) :precondition ()\n"), "domain.pddl, line 11: found ':precondition' twice in one action; expected it once"),
    "a variable twice": (changed("?x - block ?y - block", "?x - block ?x - block"), "domain.pddl, line 13: found '?x' twice; expected each variable once"),
    "no domain": ({**WORDS, "domain.pddl": "(define (problem x))"}, "domain.pddl, line 1: found a problem; expected a domain: first the domain, then the problem or template"),
    "nothing": ({**WORDS, "domain.pddl": ""}, "domain.pddl, line 1: found no '('; expected (define ...), a PDDL file"),
    "no actions": ({**WORDS, "domain.pddl": "(define (domain x))"}, "domain.pddl: found no (:action ...); expected at least one action"),
    "a goal of an unknown object": ({**WORDS, "hyps.dat": "(on a b)\n(on a z)\n"}, "hyps.dat, line 2: found 'z'; expected a known object"),
    "a goal without brackets": ({**WORDS, "hyps.dat": "on a b\n"}, "hyps.dat, line 1: found 'on'; expected atoms in brackets"),
    "no goals": ({**WORDS, "hyps.dat": "\n \n"}, "hyps.dat: found no goal; expected one goal in each line, such as (at robot room1), (open door2)"),
    "an action seen with too few objects": ({**WORDS, "obs.dat": "(PICK-UP A)\n(STACK A)\n"}, "obs.dat, line 2: found '(stack a)'; expected as many objects as in (stack ?x ?y)"),
    "an unknown action seen": ({**WORDS, "obs.dat": "(PICK-UP A)\n(STAK A B)\n"}, "obs.dat, line 2: found 'stak'; expected an action of the domain (did you mean 'stack'?)"),
    "a deep nest": (changed("(holding ?x) (clear ?y)", "(" * 60 + ")" * 60), "domain.pddl, line 14: found one bracket more; expected at most 50 brackets inside each other"),
    "a dash at the end": (changed("(:objects a b c - block)", "(:objects a b c -)", "template.pddl"), "template.pddl, line 1: found '-'; expected a type after '-'"),
}  # fmt: skip


@pytest.mark.parametrize(("files", "message"), FAULTS.values(), ids=FAULTS)
def test_faults_are_refused_with_file_and_line(files: Files, message: str) -> None:
    if message.startswith("domain.pddl, line 3:"):  # the outermost bracket is the one that is left open
        message = message.replace("line 3", f"line {BLOCKS[: BLOCKS.index('(define')].count(chr(10)) + 1}")
    assert_refused(lambda: recognition(files), message)


def test_a_goal_that_is_left_open_needs_a_list_of_goals() -> None:
    files = {role: text for role, text in WORDS.items() if role != "hyps.dat"}
    message = "goals: found none: template.pddl leaves its goal open; expected a list of goals, hyps.dat (--goals)"
    assert_refused(lambda: recognition(files), message)
    files["template.pddl"] = files["template.pddl"].replace("(and <HYPOTHESIS>)", "(on a b)")
    assert recognition(files).goal_names == ("on a b",)


LIMITED = {
    "atoms": "grounding: found one atom more that can become true; expected at most 5 (raise it by Limits(atoms=...), commands: --search-limit atoms=N)",
    "operators": "grounding: found one operator more, 'pick-up c'; expected at most 2 (raise it by Limits(operators=...), commands: --search-limit operators=N)",
    "tries": "grounding: found one object more to try in place of a variable; expected at most 3 (raise it by Limits(tries=...), commands: --search-limit tries=N)",
}  # fmt: skip


@pytest.mark.parametrize(("limits", "name"), [(Limits(atoms=5), "atoms"), (Limits(operators=2), "operators"), (Limits(tries=3), "tries")])  # fmt: skip
def test_limits_are_stated_and_can_be_raised(limits: Limits, name: str) -> None:
    assert_refused(lambda: recognition(WORDS, limits=limits).task, LIMITED[name])
    assert len(recognition(WORDS).task.labels) > 2


def test_an_action_of_many_free_variables_does_not_hang() -> None:
    many = " ".join(f"?v{k}" for k in range(12))
    files = changed("(:action pick-up", f"(:action all :parameters ({many}) :effect (handempty)) (:action pick-up")
    with pytest.raises(InputError, match=r"^grounding: found one operator more"):
        recognition(files, limits=Limits(operators=1_000)).task  # noqa: B018


def test_steps_of_optimal_plans_have_a_limit_too() -> None:
    message = (
        "optimal plans: found one step more on them; expected at most 20 (raise it by Limits(edges=...), commands:"
        " --search-limit edges=N)"
    )
    assert_refused(lambda: cones_of(recognition(TWO_EXITS), limits=Limits(edges=20)), message)
