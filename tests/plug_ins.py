"""Plug-ins for tests, as text: one that is compiled, the same in plain Python, and a compiled decision about means."""

import os
import zlib
from pathlib import Path

COMPILED = """
from typing import NamedTuple
import numpy as np
from duelbench.plugin import NEVER, Algorithm, Parameter, kernel

# Every pair equally often, then the winner.

class State(NamedTuple):
    wins: np.ndarray
    each: int


def start(n_arms, horizon, rng, standing, *, each):
    return State(np.zeros((n_arms, n_arms), np.int64), each)


@kernel
def leader(wins):
    best, most = 0, -1
    for i in range(wins.shape[0]):
        won = 0
        for j in range(wins.shape[0]):
            won += wins[i, j] > wins[j, i]
        if won > most:
            best, most = i, won
    return best


@kernel
def select(state, t, rng):
    for i in range(state.wins.shape[0]):
        for j in range(i + 1, state.wins.shape[0]):
            missing = state.each - state.wins[i, j] - state.wins[j, i]
            if missing > 0:
                return i, j, missing
    winner = leader(state.wins)
    return winner, winner, NEVER


@kernel
def update(state, first, second, first_wins, second_wins):
    state.wins[first, second] += first_wins
    state.wins[second, first] += second_wins


@kernel
def recommend(state):
    return leader(state.wins)


COMMIT = Algorithm(
    id="commit", name="Commit", assumes="copeland", anytime=True,
    parameters={"each": Parameter(10, "duels of each pair", low=1)}, reference="", state=State,
    start=start, select=select, update=update, recommend=recommend, compiled=True,
)
"""

PLAIN = COMPILED.replace("@kernel\n", "").replace("compiled=True", "compiled=False")

DECISION = """
from typing import NamedTuple
import numpy as np
from duelbench.plugin import kernel
from duelbench.bandits.problem.decision_rule import Decision


class Few(NamedTuple):
    n: int


@kernel
def decide(decision, values):
    return 2


FEW = Decision(
    "few", "a number of means", decide, lambda means: np.abs(np.arange(4.0) - 2), names_parameter=False,
    start=lambda n: Few(n), state=Few, compiled=True,
)
"""


def write(folder: Path, text: str = PLAIN, name: str = "commit.py") -> Path:
    """A plug-in in a folder, older than this process, as files are that a command is told to load.

    Another text has another time: by time and size Python knows whether what it has compiled is of this file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text)
    os.utime(path, (written := 1e9 + zlib.crc32(text.encode()) % 10**6, written))
    return path
