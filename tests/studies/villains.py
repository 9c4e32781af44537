"""Agents that hang, end their process or use up memory, each on a line marked by a comment."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

CODE = """
    import ctypes, os, signal, sys, threading, time
    import numpy
    from askwise.methods import Never
    from askwise.core.game import Game

    class Hangs(Never):
        def decide(self, observation):
            while True: pass  # hangs

    class Swallows(Never):
        def decide(self, observation):
            while True:
                try:
                    time.sleep(100_000)  # swallows
                except BaseException:
                    pass

    class Sleeps(Never):
        def decide(self, observation):
            time.sleep(100_000)  # sleeps

    class HangsInC(Never):
        '''Holds the lock of the interpreter all the while: no Python code runs in this process any more.'''
        def decide(self, observation):
            while True:
                ctypes.PyDLL(None).sleep(100_000)  # hangs in C

    class Exits(Never):
        def decide(self, observation):
            os._exit(3)

    class Crashes(Never):
        def decide(self, observation):
            os.kill(os.getpid(), signal.SIGSEGV)  # crashes

    class IsKilled(Never):
        def decide(self, observation):
            os.kill(os.getpid(), signal.SIGKILL)

    class Leaves(Never):
        def decide(self, observation):
            sys.exit("enough")  # leaves

    class HangsUp(Never):
        def decide(self, observation):
            os.closerange(3, 100)
            while True:
                time.sleep(1)

    class Scribbles(Never):
        '''Writes into every file that is open, the pipe to the parent among them.'''
        def decide(self, observation):
            for number in range(3, 100):
                try:
                    os.write(number, b"scribbles")
                except OSError:
                    pass
            time.sleep(100_000)

    class Greedy(Never):
        def decide(self, observation):
            eaten = []
            while True:
                eaten.append(numpy.empty(2**28, numpy.uint8))  # asked for, and never touched

    class Interrupts(Never):
        def decide(self, observation):
            raise KeyboardInterrupt

    class HangsAtOnce(Never):
        def reset(self, problem, seed=None):
            while True:
                time.sleep(1)  # hangs at once

    class Dawdles(Never):
        '''Each decision is quick, and the episode never ends.'''
        def decide(self, observation):
            time.sleep(0.05)  # dawdles
            return self.wait("Later.")

    class Leaks(Never):
        '''Starts threads that never end, until there is no room for one more.'''
        def decide(self, observation):
            while True:
                threading.Thread(target=time.sleep, args=(100_000,), daemon=True).start()

    class Patches(Never):
        '''Changes what steps cost, for all that are played in this process.'''
        def decide(self, observation):
            pay = Game._pay
            Game._pay = lambda game, cost: pay(game, cost + 1)
            return super().decide(observation)

    class Overwrites(Never):
        '''Changes the prior behind the back of the problem, which is read-only.'''
        def decide(self, observation):
            prior = self.problem.prior
            ctypes.memset(prior.ctypes.data, 0, prior.nbytes)
            return super().decide(observation)

    class Forks(Never):
        '''Goes on as two processes after each decision.'''
        def decide(self, observation):
            os.fork()
            return super().decide(observation)
"""


def write_villains(folder: Path) -> Path:
    """Write all these agents into a file, and return its path."""
    path = folder / "villains.py"
    path.write_text(dedent(CODE), encoding="utf-8")
    return path


def line_of(comment: str) -> int:
    """Return the number of the line with a given comment."""
    lines = dedent(CODE).splitlines()
    return next(number for number, line in enumerate(lines, start=1) if line.endswith(f"# {comment}"))
