"""Audits of other people's programs: does regret grow as it should, and is it the algorithm that it claims to be?

An adapter, a small Python file, makes the program play duels. It is compared with duelbench's algorithm in three ways:
how its regret grows, whether its regret has the same distribution, and in which round it first makes a choice that the
algorithm would not make.
"""

import copy
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from duelbench import third_party
from duelbench.algorithms import registry
from duelbench.algorithms.contract import Algorithm
from duelbench.errors import InputError, nearest
from duelbench.kernels.interpreting import interpreted
from duelbench.plugins.checking import LINEAR
from duelbench.problem import round_losses
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.simulation.simulate import simulate
from duelbench.statistics.ratios import ratio_of_means

DOUBLINGS = 2
"""Regret is compared after T, 2 T and 4 T rounds."""

LEVEL = 0.001
"""The p-value below which the distribution of regret counts as different."""

OURS_FOR_EACH = 10
"""Runs of our own algorithm for each of the program's."""

LOOKS, MANY_LOOKS = 100, 20_000
"""How often our algorithm chooses in the same place, and how often again where it never chose the pair."""

TRACED_ROUNDS = 5000
"""Rounds of the first run that are compared choice by choice."""

COMPARED_CHOICES = ("rucb", "d-ts", "d-ts-plus")
"""Whose choices depend on nothing but the outcomes so far and chance. Other rules draw an order of the arms, plan a
batch or count their own choices, so that the same rule in another program would seem different."""


class Over(Exception):
    """Raised once there are as many duels as wanted."""


class History(NamedTuple):
    """The duels of one run: (T,) int64 arms (0-based), and (T,) bool whether the first of the pair has won."""

    first: np.ndarray
    second: np.ndarray
    first_won: np.ndarray


@dataclass(frozen=True)
class Adapter:
    """What an adapter file declares about its program."""

    path: Path
    name: str  # what the program is called, with its version
    claims: Algorithm  # the algorithm of duelbench that it says it is
    parameters: Mapping[str, Any]  # all of the algorithm's
    # ``play(duel, n_arms, horizon, seed)`` plays by calling ``duel(i, j)``, which is True when arm i has won
    play: Callable[..., Any]


def load_adapter(path: Path) -> Adapter:
    """Load an adapter and check what it says.

    A file has ``claims``, the id of an algorithm; where it wants to, ``name`` and ``parameters`` of the algorithm; and
    one of two functions. ``new(n_arms, horizon, seed)`` returns an object with ``choose()``, which returns a pair of
    arms from 0, and ``observe(first, second, first_won)``. ``play(duel, n_arms, horizon, seed)`` is for programs that
    ask for duels themselves: it calls ``duel(first, second)``, which returns whether the first has won; after the
    horizon that raises, and ends it.

    Raises
    ------
    InputError
        Naming the file, and what is missing or wrong.
    """
    if not path.is_file():
        hint = nearest(path.name, (other.name for other in path.parent.glob("*.py")))
        raise InputError(f"{path}: there is no such file{hint}")
    if path.suffix != ".py":
        raise InputError(f"{path}: an adapter must be a .py file")
    module = registry.load_module(str(path.resolve()), "the adapter")
    claims = getattr(module, "claims", None)
    if not isinstance(claims, str):
        raise InputError(f"{path}: say what it claims to be, by an id of `duelbench list`: claims = 'd-ts'")
    try:
        algorithm = registry.get(claims)
        registry.check_plays(algorithm, is_scalar=False)
    except InputError as error:
        raise InputError(f"{path}: claims = {claims!r}: {error}") from None
    given = getattr(module, "parameters", {})
    if not isinstance(given, Mapping):
        raise InputError(f"{path}: parameters is {given!r}; it is a mapping of names to values")
    try:
        parameters = algorithm.resolve(given)
    except ValueError as error:
        raise InputError(f"{path}: parameters: {error}") from None
    return Adapter(path, str(getattr(module, "name", path.stem)), algorithm, parameters, _play(path, module))


def _play(path: Path, module: ModuleType) -> Callable[..., Any]:
    """The function ``play`` of an adapter, or one that plays by its ``new``."""
    new: Any = getattr(module, "new", None)
    play: Any = getattr(module, "play", None)
    if callable(new) == callable(play):
        raise InputError(
            f"{path}: define one of new(n_arms, horizon, seed), which returns an object with choose() and"
            " observe(first, second, first_won), and play(duel, n_arms, horizon, seed)"
        )

    def play_turns(duel: Callable[[int, int], bool], n_arms: int, horizon: int, seed: int) -> None:
        program = new(n_arms, horizon, seed)
        for _ in range(horizon):
            chosen = program.choose()
            if not isinstance(chosen, Iterable) or len(pair := tuple(chosen)) != 2:
                place = third_party.place_of_function(type(program).choose)
                raise InputError(f"{place} returned {chosen!r}; it must return two arms, from 0")
            first, second = pair
            program.observe(first, second, duel(first, second))

    return play if callable(play) else play_turns


def history(adapter: Adapter, P: PreferenceMatrix, horizon: int, seed: int, rounds: int | None = None) -> History:
    """The duels of one run of the program: all up to the horizon, or the first ``rounds``.

    Raises
    ------
    InputError
        When it raises an error, duels arms that do not exist, or stops before the horizon; naming its line.
    """
    rng = np.random.default_rng([seed, 0])
    end = horizon if rounds is None else rounds
    draws = rng.random(end)
    found = History(np.zeros(end, np.int64), np.zeros(end, np.int64), np.zeros(end, bool))
    n_played = 0

    def duel(first: Any, second: Any) -> bool:
        nonlocal n_played
        if n_played == end:
            raise Over
        for arm in (first, second):
            if not _is_arm(arm, P.n_arms):
                raise InputError(f"it duels {first!r} with {second!r}; arms are 0 to {P.n_arms - 1}")
        found.first[n_played], found.second[n_played] = first, second
        found.first_won[n_played] = draws[n_played] < P.P[int(first), int(second)]
        n_played += 1
        return bool(found.first_won[n_played - 1])

    try:
        adapter.play(duel, P.n_arms, horizon, seed)
    except Over:
        pass
    except Exception as error:
        place = third_party.place_of(error)
        words = str(error) or type(error).__name__
        raise InputError(f"{adapter.path}: in round {n_played + 1}: {words}{f' ({place})' if place else ''}") from error
    if n_played < end:
        raise InputError(f"{adapter.path}: it stopped after {n_played} of {horizon} duels")
    return found


def _is_arm(value: Any, n_arms: int) -> bool:
    is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    return is_number and value in range(n_arms)


class Parting(NamedTuple):
    """The first choice that our algorithm would not make."""

    round: int  # 1-based
    pair: tuple[int, int]
    looks: int  # how often ours chose in the same place
    usual: tuple[int, int]  # its most frequent pair there
    share: float  # and how often


@dataclass(frozen=True)
class Audit:
    """What is found of a program."""

    adapter: Adapter
    matrix: PreferenceMatrix
    rounds: tuple[int, ...]  # T, 2 T, 4 T
    theirs: np.ndarray  # copeland regret after these rounds
    ours: np.ndarray
    # R(2T) / R(T) and R(4T) / R(2T) of the program, with 95% intervals; none where R(T) is 0
    growth: list[tuple[float, float, float]]
    p_value: float  # that regret after these rounds has the same distribution: the smallest of three, times three
    traced: int  # how many rounds were compared choice by choice; 0 where our rule's choices cannot be
    parting: Parting | None

    @property
    def is_linear(self) -> bool:
        """Whether regret grows linearly: the whole interval of the last ratio is above `LINEAR`."""
        return bool(self.growth) and self.growth[-1][1] >= LINEAR

    @property
    def is_slower(self) -> bool:
        """Whether regret grows slower than linearly: the whole interval of the last ratio is below `LINEAR`."""
        return bool(self.growth) and self.growth[-1][2] < LINEAR

    @property
    def is_other_law(self) -> bool:
        """Whether its regret is distributed otherwise than our algorithm's."""
        return self.p_value < LEVEL


def audit(adapter: Adapter, P: PreferenceMatrix, horizon: int, n_runs: int, seed: int, jobs: int = 1) -> Audit:
    """Compare a program with the algorithm that it claims to be.

    Parameters
    ----------
    horizon : int
        T; runs go to 4 T.
    n_runs : int
        Of the program, at least 2; ours plays ten times as many.

    Raises
    ------
    InputError
        As `history`.
    """
    from joblib import Parallel, delayed

    rounds = tuple(horizon * 2**k for k in range(DOUBLINGS + 1))
    at = np.array(rounds) - 1
    losses = round_losses.costs(P, ["copeland"]).table[0]
    runs = [(adapter.path, P, rounds[-1], seed + k, losses, at) for k in range(n_runs)]
    theirs = np.array(Parallel(n_jobs=jobs)(delayed(_regret)(*run) for run in runs))
    own = {"horizon": rounds[-1], "seed": seed, "checkpoints": rounds, **adapter.parameters}
    ours = np.array([simulate(adapter.claims, P, run=run, **own).regret[0] for run in range(OURS_FOR_EACH * n_runs)])
    traced, parting = 0, None
    if adapter.claims.id in COMPARED_CHOICES:
        traced = min(TRACED_ROUNDS, rounds[-1])
        played = history(adapter, P, rounds[-1], seed, traced)
        parting = first_parting(adapter.claims, adapter.parameters, played, P.n_arms, seed)
    growth = _growth(theirs)
    return Audit(adapter, P, rounds, theirs, ours, growth, same_law(theirs, ours), traced, parting)


def _regret(path: Path, P: PreferenceMatrix, horizon: int, seed: int, losses: np.ndarray, at: np.ndarray) -> np.ndarray:
    played = history(load_adapter(path), P, horizon, seed)
    return np.cumsum(losses[played.first, played.second])[at]


def _growth(regret: np.ndarray) -> list[tuple[float, float, float]]:
    if len(regret) < 2 or np.any(regret.mean(axis=0) <= 0):
        return []
    ratios = ratio_of_means(regret[:, 1:], regret[:, :-1])
    return [tuple(map(float, values)) for values in zip(*ratios, strict=True)]  # type: ignore[misc]


def same_law(theirs: np.ndarray, ours: np.ndarray) -> float:
    """The p-value of two samples of regret, (n, m) and (n', m), having the same distribution.

    It is the least p-value of m two-sample Kolmogorov-Smirnov tests, times m.

    Examples
    --------
    >>> a, b = np.arange(50.0)[:, None], np.arange(50.0)[:, None] + 100
    >>> same_law(a, a), same_law(a, b) < 1e-9
    (1.0, True)
    """
    from scipy import stats

    values = [stats.ks_2samp(one, other).pvalue for one, other in zip(theirs.T, ours.T, strict=True)]
    return float(min(1.0, len(values) * min(values)))


def first_parting(
    algorithm: Algorithm, parameters: Mapping[str, Any], played: History, n_arms: int, seed: int
) -> Parting | None:
    """The first pair of a history that an algorithm, after the same duels, never chooses; None where there is none.

    In every round the algorithm, one of `COMPARED_CHOICES`, chooses `LOOKS` times with other random numbers, and where
    it never chose the pair, `MANY_LOOKS` times more: a pair that it chooses once in a hundred thousand rounds may be
    named by chance. Pairs count in either order.
    """
    rng = np.random.default_rng([seed, 1])
    with interpreted(math.inf):
        state = algorithm.start(n_arms, played.first.size, rng, False, **parameters)
        for t, (first, second, first_won) in enumerate(zip(*played, strict=True), 1):
            pair = tuple(sorted((int(first), int(second))))
            chosen = _choices(algorithm, state, t, rng, LOOKS, pair)
            if pair not in chosen:
                chosen += _choices(algorithm, state, t, rng, MANY_LOOKS, pair)
            if pair not in chosen:
                usual, count = chosen.most_common(1)[0]
                return Parting(t, pair, chosen.total(), usual, count / chosen.total())  # type: ignore[arg-type]
            algorithm.select(state, t, rng)
            if first != second or algorithm.reads_self_duels:
                algorithm.update(state, int(first), int(second), int(first_won), 1 - int(first_won))
    return None


def _choices(
    algorithm: Algorithm, state: Any, t: int, rng: np.random.Generator, looks: int, pair: Sequence[int]
) -> Counter[tuple[int, ...]]:
    """How often the algorithm chooses which pair in round t; it stops once it has chosen ``pair``."""
    found: Counter[tuple[int, ...]] = Counter()
    for _ in range(looks):
        first, second, _ = algorithm.select(copy.deepcopy(state), t, rng)
        found[tuple(sorted((int(first), int(second))))] += 1
        if tuple(pair) in found:
            break
    return found
