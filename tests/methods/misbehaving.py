# mypy: ignore-errors
# ruff: noqa
"""Agents that misbehave, each in one way. They are loaded by their location, like a user's agents.

`# HERE` marks the line that a message has to name. ``step`` is the step that it has to name, None before the first;
``only`` the commands in which the agent fails at all, if not all of them (`askwise ask` decides in the first step only,
and only an exact evaluation copies agents).
"""

import math
import sys
import threading

import numpy as np

from askwise.core.problem import joint_state
from askwise.methods import Decision, Never, Situation
from askwise.errors import InputError


class Ok(Never):
    """Decides like `Never`; the others say `turn` instead of `decide`."""

    step = 1
    only = ("run", "ask", "episodes", "exact", "study")

    def decide(self, observation):
        return self.turn(super().decide(observation), observation)

    def turn(self, decision, observation):
        return decision


class Odd(Exception):
    def __str__(self):
        raise RuntimeError("not even this can be said")


class Shy:
    def __repr__(self):
        raise RuntimeError("nothing to be seen")


class Stop(BaseException):
    pass


# -- made --------------------------------------------------------------------------------------------------------


class InitRaises(Ok):
    step = None

    def __init__(self, **options):
        super().__init__(**options)
        self.share = 1 / 0  # HERE


class InitExits(Ok):
    step = None

    def __init__(self, **options):
        sys.exit(0)  # HERE


class InitStops(Ok):
    step = None

    def __init__(self, **options):
        raise Stop("enough")  # HERE


class InitOdd(Ok):
    step = None

    def __init__(self, **options):
        raise Odd  # HERE


class InitTakesNothing(Ok):
    step = None

    def __init__(self, colour):
        pass


# -- reset -------------------------------------------------------------------------------------------------------


class ResetRaises(Ok):
    step = None

    def reset(self, problem, seed=None):
        raise KeyError("prior")  # HERE


class ResetExits(Ok):
    step = None

    def reset(self, problem, seed=None):
        exit(3)  # HERE


class ResetTakesNothing(Ok):
    step = None

    def reset(self):  # HERE
        pass


class ResetForgets(Never):  # HERE: it fails in askwise's own `decide`, which needs what askwise's own `reset` makes
    step = 1
    only = Ok.only

    def reset(self, problem, seed=None):
        pass


class ResetRunsDeep(Ok):
    step = None

    def reset(self, problem, seed=None):
        return self.reset(problem, seed)  # HERE


# -- changes what is shared --------------------------------------------------------------------------------------


class Normalises(Ok):
    step = None

    def reset(self, problem, seed=None):
        super().reset(problem, seed)
        problem.prior /= problem.prior.max()  # HERE


class NormalisesOut(Ok):
    step = None

    def reset(self, problem, seed=None):
        super().reset(problem, seed)
        np.divide(problem.prior, 2, out=problem.prior)  # HERE


class SetsPrior(Ok):
    step = None

    def reset(self, problem, seed=None):
        super().reset(problem, seed)
        problem.prior = problem.prior / 2  # HERE


class SetsPrice(Ok):
    step = None

    def reset(self, problem, seed=None):
        super().reset(problem, seed)
        problem.query_cost.base = 0  # HERE


class SetsMethod(Ok):
    step = None

    def reset(self, problem, seed=None):
        super().reset(problem, seed)
        problem.ego.steps = lambda ego: 0  # HERE


class Deletes(Ok):
    step = None

    def reset(self, problem, seed=None):
        super().reset(problem, seed)
        del problem.query_cost  # HERE


class SetsGroups(Ok):
    step = None

    def reset(self, problem, seed=None):
        super().reset(problem, seed)
        problem.groups["mine"] = (0,)  # HERE


class WritesMap(Ok):
    def turn(self, decision, observation):
        self.problem.ego.table().unloaded[:] = 0  # HERE
        return decision


class WritesSuccessor(Ok):
    def turn(self, decision, observation):
        self.problem.teammate.model.successor[0, 0] = 0  # HERE
        return decision


class SetsModel(Ok):
    def turn(self, decision, observation):
        self.problem.teammate.model.stay = 0  # HERE
        return decision


class MovesItself(Ok):
    def turn(self, decision, observation):
        observation.state.ego = 0  # HERE
        return decision


class WritesSteps(Ok):
    def turn(self, decision, observation):
        self.problem.teammate.steps(observation.state.teammate)[:] = 0  # HERE
        return decision


# -- decide ------------------------------------------------------------------------------------------------------


class Raises(Ok):
    def turn(self, decision, observation):
        return 1 / 0  # HERE


class RaisesLater(Ok):
    step = 2
    only = ("run", "episodes", "exact", "study")

    def turn(self, decision, observation):
        self.turns = getattr(self, "turns", 0) + 1
        if self.turns == 2:
            raise RuntimeError("the second is too much")  # HERE
        return decision


class RaisesDeepInside(Ok):
    def turn(self, decision, observation):
        return np.linalg.inv(np.zeros((2, 2)))  # HERE


class RaisesManyWords(Ok):
    def turn(self, decision, observation):
        raise ValueError("first line\nsecond\x1b[31m line \udcff " + "and more " * 2000)  # HERE


class RaisesOdd(Ok):
    def turn(self, decision, observation):
        raise Odd  # HERE


class RaisesGroup(Ok):
    def turn(self, decision, observation):
        raise ExceptionGroup("two", [ValueError("one"), Odd()])  # HERE


class RaisesNothingToSay(Ok):
    def turn(self, decision, observation):
        raise AssertionError  # HERE


class RaisesStopIteration(Ok):
    def turn(self, decision, observation):
        return next(iter(()))  # HERE


class RaisesGeneratorExit(Ok):
    def turn(self, decision, observation):
        raise GeneratorExit  # HERE


class RaisesMemoryError(Ok):
    def turn(self, decision, observation):
        return np.empty((10**9, 10**9))  # HERE


class RaisesItsOwn(Ok):
    def turn(self, decision, observation):
        raise InputError("enough", 3, "less")  # HERE


class RefusedByAskwise(Ok):
    def turn(self, decision, observation):
        return joint_state(self.problem, "nowhere")  # HERE


class Stops(Ok):
    def turn(self, decision, observation):
        raise Stop  # HERE


class Exits(Ok):
    def turn(self, decision, observation):
        sys.exit("enough")  # HERE


class ExitsQuietly(Ok):
    def turn(self, decision, observation):
        sys.exit()  # HERE


class RunsDeep(Ok):
    def turn(self, decision, observation):
        return self.turn(decision, observation)  # HERE


class TakesNothing(Never):
    step = 1
    only = Ok.only

    def decide(self):  # HERE
        return None


# -- what is no decision -----------------------------------------------------------------------------------------


class Returns(Ok):
    """Returns `what`; the line named is that of `decide`, which is the one of `Ok`."""

    what = None

    def decide(self, observation):  # HERE
        super().decide(observation)
        return self.what


class ReturnsNothing(Returns):
    pass


class ReturnsText(Returns):
    what = "EAST"


class ReturnsNumber(Returns):
    what = 1


class ReturnsClass(Returns):
    what = Decision


class ReturnsShy(Returns):
    what = Shy()


class ReturnsMuch(Returns):
    what = ["much"] * 100_000


class Yields(Ok):
    def decide(self, observation):  # HERE
        yield super().decide(observation)


class NeitherNor(Returns):
    what = Decision()


class Both(Returns):
    what = Decision(action=4, ask=(0,))


class AsksFive(Returns):
    what = Decision(ask=5)


class AsksNobody(Returns):
    what = Decision(ask=())


class AsksTooFar(Returns):
    what = Decision(ask=(99,))


class AsksNegative(Returns):
    what = Decision(ask=(-1,))


class AsksTwice(Returns):
    what = Decision(ask=(1, 1))


class AsksNames(Returns):
    what = Decision(ask=("A", "B"))


class AsksText(Returns):
    what = Decision(ask="AB")


class AsksHalves(Returns):
    what = Decision(ask=(0.5,))


class AsksFloats(Returns):
    what = Decision(ask=(1.0,))


class AsksTruth(Returns):
    what = Decision(ask=(True,))


class AsksLists(Returns):
    what = Decision(ask=([0], [1]))


class AsksMatrix(Returns):
    what = Decision(ask=np.zeros((2, 2), dtype=int))


class AsksForEver(Returns):
    what = Decision(ask=iter(int, 1))


class AsksShy(Returns):
    what = Decision(ask=(Shy(),))


class ActsTooFar(Returns):
    what = Decision(action=99)


class ActsNegative(Returns):
    what = Decision(action=-1)


class ActsByName(Returns):
    what = Decision(action="EAST")


class ActsInFloats(Returns):
    what = Decision(action=4.0)


class ActsTruly(Returns):
    what = Decision(action=True)


class ActsShy(Returns):
    what = Decision(action=Shy())


class WalksIntoWall(Returns):
    what = Decision(action=2)


class WhyNone(Returns):
    what = Decision(action=4, why=None)


class WhyBytes(Returns):
    what = Decision(action=4, why=b"because")


class WhyHalf(Returns):
    what = Decision(action=4, why="half a character: \udcff")


class WhyControl(Returns):
    what = Decision(action=4, why="red: \x1b[31m")


class WhyNull(Returns):
    what = Decision(action=4, why="a\0b")


class ValueNan(Returns):
    what = Decision(action=4, value=math.nan)


class ValueInfinite(Returns):
    what = Decision(action=4, value=math.inf)


class ValueText(Returns):
    what = Decision(action=4, value="1.5")


class ValueComplex(Returns):
    what = Decision(action=4, value=1j)


class ValueArray(Returns):
    what = Decision(action=4, value=np.ones(3))


class CostNan(Returns):
    what = Decision(action=4, cost=math.nan)


class CostTrue(Returns):
    what = Decision(action=4, cost=True)


class ConsideredFive(Returns):
    what = Decision(action=4, considered=5)


class ConsideredTooFar(Returns):
    what = Decision(action=4, considered=(99,))


class RunnerUpFive(Returns):
    what = Decision(action=4, runner_up=5)


class RunnerUpNan(Returns):
    what = Decision(action=4, runner_up=((0,), math.nan))


class RunnerUpNone(Returns):
    what = Decision(action=4, runner_up=((0,), None))


class RunnerUpTooFar(Returns):
    what = Decision(action=4, runner_up=((99,), 1.0))


class VerdictNone(Returns):
    what = Decision(action=4, verdict=None)


class SituationText(Returns):
    what = Decision(action=4, situation="hopeless")


class SituationShort(Ok):
    only = ("run", "ask", "episodes", "study")

    def decide(self, observation):  # HERE
        return super().decide(observation).made_at(Situation(self.problem, observation.state, np.ones(1)))


# -- beliefs -----------------------------------------------------------------------------------------------------


class Believes(Ok):
    what = None

    @property  # HERE: Python says that a function begins with its decorators
    def probabilities(self):
        return self.what


class BeliefRaises(Ok):
    @property
    def probabilities(self):
        return {}["belief"]  # HERE


class BeliefExits(Ok):
    @property
    def probabilities(self):
        sys.exit(1)  # HERE


class BeliefShort(Believes):
    what = np.array([0.5, 0.5])


class BeliefNumber(Believes):
    what = 0.5


class BeliefMatrix(Believes):
    what = np.full((1, 3), 1 / 3)


class BeliefText(Believes):
    what = np.array(["much", "some", "none"])


class BeliefWord(Believes):
    what = "sure"


class BeliefComplex(Believes):
    what = np.array([0.5, 0.5, 0j])


class BeliefTruth(Believes):
    what = np.array([True, False, False])


class BeliefRagged(Believes):
    what = [[0.5], [0.25, 0.25]]


class BeliefNegative(Believes):
    what = np.array([1.5, -0.5, 0.0])


class BeliefNan(Believes):
    what = np.array([math.nan, 0.5, 0.5])


class BeliefInfinite(Believes):
    what = np.array([math.inf, 0.5, 0.5])


class BeliefMuch(Believes):
    what = np.array([1.0, 1.0, 1.0])


class BeliefNothing(Believes):
    what = np.zeros(3)


class BeliefObjects(Believes):
    what = np.array([Shy(), Shy(), Shy()])


class BeliefGenerator(Believes):
    what = (each for each in (0.5, 0.5, 0.0))


# -- names -------------------------------------------------------------------------------------------------------


class NameNumber(Ok):
    step = None
    name = 5


class NameHalf(Ok):
    step = None
    name = "half \udcff"


class NameLines(Ok):
    step = None
    name = "one\ntwo"


class NameEmpty(Ok):
    step = None
    name = ""


class NameRaises(Ok):
    step = None

    @property
    def name(self):
        return self.nickname  # HERE


# -- told, watch, copied -----------------------------------------------------------------------------------------


class ToldRaises(Ok):
    step = None
    only = ("run", "episodes", "exact", "study")

    def set_goal(self, goal):
        raise LookupError(goal)  # HERE


class WatchRaises(Ok):
    only = ("watch",)

    def watch(self, observation):
        raise LookupError("nothing to see")  # HERE


class HoldsLock(Ok):
    step = None
    only = ("exact",)

    def __init__(self, **options):
        super().__init__(**options)
        self.lock = threading.Lock()


class HoldsLockLater(Ok):
    only = ("exact",)

    def turn(self, decision, observation):
        self.lock = threading.Lock()
        return decision


class CopyRaises(Ok):
    step = None
    only = ("exact",)

    def __deepcopy__(self, memo):
        raise NotImplementedError  # HERE


class CopyNothing(Ok):
    step = None
    only = ("exact",)

    def __deepcopy__(self, memo):  # HERE
        return None
