"""Files to start from: an algorithm and a spec that work as they are, with comments."""

import importlib.util
import json
import os
import re
import sys
from pathlib import Path
from string import Template

from duelbench import shipped, third_party
from duelbench.algorithms import registry
from duelbench.errors import InputError
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.winners import condorcet_winner, copeland_winners
from duelbench.results.atomic import write_asked
from duelbench.spec.naming import folder_name, slug

ALGORITHM = '''\
"""${TITLE}: an algorithm for `duelbench run SPEC --plug-in ${FILE}`.

As it stands: an arm that may still be the best duels the arm that may beat it most often.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.plugin import ${NAMES}


class State(NamedTuple):
    """What it remembers between rounds. Fields cannot be set: what changes is in arrays."""

    wins: np.ndarray  # (K, K) int64: wins[i, j] is how often arm i has won against arm j
    possible: np.ndarray  # (K,) int64: the arms that may be the best; written in every round
    alpha: float


def start(n_arms, horizon, rng, standing, *, alpha):
    """The state before round 1; parameters come by their names.${ARRAYS}"""
    return State(np.zeros((n_arms, n_arms), np.int64), np.zeros(n_arms, np.int64), alpha)


${KERNEL}def upper_bound(wins, i, j, bonus):
    """How often arm i may win against arm j, at most."""
    plays = wins[i, j] + wins[j, i]
    if i == j:
        return 0.5
    if plays == 0:
        return 1.0
    return wins[i, j] / plays + math.sqrt(bonus / plays)


${KERNEL}def select(state, t, rng):
    """The two arms of round t, which counts from 1, and for how many rounds this decision stands.

    More than 1 round is right if it stays the same whatever these duels show; NEVER, also of duelbench.plugin,
    is until the end. When in doubt, 1 is slow and right. Draw from rng only.
    """
    n_arms = len(state.wins)
    bonus = state.alpha * math.log(t)
    n_possible = 0
    for i in range(n_arms):
        least = 1.0
        for j in range(n_arms):
            least = min(least, upper_bound(state.wins, i, j, bonus))
        if least >= 0.5:
            state.possible[n_possible] = i
            n_possible += 1
    if n_possible > 0:
        first = state.possible[int(n_possible * rng.random())]
    else:
        first = int(n_arms * rng.random())
    second = first
    for j in range(n_arms):
        if upper_bound(state.wins, j, first, bonus) > upper_bound(state.wins, second, first, bonus):
            second = j
    return first, second, 1


${KERNEL}def update(state, first, second, first_wins, second_wins):
    """Count outcomes, and do nothing else: they may come late, and those of several duels at once."""
    state.wins[first, second] += first_wins
    state.wins[second, first] += second_wins


${KERNEL}def recommend(state):
    """The arm that it would answer with: one that has won most of its duels against most others. Changes nothing."""
    n_arms = len(state.wins)
    best = 0
    most = -1
    for i in range(n_arms):
        beaten = 0
        for j in range(n_arms):
            if state.wins[i, j] > state.wins[j, i]:
                beaten += 1
        if beaten > most:
            best = i
            most = beaten
    return best


${CONSTANT} = Algorithm(
    id="${ID}",  # what a spec says
    name="${TITLE}",  # what a figure says
    assumes="condorcet",  # or nothing, copeland, borda, total order
    anytime=True,  # False where start uses the horizon
    parameters={"alpha": Parameter(0.51, "exploration rate", low=0.0)},
    reference="unpublished",
    state=State,
    start=start,
    select=select,
    update=update,
    recommend=recommend,
    compiled=${COMPILED},${PLAIN_COMMENT}
)
'''

SPEC = """\
# duelbench run ${NAME}.yaml, then duelbench plot results/${NAME}
matrix: ${MATRIX} # ${WHAT}
horizon: 1e5 # rounds of each run
runs: 20 # of each algorithm; with fewer than 8 the figure has no confidence band
seed: 7 # another seed, other runs
regret: ${REGRET} # what is recorded; the figure shows the first. See `duelbench list regrets`
algorithms: # see `duelbench list algorithms`; your own with `run --plug-in FILE`
${ALGORITHMS}
"""

WITH_WINNER = ("random", "rucb", "rmed1", "d-ts")
WITHOUT_WINNER = ("random", "ccb", "ecw-rmed", "d-ts")
"""What a spec compares, by whether its matrix has a Condorcet winner."""

FAMILY = "{family: arithmetic, n_arms: 5}"


def write_algorithm(id: str, compiled: bool = False, force: bool = False) -> Path:
    """Write a plug-in to start from into the working folder; the file is named after the id, with ``_`` for ``-``.

    Raises
    ------
    InputError
        When it cannot have this name, or the file exists and ``force`` is False.
    """
    path = Path(f"{_checked(id).replace('-', '_')}.py")
    if id in registry.ids():
        raise InputError(f"'{id}': there is an algorithm with this id already; choose another name")
    if _is_library(path.stem):
        raise InputError(f"'{id}': {path} would stand in the way of the module {path.stem}; choose another name")
    words = {
        "ID": id,
        "TITLE": id.replace("-", " ").capitalize(),
        "FILE": str(path),
        "CONSTANT": path.stem.upper(),
        "NAMES": "Algorithm, Parameter, kernel" if compiled else "Algorithm, Parameter",
        "KERNEL": "@kernel\n" if compiled else "",
        "COMPILED": str(compiled),
        "PLAIN_COMMENT": "" if compiled else "  # plain Python, in which all of NumPy can be used",
        "ARRAYS": " All arrays are made here: compiled code makes none." if compiled else "",
    }
    return _written(path, Template(ALGORITHM).substitute(words), force)


def write_spec(name: str, matrix: Path | None = None, force: bool = False) -> Path:
    """Write a spec to start from into the working folder, about a matrix file, or by default a family of matrices.

    Raises
    ------
    InputError
        When it cannot have this name, the matrix cannot be read, or the file exists and ``force`` is False.
    """
    path = Path(f"{_checked(name)}.yaml")
    has_winner, what, place = True, "see `duelbench list families`", FAMILY
    if matrix is not None:
        loaded = PreferenceMatrix.load(matrix)
        winner = condorcet_winner(loaded)
        has_winner = winner is not None
        winners = f"no Condorcet winner, Copeland {', '.join(map(str, copeland_winners(loaded)[:5]))}"
        of = "comes with duelbench" if shipped.matrix_file(str(matrix)) else "relative to this file"
        what = f"{of}; {f'Condorcet winner {winner}' if has_winner else winners}"
        relative = Path(os.path.relpath(Path(matrix), Path.cwd())).as_posix()
        place = relative if re.fullmatch(r"[A-Za-z0-9_./-]+", relative) else json.dumps(relative)
    words = {
        "NAME": name,
        "MATRIX": place,
        "WHAT": what,
        "REGRET": "[copeland, weak]" if has_winner else "[copeland]",
        "ALGORITHMS": "\n".join(f"  - {id}" for id in (WITH_WINNER if has_winner else WITHOUT_WINNER)),
    }
    return _written(path, Template(SPEC).substitute(words), force)


def _checked(name: str) -> str:
    """A name that can be an id and a file's."""
    try:
        if re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
            return folder_name(name, f"'{name}'")
    except ValueError as error:
        raise InputError(str(error)) from None
    meant = re.sub(r"[^a-z0-9]+", "-", slug(Path(name).stem, "")).strip("-0123456789")
    hint = f" (did you mean '{meant}'?)" if meant else ""
    raise InputError(f"'{name}': use small letters, digits and single hyphens, beginning with a letter{hint}")


def _is_library(module: str) -> bool:
    """Whether a file of this name would hide a library."""
    try:
        found = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        found = None
    origin = getattr(found, "origin", None)
    return module in sys.stdlib_module_names or (origin is not None and third_party.is_library(origin))


def _written(path: Path, text: str, force: bool) -> Path:
    if path.is_dir():
        raise InputError(f"{path} is a folder; choose another name")
    if path.exists() and not force:
        raise InputError(f"{path} already exists; choose another name, or overwrite it with --force")
    write_asked(path, text.encode(), f"{path}:")
    return path
