"""One run: from an algorithm, a problem, a horizon and a seed to a trace."""

import os
import reprlib
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from duelbench.bandits.algorithms import registry
from duelbench.bandits.algorithms.contract import Algorithm
from duelbench.bandits.algorithms.exploration import scalar_decisions
from duelbench.bandits.problem import round_losses
from duelbench.bandits.problem.decision_rule import Decision
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from duelbench.bandits.problem.worlds import losses
from duelbench.bandits.problem.worlds.world import Segment, World
from duelbench.bandits.simulation.game import (
    MOST_DELAY,
    answers_are_arms,
    begin,
    check,
    concluded,
    feedback_refusal,
    play,
)
from duelbench.bandits.simulation.run_log import new_log
from duelbench.bandits.simulation.streams import borrow, give_back, world_stream
from duelbench.bandits.simulation.terms import Settings, Terms
from duelbench.bandits.simulation.trace import Trace, log_checkpoints
from duelbench.common.numerals import whole_number
from duelbench.errors import InputError

LONGEST, MOST_CHECKPOINTS, MOST_SEED = 10**15, 10**5, 2**128 - 1
"""The largest horizon, number of checkpoints and seed."""


def simulate(
    algorithm: str | Algorithm,
    P: PreferenceMatrix | ScalarBandit | World | npt.ArrayLike | str | os.PathLike[str],
    *,
    horizon: int,
    seed: int = 0,
    run: int = 0,
    regret: str | Sequence[str] | None = None,
    checkpoints: int | Sequence[int] = 200,
    shuffle_arms: bool = False,
    feedback_batch: int = 1,
    feedback_delay: int = 0,
    standing_decisions: bool = True,
    cut_at_checkpoints: bool = False,
    watch: Callable[[np.ndarray], object] | None = None,
    **parameters: Any,
) -> Trace:
    """Play one algorithm against one problem for ``horizon`` rounds.

    Runs of a spec have another default, ``shuffle_arms=True``, so that the same seed and run give another trace.
    `duelbench.rerun` repeats a run of a spec.

    Parameters
    ----------
    algorithm : str or Algorithm
        An id (``duelbench.algorithms()`` lists them) or an algorithm of your own. If your own is compiled, it is tried
        before its first run, which takes some seconds: see `duelbench.experiments.plugins.trial`.
    P : PreferenceMatrix, ScalarBandit, World, array_like of shape (K, K), or path
        A path is loaded by `PreferenceMatrix.load`.
    horizon : int
        Number of rounds, from 1 to 10^15.
    seed, run : int
        Together they determine all randomness; ``run`` is 0-based, ``seed`` from 0 to 2^128 - 1.
    regret : str or sequence of str
        Regret definitions to record; see `duelbench.bandits.problem.regret.DEFINITIONS` and
        `duelbench.bandits.problem.round_losses`. By default ``copeland``, on a scalar bandit ``announced``.
    checkpoints : int or sequence of int
        How many log-spaced rounds to record at, or the rounds themselves, increasing; the horizon is always one.
    shuffle_arms : bool
        Whether the algorithm sees the arms in an order drawn for the run, as in specs by default. The trace is in the
        matrix's order all the same.
    feedback_batch : int
        Outcomes are delivered together after every ``feedback_batch`` rounds; 1 is at once.
    feedback_delay : int
        The outcome of round t is delivered after round ``t + feedback_delay``; 0 is at once, and 10^6 is the largest. A
        delay requires ``feedback_batch=1``.
    standing_decisions : bool
        False plays round by round. This gives the same results (for a randomised rule, the same distribution), but is
        slow.
    cut_at_checkpoints : bool
        True ends each batch of duels at the next checkpoint, so that the recommendation there uses all duels so far.
        The distribution of the duels is the same.
    watch : callable, optional
        Called before the first round with an array of counts. Their sum, read from another thread, is the number of
        rounds so far.
    **parameters
        The algorithm's parameters, e.g. ``alpha=0.51``.

    Raises
    ------
    InputError
        If an argument is wrong (the message names it), or the algorithm cannot play this problem.

    Examples
    --------
    Two arms, of which the first always wins: after a few duels only the winner is played.

    >>> trace = simulate("rucb", [[0.5, 1.0], [0.0, 0.5]], horizon=10**6, seed=1)
    >>> trace.duels[0, 0] > 999_900, trace.recommended[-1] == 0
    (np.True_, np.True_)
    """
    if _is_algorithm(P) and not _is_algorithm(algorithm):
        raise InputError("the algorithm comes first, then the problem: simulate('rucb', P, horizon=...)")
    chosen = registry.get(algorithm) if isinstance(algorithm, str) else algorithm
    if not isinstance(chosen, Algorithm):
        raise InputError(f"algorithm must be an id, such as 'rucb', or an Algorithm, got {reprlib.repr(chosen)}")
    world = P if isinstance(P, World) else None
    problem = _problem(P) if world is None else world.matrices[0]
    registry.check_plays(chosen, isinstance(problem, ScalarBandit))
    try:
        resolved = chosen.resolve(parameters)
    except ValueError as error:
        raise InputError(str(error)) from None
    horizon = whole("horizon", horizon, 1, LONGEST)
    terms = Terms(
        problem=problem if world is None else world,
        algorithm=chosen,
        parameters=resolved,
        horizon=horizon,
        checkpoints=_rounds(horizon, checkpoints),
        regret=_definitions(round_losses.default(problem) if regret is None else regret),
        seed=whole("seed", seed, 0, MOST_SEED),
        settings=Settings(
            shuffle_arms=_truth("shuffle_arms", shuffle_arms),
            feedback_batch=whole("feedback_batch", feedback_batch, 1, LONGEST),
            feedback_delay=whole("feedback_delay", feedback_delay, 0, MOST_DELAY),
            cut_at_checkpoints=_truth("cut_at_checkpoints", cut_at_checkpoints),
        ),
    )
    standing = _truth("standing_decisions", standing_decisions)
    return simulate_terms(terms, whole("run", run, 0, 2**32 - 1), watch=watch, standing=standing)


def simulate_terms(
    terms: Terms, run: int, *, watch: Callable[[np.ndarray], object] | None = None, standing: bool = True
) -> Trace:
    """Play a run (0-based) of these terms; ``watch`` and ``standing`` (``standing_decisions``) are as for `simulate`.

    Raises
    ------
    InputError
        If the algorithm cannot play the problem with these settings.
    """
    chosen, definitions, settings = terms.played, terms.regret, terms.settings
    if (why := feedback_refusal(chosen, settings)) is not None:
        raise InputError(why)
    world = terms.problem if isinstance(terms.problem, World) else None
    problem = terms.problem if not isinstance(terms.problem, World) else terms.problem.matrices[0]
    rounds = np.array(terms.checkpoints, dtype=np.int64)
    segments = _segments(world, definitions, terms.horizon, terms.seed, run)
    costs = segments[0][1] if segments else terms.costs

    check(chosen, problem, terms.horizon, terms.parameters)
    random = borrow(terms.seed, run)
    n_arms = problem.n_arms
    arms = random.arms.permutation(n_arms) if settings.shuffle_arms else np.arange(n_arms)
    chosen, state = begin(chosen, problem, terms.horizon, random.algorithm, standing, terms.parameters)
    if segments:  # the log updates the costs when the world changes
        costs = round_losses.Costs(costs.table.copy(), costs.announced.copy())
    log = new_log(rounds, costs.table, costs.announced, chosen.explored is not None, answers_are_arms(problem))
    if watch is not None:
        watch(log.rounds)
    flips = world.flips if world is not None else 0
    decisions = play(chosen, state, problem, log, random, arms, settings, standing, segments, flips)
    if chosen.compiled:  # an algorithm in plain Python may still hold its generator
        give_back(random)
    explored, finished = (log.explored, int(log.finished[0])) if chosen.explored is not None else (None, None)
    regret = log.regret
    if segments:
        regret = losses.regret(definitions, log.regret, rounds, [segment for segment, _ in segments], problem.n_arms)
    final = (regret, log.rounds.sum(axis=0), log.recommended, decisions, definitions, explored, finished)
    return Trace(rounds, *final, chosen.id, *concluded(chosen, problem, state, log, arms))


def _is_algorithm(value: Any) -> bool:
    return isinstance(value, Algorithm) or (isinstance(value, str) and registry.is_known(value))


def _segments(
    world: World | None, definitions: Sequence[str], horizon: int, seed: int, run: int
) -> list[tuple[Segment, round_losses.Costs]]:
    """Return the segments of a run with their costs; none if nothing changes."""
    static = next((name for name in definitions if name in losses.STATIC), None)
    if world is None and static is not None:
        raise InputError(f"regret '{static}' is for a world that changes, duelbench.World")
    if world is None:
        return []
    for name in definitions:
        losses.check(name, world)
    tables = {id(matrix): losses.tables(definitions, matrix) for matrix in world.matrices}
    segments = world.segments(horizon, world_stream(seed, run if world.per_run else 0))
    return [(segment, tables[id(segment.matrix)]) for segment in segments]


def _problem(P: Any) -> PreferenceMatrix | ScalarBandit:
    if isinstance(P, (PreferenceMatrix, ScalarBandit)):
        return P
    return PreferenceMatrix.load(P) if isinstance(P, (str, os.PathLike)) else PreferenceMatrix(P)


def whole(name: str, value: Any, low: int, high: int) -> int:
    """Return an argument that must be a whole number, which may be written like 1e6."""
    try:
        if not isinstance(value, str):
            return whole_number(value, low, high)
    except ValueError:
        pass
    most = "2^128 - 1" if high == MOST_SEED else f"{high:_}"
    hint = "; leave out the quotation marks" if isinstance(value, str) and value[:1].isdigit() else ""
    raise InputError(f"{name} must be a whole number from {low} to {most}, got {reprlib.repr(value)}{hint}")


def _truth(name: str, value: Any) -> bool:
    """Return an argument that must be True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def _definitions(regret: Any) -> tuple[str, ...]:
    names = (regret,) if isinstance(regret, str) else tuple(regret) if isinstance(regret, Iterable) else ()
    if not names:
        raise InputError(f"regret must be the name of a regret, such as 'copeland', or several, got {regret!r}")
    return names


def _rounds(horizon: int, checkpoints: Any) -> np.ndarray:
    if isinstance(checkpoints, str) or not isinstance(checkpoints, Iterable):
        return log_checkpoints(horizon, whole("checkpoints", checkpoints, 1, MOST_CHECKPOINTS))
    rounds = [whole("each of the checkpoints", checkpoint, 1, horizon) for checkpoint in checkpoints]
    for before, t in pairwise(rounds):
        if t <= before:
            raise InputError(f"checkpoints must increase, but {t} comes after {before}")
    return np.unique(np.array([*rounds, horizon], dtype=np.int64))


def scalar_bandit(means: npt.ArrayLike, decision: str | Decision = "argmax", **parameters: Any) -> ScalarBandit:
    """Return a scalar bandit: N arms that give 0 or 1, and a decision about their means.

    Parameters
    ----------
    means : array_like, shape (N,)
    decision : str or Decision
        The name of a built-in decision (`duelbench.bandits.algorithms.exploration.scalar_decisions.DECISIONS`), or your
        own.
    **parameters
        The decision's parameters, e.g. ``m=4``.

    Examples
    --------
    >>> import duelbench
    >>> bandit = duelbench.scalar_bandit([1.0, 0.0, 0.0, 0.0])
    >>> trace = duelbench.simulate("savage", bandit, horizon=10**6)
    >>> int(trace.recommended[-1]), trace.explored[0], trace.explored[-1], trace.finished < 10**3
    (0, np.int64(4), np.int64(0), True)
    """
    chosen = scalar_decisions.get(decision) if isinstance(decision, str) else decision
    return ScalarBandit(means, chosen, parameters)
