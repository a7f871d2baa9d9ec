"""A package of algorithms that misbehave, installed the way any package of plug-ins is: through its entry points."""

from pathlib import Path

SOURCE = """
import os, signal, sys
from typing import NamedTuple
import numpy as np
from duelbench.algorithms.contract import Algorithm


class State(NamedTuple):
    unlucky: bool


def start(n_arms, horizon, rng, standing):
    return State(bool(rng.random() < 0.5))


def update(state, first, second, first_wins, second_wins):
    pass


def recommend(state):
    return 0


def algorithm(name, misbehave):
    class OwnState(State):
        pass

    def select(state, t, rng):
        if state.unlucky and t == 5:
            return misbehave()
        return 0, 1, 1

    return Algorithm(
        id=name, name=name, assumes="nothing", anytime=True, parameters={}, reference="", state=OwnState,
        start=lambda *arguments: OwnState(*start(*arguments)),
        select=select, update=update, recommend=recommend, compiled=False,
    )


def raise_an_error():
    raise ZeroDivisionError("by plan")


def print_and_go_on():
    print("a message " * 1000)
    return 0, 1, 1


RAISES = algorithm("raises", raise_an_error)
EXITS = algorithm("exits", lambda: sys.exit("enough"))
DIES = algorithm("dies", lambda: os._exit(1))
KILLED = algorithm("killed", lambda: os.kill(os.getpid(), signal.SIGKILL))
DUELS_NOBODY = algorithm("duels-nobody", lambda: (0, 99, 1))
PRINTS = algorithm("prints", print_and_go_on)
EATS_MEMORY = algorithm("eats-memory", lambda: np.ones(2**55))
"""

ENTRY_POINTS = """
[duelbench.algorithms]
raises = misbehaving:RAISES
exits = misbehaving:EXITS
dies = misbehaving:DIES
killed = misbehaving:KILLED
duels-nobody = misbehaving:DUELS_NOBODY
prints = misbehaving:PRINTS
eats-memory = misbehaving:EATS_MEMORY
"""


def install(folder: Path) -> Path:
    """Write the package; the folder that must be on the path of Python."""
    site = folder / "site"
    information = site / "misbehaving-1.0.dist-info"
    information.mkdir(parents=True)
    (site / "misbehaving.py").write_text(SOURCE)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: misbehaving\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(ENTRY_POINTS)
    return site
