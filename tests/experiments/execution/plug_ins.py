"""A package of algorithms that misbehave, installed the way any package of plug-ins is: through its entry points.

Each misbehaves in its unlucky runs only, in round 5: those whose algorithm's stream begins below one half.
"""

import re
from pathlib import Path

SOURCE = """
import os, random, signal, sys, time
from typing import NamedTuple
import numpy as np
from duelbench.plugin import Algorithm, kernel


class State(NamedTuple):
    unlucky: bool


def start(n_arms, horizon, rng, standing):
    return State(bool(rng.random() < 0.5) or "UNLUCKY" in os.environ)


def update(state, first, second, first_wins, second_wins):
    pass


def algorithm(name, misbehave, recommend=lambda: 0):
    class OwnState(State):
        pass

    def select(state, t, rng):
        if state.unlucky and t == 5 and "BEHAVE" not in os.environ:
            return misbehave()
        return 0, 1, 1

    return Algorithm(
        id=name, name=name, assumes="nothing", anytime=True, parameters={}, reference="", state=OwnState,
        start=lambda *arguments: OwnState(*start(*arguments)),
        select=select, update=update, recommend=lambda state: recommend() if state.unlucky else 0, compiled=False,
    )


class Anything(BaseException):
    pass


class Unshowable(Exception):
    def __str__(self):
        raise self


def throw(error):
    raise error


def wait_without_end():
    while True:
        time.sleep(1)


def die_once():
    if "DEATH" in os.environ and not os.path.exists(os.environ["DEATH"]):
        open(os.environ["DEATH"], "x").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return 0, 1, 1


def recurse():
    return recurse()


def change_the_matrix():
    frame = sys._getframe()
    while "P" not in frame.f_locals:
        frame = frame.f_back
    frame.f_locals["P"][0, 1] = 1.0


def draw(generator):
    generator.random()
    return 0, 1, 1


RAISES = algorithm("raises", lambda: throw(ZeroDivisionError("by plan")))
RAISES_ANYTHING = algorithm("raises-anything", lambda: throw(Anything("at all")))
INTERRUPTS = algorithm("interrupts", lambda: throw(KeyboardInterrupt))
UNSHOWABLE = algorithm("unshowable", lambda: throw(Unshowable()))
RUDE = algorithm("rude", lambda: throw(ValueError("\\x1b[2J" + "rude " * 10**6)))
RECURSES = algorithm("recurses", recurse)
EXITS = algorithm("exits", lambda: sys.exit("enough"))
DIES = algorithm("dies", lambda: os._exit(1))
DIES_ONCE = algorithm("dies-once", die_once)
HANGS = algorithm("hangs", wait_without_end)
EATS_MEMORY = algorithm("eats-memory", lambda: np.ones(2**55))
DUELS_NOBODY = algorithm("duels-nobody", lambda: (0, 99, 1))
RECOMMENDS_TOO_MUCH = algorithm("recommends-too-much", lambda: (0, 1, 1), lambda: 99)
CHANGES_THE_MATRIX = algorithm("changes-the-matrix", change_the_matrix)
DRAWS_FROM_PYTHON = algorithm("draws-from-python", lambda: draw(random))
DRAWS_FROM_NUMPY = algorithm("draws-from-numpy", lambda: draw(np.random))


class CompiledState(NamedTuple):
    unlucky: bool


@kernel
def select_without_end(state, t, rng):
    k = 0
    while state.unlucky and t == 55 and k < 10:
        k = k + 1 - 1
    return 0, 1, 1


@kernel
def draw_compiled(state, t, rng):
    if state.unlucky and np.random.random() < 0.5:
        return 0, 1, 1
    return 1, 0, 1


@kernel
def update_compiled(state, first, second, first_wins, second_wins):
    pass


@kernel
def recommend_compiled(state):
    return 0


def compiled(name, select):
    class OwnState(CompiledState):
        pass

    OwnState.__qualname__ = OwnState.__name__ = name.replace("-", "_")
    globals()[OwnState.__name__] = OwnState
    return Algorithm(
        id=name, name=name, assumes="nothing", anytime=True, parameters={}, reference="", state=OwnState,
        start=lambda n_arms, horizon, rng, standing: OwnState(bool(rng.random() < 0.5)),
        select=select, update=update_compiled, recommend=recommend_compiled,
    )


HANGS_COMPILED = compiled("hangs-compiled", select_without_end)
DRAWS_COMPILED = compiled("draws-compiled", draw_compiled)
"""

ENTRY_POINTS = "[duelbench.algorithms]\n" + "".join(
    f"{id} = misbehaving:{name}\n"
    for name, id in re.findall(r'^([A-Z_]+) = (?:algorithm|compiled)\("([a-z-]+)"', SOURCE, re.MULTILINE)
)


def install(folder: Path) -> Path:
    """Write the package; the folder that must be on the path of Python."""
    site = folder / "site"
    information = site / "misbehaving-1.0.dist-info"
    information.mkdir(parents=True)
    (site / "misbehaving.py").write_text(SOURCE)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: misbehaving\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(ENTRY_POINTS)
    return site
